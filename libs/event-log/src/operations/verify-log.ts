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

/**
 * Domain check of an event, called in log order, since this library does not know what events mean. Returns
 * the fault; undefined: none.
 */
export type EventCheck = (event: RecordedEvent) => string | undefined;

export interface VerifyOptions {
  /** Domain checks of every event. Each reports the first fault that it finds. */
  readonly checks?: readonly EventCheck[];
  /** Progress, after each page. */
  readonly onProgress?: (position: Position, head: Position) => void;
  /** Faults that are returned; all are counted. */
  readonly maxFaults?: number;
  /** Keys, to verify commitments and hash chains as well. */
  readonly keys?: ContentKeys;
  readonly signal?: AbortSignal;
}

export interface VerifyReport {
  readonly events: number;
  readonly streams: number;
  /** Events whose content matched its commitment. */
  readonly proven: number;
  /** Events whose content is erased. */
  readonly erased: number;
  readonly faultCount: number;
  readonly faults: readonly LogFault[];
}

const MAX_FAULTS = 100;

/**
 * Verifies a whole log of any adapter: positions rise, revisions are contiguous and unique, each event has an
 * envelope and data and matches its commitment and hash chain, and `checks` pass. Faults come in log order.
 * Read-only, so it can run beside a service where the log allows two processes; later appends are not looked
 * at.
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
