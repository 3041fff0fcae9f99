import { type LinePlace, SHARE, type SessionId, parsePlace } from '#domain';
import { CONTEXT_BUDGETS, type ContextBudgets } from '../run/context-budgets.js';
import type { RunRecord } from '../run/run-record.js';
import type { Tool, ToolOutcome } from './tool.js';
import { failed } from './call-outcomes.js';

export const READ_HISTORY = 'read_history';

/** Messages of one answer: as many as are asked for, or so many. */
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 200;
const MAX_QUERY = 1_000;
/** Characters of an answer. */
const MAX_CHARS = 24_000;

/** What is looked for in what was said. */
export interface HistoryQuestion {
  /** Where the conversation begins, and what is read at most. */
  readonly since: LinePlace;
  /** From this event on; absent: from there. */
  readonly from?: LinePlace;
  /** Text that a message holds, in any case; absent: all of them. */
  readonly query?: string;
  readonly limit: number;
  readonly maxChars: number;
  readonly maxMessageChars: number;
}

export interface HistoryPart {
  readonly messages: readonly {
    /** Of the event at which it begins. */
    readonly id: string;
    readonly type: 'user_message' | 'agent_response' | 'agent_tool_use' | 'agent_tool_response';
    readonly content: string;
  }[];
  /** Where it goes on; null: there is no more. */
  readonly next: string | null;
}

/** Port: what was said and returned in a session, oldest first. */
export abstract class HistoryReader {
  /** @throws the signal's reason, LogUnavailable */
  abstract read(session: SessionId, question: HistoryQuestion, signal: AbortSignal): Promise<HistoryPart>;
}

/** `read_history`: what the model is not told any more of the session. It only reads. */
export class ReadHistory implements Tool {
  readonly isRepeatable = true;
  readonly definition = DEFINITION;

  constructor(
    private readonly history: HistoryReader,
    private readonly record: Pick<RunRecord, 'session' | 'context' | 'state'>,
    private readonly budgets: ContextBudgets = CONTEXT_BUDGETS,
  ) {}

  async call(input: unknown, signal: AbortSignal): Promise<ToolOutcome> {
    const asked = parseInput(input);
    if (typeof asked === 'string') return failed(asked);
    const since = this.first;
    if (since === null) return failed('nothing is left out of this conversation');
    const question = { since, ...asked, maxChars: this.room, maxMessageChars: this.room / 2 };
    return { content: JSON.stringify(await this.history.read(this.record.session, question, signal)) };
  }

  /** An answer is not to fill the context by itself. */
  private get room(): number {
    const { model, mode } = this.record.state;
    const budget = this.record.context.scale.charsOf(model, this.budgets[mode]);
    return Math.floor(Math.min(MAX_CHARS, budget / SHARE));
  }

  /** Where the conversation began since the last clear. */
  private get first(): LinePlace | null {
    const { leftOut } = this.record.context;
    return leftOut === null ? null : parsePlace(leftOut.from);
  }
}

type Asked = Pick<HistoryQuestion, 'limit' | 'query'> & { readonly from?: LinePlace };

/** A string says what is wrong with the arguments, for the agent. */
function parseInput(input: unknown): Asked | string {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return 'the arguments must be an object';
  const { query, from, limit, ...others } = input as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return `there is no argument ${JSON.stringify(unknown)}`;
  if (query !== undefined && query !== null && typeof query !== 'string') return 'query must be a text';
  if (typeof query === 'string' && query.length > MAX_QUERY)
    return `query has ${MAX_QUERY} characters at most`;
  const place = from === undefined || from === null ? undefined : placeOf(from);
  if (place === null) return 'from must be the id of an event, as text';
  const count = limit ?? DEFAULT_LIMIT;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1)
    return 'limit must be a whole number, 1 at least';
  return {
    limit: Math.min(count, MAX_LIMIT),
    ...(typeof query === 'string' && query !== '' ? { query } : {}),
    ...(place === undefined ? {} : { from: place }),
  };
}

const placeOf = (from: unknown): LinePlace | null =>
  typeof from === 'string' || typeof from === 'number' ? parsePlace(String(from)) : null;

const DEFINITION = {
  name: READ_HISTORY,
  description:
    'Reads what was said and what tools returned earlier in this conversation, word for word, oldest first: you are not ' +
    'shown all of it any more. Gives {messages: [{id, type, content}], next}; where next is not null there is more, ' +
    'from that id on.',
  parameters: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Only messages that hold this text, in any case.' },
      from: { type: 'string', description: 'Id of an event: from there on. Without it from the beginning.' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_LIMIT,
        description: `How many messages; ${DEFAULT_LIMIT} without it.`,
      },
    },
    additionalProperties: false,
  },
} as const;
