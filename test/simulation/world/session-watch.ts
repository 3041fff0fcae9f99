import {
  NO_SESSION,
  type SessionState,
  asSessionEvent,
  evolveSession,
  isEndType,
  sessionOfRun,
  sessionOfStream,
} from '#domain';
import type { RecordedEvent } from '#event-log';
import type { LogStore } from './log-store.js';

/** Knows what stands on the log, as the read models of a real service would: which sessions have runs to go on with. */
export class SessionWatch {
  private readonly states = new Map<string, SessionState>();
  private readonly openRuns = new Set<string>();
  readonly erased = new Set<string>();

  constructor(store: LogStore) {
    store.listeners.add((events) => events.forEach((event) => this.take(event)));
  }

  get openCount(): number {
    return this.openRuns.size;
  }

  get open(): Iterable<string> {
    return this.openRuns;
  }

  sessions(): IterableIterator<[string, SessionState]> {
    return this.states.entries();
  }

  /** Sessions with a run that runs or waits. */
  unfinished(): string[] {
    const found: string[] = [];
    for (const [id, { current, waiting }] of this.states)
      if (current !== null || waiting.length > 0) found.push(id);
    return found;
  }

  private endAll(session: string): void {
    this.erased.add(session);
    for (const run of this.openRuns) if (sessionOfRun(run) === session) this.openRuns.delete(run);
  }

  private take(event: RecordedEvent): void {
    const session = sessionOfStream(event.stream);
    if (session === null) return;
    const run = event.meta.run ?? '';
    if (event.type === 'run_requested') this.openRuns.add(run);
    else if (isEndType(event.type)) this.openRuns.delete(run);
    else if (event.type === 'session_erased') this.endAll(session);
    this.states.set(session, evolveSession(this.states.get(session) ?? NO_SESSION, asSessionEvent(event)));
  }
}
