import {
  type CallSums,
  type Mode,
  NO_CALLS,
  type RecordedSessionEvent,
  type Revision,
  type RunId,
  type SessionId,
} from '#domain';
import type { FaceCall } from './face-call.js';
import type { ShownItem } from './given-view.js';
import { responseId } from './ids.js';
import type { OutputItem } from './items.js';
import type { ResponseSettings } from './settings.js';

export type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'incomplete';

/** An item that was added to the output, at its place among all that were. */
export interface OutputEntry {
  readonly index: number;
  item: OutputItem;
}

/** A record of a response's stream; its type stands without `response.` in front. */
export interface StreamEvent {
  readonly type: string;
  readonly sequence_number: number;
}

export type Hear = (event: StreamEvent, passage: Passage) => void;

export interface PassageBeginning {
  readonly session: SessionId;
  readonly run: RunId;
  readonly number: number;
  readonly mode: Mode;
  readonly settings: ResponseSettings;
  readonly given: readonly ShownItem[];
  /** Of its first event, ms since 1970. */
  readonly time: number;
  /** Somebody decided who sent no request of this interface: the decisions are what it was given. */
  readonly isUnrequested?: boolean;
}

/** How a passage ended. */
export interface PassageEnd {
  readonly status: Exclude<ResponseStatus, 'queued' | 'in_progress'>;
  /** Of the event with which it ended; ms since 1970. */
  readonly revision: Revision;
  readonly time: number;
  readonly reason?: 'max_output_tokens' | 'content_filter';
  readonly error?: { readonly code: string; readonly message: string };
}

export const placeOf = ({ revision, time }: RecordedSessionEvent) => ({ revision, time });

/** Of a passage that ends with a turn. @param finish why the model stopped */
export function endOfTurn(event: RecordedSessionEvent, finish: string): PassageEnd {
  const place = placeOf(event);
  if (finish === 'length') return { status: 'incomplete', ...place, reason: 'max_output_tokens' };
  if (finish === 'content_filter') return { status: 'incomplete', ...place, reason: 'content_filter' };
  return { status: 'completed', ...place };
}

/** A part of a run that is one response: what was asked, what was said, and the records of its stream. */
export class Passage {
  readonly id: string;
  /** What it was given; decisions that nobody requested here are added. */
  readonly given: ShownItem[];
  status: ResponseStatus = 'queued';
  end: PassageEnd | null = null;
  spent: CallSums = NO_CALLS;
  /** Calls about which somebody has to be heard, where it ended with that. */
  waits: readonly FaceCall[] = [];
  /** Messages that steered it, each before what was added to the output at its place. */
  private readonly steering: { readonly at: number; readonly item: ShownItem }[] = [];
  private entries: OutputEntry[] = [];
  private added = 0;
  private sequence = 0;

  /** @param listener is told of the records; null: nobody listens, they are counted alone */
  constructor(
    readonly beginning: PassageBeginning,
    private readonly listener: Hear | null,
  ) {
    this.id = responseId(beginning.run, beginning.number);
    this.given = [...beginning.given];
  }

  get isUnrequested(): boolean {
    return this.beginning.isUnrequested === true;
  }

  get output(): readonly OutputItem[] {
    return this.entries.map(({ item }) => item);
  }

  /** Messages that came in while it was under way. */
  get heard(): readonly ShownItem[] {
    return this.steering.map(({ item }) => item);
  }

  /** What was said and heard, in order: no response shows what somebody else has said. */
  get talk(): readonly (OutputItem | ShownItem)[] {
    const talk = [...this.steering, ...this.entries.map(({ index, item }) => ({ at: index, item }))];
    return talk.sort((a, b) => a.at - b.at).map(({ item }) => item);
  }

  hear(item: ShownItem): void {
    this.steering.push({ at: this.added, item });
  }

  /** How many records its stream has so far. */
  get length(): number {
    return this.sequence;
  }

  /** A record of the stream. @param fields are made only where somebody listens */
  say(type: string, fields: () => object): void {
    const sequence_number = this.sequence++;
    this.listener?.({ type: `response.${type}`, sequence_number, ...fields() }, this);
  }

  /** Adds an item. */
  add(item: OutputItem): OutputEntry {
    const entry = { index: this.added++, item };
    this.entries.push(entry);
    this.say('output_item.added', () => ({ output_index: entry.index, item: entry.item }));
    return entry;
  }

  /** The item will not change any more. */
  close(entry: OutputEntry, item: OutputItem = entry.item): void {
    entry.item = item;
    this.say('output_item.done', () => ({ output_index: entry.index, item }));
  }

  /** What was said is taken back; its place is counted all the same. */
  drop(dropped: readonly OutputEntry[]): void {
    if (dropped.length > 0) this.entries = this.entries.filter((entry) => !dropped.includes(entry));
  }
}
