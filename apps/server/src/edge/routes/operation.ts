import { HttpCode, applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { Scope } from '#domain';
import type { Dto } from '../validation/field-notes.js';
import type { JsonSchema } from '../validation/rules.js';
import type { QueryStringDto } from '../validation/validate.js';

export interface Example {
  readonly summary: string;
  readonly value: object;
}

/** What answers hold, by media type; null: no content. */
export type Content = Readonly<Record<string, JsonSchema>> | null;

/** All that is known of a route besides its method and path: who may use it, what it takes, what it answers. */
export interface OperationTerms {
  /** Also the name that generated clients give it. */
  readonly id: string;
  readonly tag:
    | 'agent'
    | 'runs'
    | 'sessions'
    | 'actions'
    | 'tasks'
    | 'datastores'
    | 'keys'
    | 'mcp'
    | 'openai'
    | 'money'
    | 'proof'
    | 'operations';
  readonly summary: string;
  readonly description?: string;
  /** The scope that a key needs. null: open to everyone, for health, docs and what says how to come in. */
  readonly scope: Scope | null;
  /** A key with this scope instead comes in, too. */
  readonly orScope?: Scope;
  /** Where PROOF_PUBLIC says so, it is open to everyone. */
  readonly isOpenWherePublic?: true;
  /** A token of a browser may come in; its sessions are all that it reaches. */
  readonly isForTokens?: true;
  /** What its query string is held against; absent: it takes no parameters. */
  readonly query?: Dto<QueryStringDto>;
  /** Parameters that it does not know are nobody's concern: probes and scrapers add their own. */
  readonly ignoresQuery?: true;
  /** A page for people, or what it is made of: no part of the interface that `/openapi.json` describes. */
  readonly isPage?: true;
  /** It is made after the interface of somebody else, who describes it: no part of ours either. Its handler judges its query. */
  readonly isForeign?: true;
  /** What its JSON body is held against; absent: it takes no body, or an empty object. */
  readonly body?: Dto;
  /** Any JSON in its body goes on to somebody else: a number in it that would be changed by that is refused. */
  readonly keepsNumbers?: true;
  /** Its JSON body is a message that its handler judges by itself: the schema is told, and nothing is held against it. */
  readonly message?: JsonSchema;
  /** Examples of the body that work as they stand, by name; the first is the one that is filled in. */
  readonly examples?: Readonly<Record<string, Example>>;
  /** It takes multipart/form-data and nothing else. */
  readonly form?: JsonSchema;
  /** Takes `Idempotency-Key` or `Last-Event-ID`. */
  readonly headers?: readonly ('Idempotency-Key' | 'Last-Event-ID')[];
  /** Headers of these answers that do not follow from what the route is; `Location` of 201 and 202 alone. */
  readonly answerHeaders?: readonly ('Content-Location' | 'Location' | 'annals-head' | 'annals-receipt')[];
  /** Answers that are no refusals, by status. The first is that of what a handler returns. */
  readonly answers: Readonly<Record<number, Content>>;
  /** Refusals that do not follow from what the route is. */
  readonly refusals?: readonly number[];
}

/**
 * What a route is, stated once: admission reads its scope before the body, the parsers what it takes, Nest the status of its
 * answer, and `/openapi.json` all of it. Every route has one, or the boot stops.
 */
export const Operation = (terms: OperationTerms): MethodDecorator =>
  applyDecorators(RouteConfig(terms), HttpCode(Number(Object.keys(terms.answers)[0])));

export const JSON_TYPE = 'application/json';
export const SSE_TYPE = 'text/event-stream';

/** One JSON answer. */
export const answer = (status: number, schema: JsonSchema): OperationTerms['answers'] => ({
  [status]: { [JSON_TYPE]: schema },
});

/** The terms of a route's config, or null where it has none. */
export const termsOf = (config: unknown): OperationTerms | null =>
  typeof config === 'object' && config !== null && 'scope' in config ? (config as OperationTerms) : null;

/** Whether nobody is asked who he is. @param isProofPublic PROOF_PUBLIC */
export const isOpen = ({ scope, isOpenWherePublic }: OperationTerms, isProofPublic: boolean): boolean =>
  scope === null || (isProofPublic && isOpenWherePublic === true);

/** Whether a request's route takes multipart/form-data. */
export const takesFile = ({ routeOptions }: FastifyRequest): boolean =>
  termsOf(routeOptions.config)?.form !== undefined;

/** Whether it is there to follow events: a HEAD of it makes no sense, and `EventSource` may ask for it. */
export const isEventStream = ({ answers, body, message }: OperationTerms): boolean =>
  body === undefined &&
  message === undefined &&
  Object.values(answers).some((content) => content !== null && SSE_TYPE in content);
