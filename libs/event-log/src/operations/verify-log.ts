import type { Position, RecordedEvent } from '../envelope.js';
import type { EventLog } from '../event-log.js';
import { faultOfEnvelope } from './envelope-faults.js';

export interface LogFault {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  readonly what: string;
}

/** Knows what events mean, which this library does not: sees each in the order of the log. */
export type EventCheck = (event: RecordedEvent) => string | undefined;

export interface VerifyOptions {
  /** What is asked of every event beside its envelope. Each says the first thing that is wrong. */
  readonly checks?: readonly EventCheck[];
  /** After each page: how far it is, and how far it goes. */
  readonly onProgress?: (position: Position, head: Position) => void;
  /** Faults that are kept; all are counted. */
  readonly maxFaults?: number;
  readonly signal?: AbortSignal;
}

export interface VerifyReport {
  readonly events: number;
  readonly streams: number;
  readonly faultCount: number;
  readonly faults: readonly LogFault[];
}

const MAX_FAULTS = 100;

/**
 * Reads a whole log of any kind and checks that positions rise, that revisions have no gap and no repeat, that each event
 * has an envelope and data, and what the checks ask. It only reads, so it may run beside a service where the log allows two
 * processes; what is appended after it began is not looked at.
 * @throws LogUnavailable
 */
export async function verifyLog(log: EventLog, options: VerifyOptions = {}): Promise<VerifyReport> {
  const { checks = [], onProgress, maxFaults = MAX_FAULTS, signal } = options;
  const head = await log.head();
  const lastRevisions = new Map<string, number>();
  const faults: LogFault[] = [];
  let events = 0;
  let faultCount = 0;
  let before: Position = 0;
  const blame = ({ stream, revision, position }: RecordedEvent, what: string): void => {
    faultCount += 1;
    if (faults.length < maxFaults) faults.push({ stream, revision, position, what });
  };
  for await (const batch of log.readAll()) {
    for (const event of batch.events) {
      if (event.position > head) break;
      events += 1;
      if (event.position <= before) blame(event, `its position does not rise: ${before} comes before it`);
      before = event.position;
      const expected = (lastRevisions.get(event.stream) ?? -1) + 1;
      if (event.revision !== expected) blame(event, `revision ${expected} should come here`);
      lastRevisions.set(event.stream, event.revision);
      const fault = faultOfEnvelope(event);
      if (fault !== undefined) blame(event, fault);
      else for (const what of found(checks, event)) blame(event, what);
    }
    onProgress?.(Math.min(batch.position, head), head);
    if (batch.position >= head || signal?.aborted === true) break;
  }
  return { events, streams: lastRevisions.size, faultCount, faults };
}

function* found(checks: readonly EventCheck[], event: RecordedEvent): Iterable<string> {
  for (const check of checks) {
    const what = check(event);
    if (what !== undefined) yield what;
  }
}
