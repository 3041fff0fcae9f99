import type { Revision, StreamName } from '#domain';
import type { Position, RecordedEvent } from '../envelope.js';
import type { EventLog } from '../event-log.js';
import type { ContentKeys } from '../sealing/content-keys.js';
import { faultOfEnvelope } from './envelope-faults.js';
import { ProofChecks } from './proof-checks.js';

export interface LogFault {
  readonly stream: StreamName;
  readonly revision: Revision;
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
  /** Then commitments and chains are checked, too. */
  readonly keys?: ContentKeys;
  readonly signal?: AbortSignal;
}

export interface VerifyReport {
  readonly events: number;
  readonly streams: number;
  /** Events whose content was compared with what they commit to. */
  readonly proven: number;
  /** Events whose content is erased. */
  readonly erased: number;
  readonly faultCount: number;
  readonly faults: readonly LogFault[];
}

const MAX_FAULTS = 100;

/**
 * Reads a whole log of any kind and checks that positions rise, that revisions have no gap and no repeat, that each event
 * has an envelope and data, that it is what its commitment and its stream's chain say, and what the checks ask. Faults are
 * told in the order of the log. It only reads, so it may run beside a service where the log allows two
 * processes; what is appended after it began is not looked at.
 * @throws LogUnavailable
 */
export async function verifyLog(log: EventLog, options: VerifyOptions = {}): Promise<VerifyReport> {
  const { checks = [], onProgress, maxFaults = MAX_FAULTS, signal, keys } = options;
  const proofs = keys === undefined ? null : new ProofChecks(keys);
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
  for await (const batch of log.readAll({ isRaw: proofs !== null })) {
    const opened = proofs === null ? batch.events : await proofs.open(batch.events);
    for (const event of opened) {
      if (event.position > head) break;
      events += 1;
      if (event.position <= before) blame(event, `its position does not rise: ${before} comes before it`);
      before = event.position;
      const expected = (lastRevisions.get(event.stream) ?? -1) + 1;
      if (event.revision !== expected) blame(event, `revision ${expected} should come here`);
      lastRevisions.set(event.stream, event.revision);
      for (const { event: blamed, what } of proofs?.push(event) ?? []) blame(blamed, what);
      const fault = faultOfEnvelope(event);
      if (fault !== undefined) blame(event, fault);
      else for (const what of found(checks, event)) blame(event, what);
    }
    onProgress?.(Math.min(batch.position, head), head);
    if (batch.position >= head || signal?.aborted === true) break;
  }
  for (const { event, what } of proofs?.end() ?? []) blame(event, what);
  const { proven = 0, erased = 0 } = proofs ?? {};
  faults.sort((a, b) => a.position - b.position);
  return { events, streams: lastRevisions.size, proven, erased, faultCount, faults };
}

function* found(checks: readonly EventCheck[], event: RecordedEvent): Iterable<string> {
  for (const check of checks) {
    const what = check(event);
    if (what !== undefined) yield what;
  }
}
