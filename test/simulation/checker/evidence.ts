import type { RecordedSessionEvent } from '#domain';
import { asSessionEvent, sessionOfStream } from '#domain';
import type { RecordedEvent } from '#event-log';
import type { Ledger } from '../world/ledger.js';
import type { Marks } from '../world/marks.js';
import type { Parts } from '../world/parts.js';
import type { Files } from '../world/sim-files.js';
import type { SharedSeals } from '../world/sim-seals.js';
import type { Transcript } from '../world/transcript.js';

/** All that the checkers may look at: the log, what clients sent and saw, and what the tools and the model were asked. */
export interface Evidence {
  readonly log: readonly RecordedEvent[];
  readonly transcript: Transcript;
  readonly ledger: Ledger;
  /** Content that lies in a file. */
  readonly textOf: (session: string, file: string) => string;
  /** The files that there are, and all that there ever were where they may be removed. */
  readonly files: Files;
  readonly archive: Files;
  /** Keys that were destroyed, and the position of the last event before. */
  readonly destroyed: ReadonlyMap<string, number>;
  /** The ledger's name of a worker that a claim names. */
  readonly nameOf: (worker: string) => string;
  /** What followers made of the streams with a prefix; null where there are none. */
  readonly projection: {
    readonly prefix: string;
    readonly rows: readonly number[];
    readonly position: number;
  } | null;
  readonly marks: Marks;
  readonly parts: Parts;
  /** Whether only one worker could write to the log. */
  readonly isExclusive: boolean;
  /** Forks are looked at of every event of a session; otherwise of a few. */
  readonly isEveryFork: boolean;
  /** null in worlds whose log is not sealed. */
  readonly seals: SharedSeals | null;
}

export type SessionRecord = RecordedEvent & RecordedSessionEvent;

export interface SessionLog {
  readonly id: string;
  readonly events: readonly SessionRecord[];
}

export class Violated extends Error {
  override readonly name = 'Violated';
  constructor(
    readonly invariant: string,
    readonly detail: string,
  ) {
    super(`${invariant}: ${detail}`);
  }
}

export function require(holds: boolean, invariant: string, detail: () => string): asserts holds {
  if (!holds) throw new Violated(invariant, detail());
}

export function sessionsOf(log: readonly RecordedEvent[]): SessionLog[] {
  const sessions = new Map<string, SessionRecord[]>();
  for (const event of log) {
    const id = sessionOfStream(event.stream);
    if (id === null) continue;
    const events = sessions.get(id) ?? [];
    sessions.set(id, events);
    events.push(asSessionEvent(event) as SessionRecord);
  }
  return [...sessions].map(([id, events]) => ({ id, events }));
}

/** null: it is not erased. */
export function erasureOf({ events }: SessionLog): SessionRecord | null {
  const last = events.at(-1);
  return last?.type === 'session_erased' ? last : null;
}

export const at = (event: RecordedEvent): string => `${event.stream} ${event.revision} ${event.type}`;
