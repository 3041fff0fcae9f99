import type { Draft, SessionState, Revision } from '#domain';
import {
  type EventLog,
  type EventMeta,
  NO_EVENTS,
  type NewEvent,
  type Position,
  type RecordedEvent,
} from '#event-log';
import type { Clock, Random } from '#platform';
import type { RunWriter } from './run-writer.js';

/** Of a command that writes nothing. */
export const NO_META: EventMeta = { schemaVersion: 1, project: '', actor: '' };
/** UTF-16 units of text in one event: JSON escapes and base64 keep it under the limit of an event in the worst case. */
export const MAX_TEXT = 24_000;
/** What an event's envelope counts for in an append; the half that an append leaves free takes the longer ones. */
export const ENVELOPE_BYTES = 400;

export interface JournalPorts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly start: (name: string, work: () => Promise<void>) => void;
}

export interface JournalListener {
  committed(events: readonly RecordedEvent[]): void;
}

export type Decide<T> = (
  state: SessionState,
  next: number,
) => { readonly events: readonly Draft[]; readonly value: T };

export type TextType = 'agent_response' | 'agent_thinking';

export interface CommandEntry {
  readonly kind: 'command';
  readonly meta: EventMeta;
  readonly decide: Decide<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Answers as it was decided, once that is on the log. */
  answer?: () => void;
}

/** Events of a run that depend on what others wrote: decided anew after each conflict, like a command. */
export interface RunDecisionEntry {
  readonly kind: 'decision';
  readonly writer: RunWriter;
  readonly decide: (state: SessionState) => readonly Draft[];
  readonly resolve: (drafts: readonly Draft[]) => void;
  readonly reject: (error: unknown) => void;
  /** What was decided for the append that is under way. */
  drafts?: readonly Draft[];
}

export type RunEntry =
  | {
      readonly kind: 'events';
      readonly writer: RunWriter;
      readonly drafts: readonly Draft[];
      made?: NewEvent[];
    }
  | {
      readonly kind: 'text';
      readonly writer: RunWriter;
      readonly type: TextType;
      text: string;
      made?: NewEvent[];
    };

export type Entry =
  | CommandEntry
  | RunEntry
  | RunDecisionEntry
  | {
      readonly kind: 'barrier';
      readonly writer: RunWriter;
      readonly resolve: () => void;
      readonly reject: (error: unknown) => void;
    };

/** What a batch decided and wrote is on the log. */
export function settle({ entries }: Pick<FormedBatch, 'entries'>): void {
  for (const entry of entries) {
    if (entry.kind === 'command') entry.answer?.();
    else if (entry.kind !== 'barrier' && entry.kind !== 'decision') continue;
    else if (entry.writer.lost) entry.reject(entry.writer.lost);
    else if (entry.kind === 'barrier') entry.resolve();
    else entry.resolve(entry.drafts ?? []);
  }
}

/**
 * Whether it is to be written only when it is known what becomes of the batch: what stands in that would take the run away
 * from its writer, but may never be on the log.
 */
export function isForNext(entry: Entry, state: SessionState, known: SessionState): boolean {
  if (entry.kind === 'command' || entry.kind === 'barrier') return false;
  return !entry.writer.holdsClaim(state) && entry.writer.holdsClaim(known);
}

/** An append that can never succeed. Whoever is part of it hears of it. */
export function refuse(batch: FormedBatch, error: unknown): void {
  for (const entry of batch.entries) {
    if (entry.kind === 'command' || entry.kind === 'barrier') entry.reject(error);
    else if (entry.kind === 'decision') {
      entry.writer.fail(asError(error));
      entry.reject(error);
    } else entry.writer.fail(asError(error));
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

export interface FormedBatch {
  readonly entries: Entry[];
  readonly events: NewEvent[];
  /** The same as the log will hold them; where, it says when it does. */
  readonly recorded: (RecordedEvent & { position: Position })[];
  bytes: number;
  state: SessionState;
}

/** What an entry of a run puts on the log. */
export function draftsOf(entry: RunEntry): readonly Draft[] {
  if (entry.kind === 'events') return entry.drafts;
  return [{ type: entry.type, data: { content: entry.text } }];
}

/** What a run decides on the state that the batch will leave; known to it once that is on the log. */
export const decided = (entry: RunDecisionEntry, { state }: Pick<FormedBatch, 'state'>): readonly Draft[] =>
  (entry.drafts = entry.decide(state));

/** The most units of `text`, at most `max`, that end at a code point. */
export function cutAt(text: string, max: number): number {
  if (text.length <= max) return text.length;
  const unit = text.charCodeAt(max - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? max - 1 : max;
}

export const afterOf = (revision: Revision) => (revision === NO_EVENTS ? {} : { after: revision });
