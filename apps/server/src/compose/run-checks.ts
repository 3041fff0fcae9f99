import {
  UnknownEventType,
  asSessionEvent,
  isEndType,
  isPublicType,
  sessionOfRun,
  sessionOfStream,
  type SessionId,
} from '#domain';
import type { RecordedEvent } from '#event-log';

/** The highest schema version that this program writes. */
const SCHEMA_VERSION = 1;

/**
 * What the events of sessions must be besides envelopes: of a known type, of a schema that is known, and each run told
 * from its request to exactly one end. Owns the runs that were requested, and which of them have ended.
 */
export class RunChecks {
  private readonly runs = new Map<string, 'requested' | 'started' | 'ended'>();
  private ended = 0;

  /** Runs that have no end yet: they run or wait, or the service has not taken them up again. */
  get unfinished(): number {
    return this.runs.size - this.ended;
  }

  get count(): number {
    return this.runs.size;
  }

  /** Is asked for each event, in the order of the log. */
  readonly check = (event: RecordedEvent): string | undefined => {
    if (event.meta.schemaVersion > SCHEMA_VERSION)
      return `its schema version ${event.meta.schemaVersion} is newer than this program`;
    if (sessionOfStream(event.stream) === null) return undefined;
    try {
      asSessionEvent(event);
    } catch (error) {
      if (error instanceof UnknownEventType) return error.message;
      throw error;
    }
    return this.checkRun(event);
  };

  private checkRun({ type, stream, meta: { run } }: RecordedEvent): string | undefined {
    if (type === 'session_erased') return this.endAll(sessionOfStream(stream));
    const isOfRun = type === 'run_requested' || type === 'run_claimed' || isPublicType(type);
    if (run === undefined) return isOfRun ? `${type} names no run` : undefined;
    const state = this.runs.get(run);
    if (type === 'run_requested') {
      // Its id is the run's: a command that was sent twice is one request.
      if (state === undefined) this.runs.set(run, 'requested');
      return undefined;
    }
    if (!isOfRun) return undefined;
    if (state === undefined) return `${run} was never requested`;
    if (state === 'ended') return `${run} has ended before`;
    if (type === 'run_claimed') return undefined;
    if ((state === 'requested') !== (type === 'agent_started'))
      return state === 'requested' ? `${run} was not started before` : `${run} was started before`;
    this.runs.set(run, isEndType(type) ? 'ended' : 'started');
    if (isEndType(type)) this.ended += 1;
    return undefined;
  }

  /** It is the end of every run that has none. */
  private endAll(session: SessionId | null): undefined {
    for (const [run, state] of this.runs) {
      if (state === 'ended' || sessionOfRun(run) !== session) continue;
      this.runs.set(run, 'ended');
      this.ended += 1;
    }
  }
}
