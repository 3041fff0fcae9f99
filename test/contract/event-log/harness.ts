import { randomUUID } from 'node:crypto';
import {
  type ContentKeys,
  type EventLog,
  type EventMeta,
  type NewEvent,
  newEvent,
  type RecordedEvent,
} from '#event-log';

/** What the suite needs of an adapter. Abilities that it lacks are left out, and their tests with them. */
export interface LogHarness {
  /** The log, open. It may hold foreign streams; the suite makes its own. */
  readonly log: EventLog;
  /** The keys that it was opened with. */
  readonly keys: ContentKeys;
  /** Closes the log and opens it again, at the same place. */
  reopen?(): Promise<EventLog>;
  /** Starts a process that appends until it is killed. */
  startWriter?(prefix: string): Promise<DoomedWriter>;
  /** Closes what is open and removes what was made. */
  dispose(): Promise<void>;
}

/** A process under load. Its streams are `${prefix}-${n}`; it reports each acknowledgement. */
export interface DoomedWriter {
  readonly acknowledged: readonly Acknowledged[];
  acknowledgedMoreThan(count: number): Promise<void>;
  /** `kill -9`, and waits until it is dead. */
  kill(): Promise<void>;
}

export interface Acknowledged {
  readonly stream: string;
  readonly ids: readonly string[];
  readonly first: number;
}

export type MakeLogHarness = () => Promise<LogHarness>;

export const META: EventMeta = { schemaVersion: 1, project: 'contract', actor: 'key_contract', run: 'run_1' };

export const eventOf = (data: object = { text: 'six times seven' }, id: string = randomUUID()): NewEvent =>
  newEvent({ id, type: 'contract_event', time: 1_750_000_000_000, data }, META);

export const eventsOf = (count: number): NewEvent[] =>
  Array.from({ length: count }, (_, n) => eventOf({ n }));

export const freshStream = (): string => `contract-${randomUUID()}`;

export const idsOf = (events: readonly { id: string }[]): string[] => events.map((event) => event.id);

/** Takes events until `count` are there or `enough` says so, then leaves the subscription. */
export async function take(
  batches: AsyncIterable<readonly RecordedEvent[] | { events: readonly RecordedEvent[] }>,
  count: number,
): Promise<RecordedEvent[]> {
  const taken: RecordedEvent[] = [];
  if (count === 0) return taken;
  for await (const batch of batches) {
    taken.push(...('events' in batch ? batch.events : batch));
    if (taken.length >= count) break;
  }
  return taken;
}

/** A seed for a randomised test: printed, and settable to repeat a failure. */
export function seeded(title: string): () => number {
  let state = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  console.info(`${title}: SEED=${state}`);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
