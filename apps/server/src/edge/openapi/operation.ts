import type { Dto } from '../validation/fields.js';
import type { Parameter } from '../validation/query.js';
import type { JsonSchema } from '../validation/rules.js';

export interface Example {
  readonly summary: string;
  readonly value: object;
}

/** What one route takes and answers, as far as the code that carries it out cannot tell. */
export interface Operation {
  /** Also the name that generated clients give it. */
  readonly id: string;
  readonly tag: 'agent' | 'runs' | 'sessions' | 'tasks' | 'datastores' | 'keys' | 'operations';
  readonly summary: string;
  readonly description?: string;
  /** The reader of its query string; absent: it takes no parameters. */
  readonly query?: { readonly parameters: Readonly<Record<string, Parameter<unknown>>> };
  readonly body?: Dto;
  /** Examples of the body that work as they stand, by name; the first is the one that is filled in. */
  readonly examples?: Readonly<Record<string, Example>>;
  readonly form?: JsonSchema;
  /** Takes `Idempotency-Key` or `Last-Event-ID`. */
  readonly headers?: readonly ('Idempotency-Key' | 'Last-Event-ID')[];
  /** Answers that are no refusals: media type and schema by status; null: no content. */
  readonly answers: Readonly<Record<number, Readonly<Record<string, JsonSchema>> | null>>;
  /** Refusals that do not follow from what the route is. */
  readonly refusals?: readonly number[];
}

export const JSON_TYPE = 'application/json';
export const SSE_TYPE = 'text/event-stream';

/** One JSON answer. */
export const answer = (status: number, schema: JsonSchema): Operation['answers'] => ({
  [status]: { [JSON_TYPE]: schema },
});

export const EVENTS: JsonSchema = {
  type: 'string',
  description: 'Server-Sent Events: `id: <revision>` and `data: <an AgentEvent as JSON>`',
};
