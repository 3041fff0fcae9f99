import type { Revision, RunId } from '#domain';
import { type EventLog, type Position, appendUntilDefinite, newEvent, lastEventOf } from '#event-log';
import type { Clock, Random } from '#platform';

const STREAM = 'relay-callbacks';

/** A run whose deliveries were not settled. */
export interface OpenRun {
  readonly run: RunId;
  /** Revision of its `run_requested`. */
  readonly requested: Revision;
  /** Where the relay heard of it. */
  readonly position: Position;
}

/** Everything up to the position is settled, but for the runs that it names. */
export interface RelayCheckpoint {
  readonly logId: string;
  readonly position: Position;
  readonly open: readonly OpenRun[];
}

/** Named at most; where more are open, the position stays before the next one. */
const MAX_OPEN = 1_000;

/**
 * How far the relay got, in a stream of its own. It only spares reading: what was delivered stands in the `delivery-`
 * streams, so a relay without a checkpoint, or with an old one, sends nothing twice.
 */
export class RelayCheckpoints {
  constructor(
    private readonly ports: { readonly log: EventLog; readonly clock: Clock; readonly random: Random },
  ) {}

  /** null: there is none. @throws LogUnavailable */
  async load(): Promise<RelayCheckpoint | null> {
    const { log } = this.ports;
    const last = await lastEventOf(log, STREAM);
    // The streams of the runs say what was delivered: without a checkpoint all of them are read.
    if (last === undefined || last.isUnreadable) return null;
    const data = last.data as RelayCheckpoint;
    return data.logId === log.logId ? data : null;
  }

  /** @throws LogUnavailable */
  async save(position: Position, open: readonly OpenRun[]): Promise<void> {
    const { log, clock, random } = this.ports;
    const oldestFirst = open.toSorted((a, b) => a.position - b.position);
    const next = oldestFirst[MAX_OPEN];
    const data: RelayCheckpoint = {
      logId: log.logId,
      position: next === undefined ? position : Math.min(position, next.position - 1),
      open: oldestFirst.slice(0, MAX_OPEN),
    };
    const meta = { schemaVersion: 1, project: '', actor: 'relay' };
    const event = newEvent({ id: random.uuid(), type: 'relay_checkpointed', time: clock.now(), data }, meta);
    // Of two that are written at once either will do.
    await appendUntilDefinite(log, clock, random, STREAM, [event], { expected: 'any' });
  }
}
