import {
  type TaskState,
  asSessionEvent,
  asTaskEvent,
  evolveTask,
  lastFiring,
  sessionOfStream,
  taskId,
  taskOfStream,
} from '#domain';
import type { RecordedEvent } from '#event-log';
import type { LogStore } from './log-store.js';

interface Wanted {
  readonly session: string;
  /** Revision of the `run_requested` that wants it. */
  readonly requested: number;
}

/** Knows what stands on the log of tasks, as the read models of a real service would. */
export class TaskWatch {
  readonly states = new Map<string, TaskState>();
  /** Tasks that requests want, made or not. */
  private readonly wanted = new Map<string, Wanted>();
  private readonly runs = new Set<string>();
  private readonly erased = new Set<string>();

  constructor(store: LogStore) {
    store.listeners.add((events) => events.forEach((event) => this.take(event)));
  }

  /** Tasks that are known to clients. */
  get names(): string[] {
    return [...this.wanted.keys()];
  }

  unmade(): Wanted[] {
    return [...this.wanted]
      .filter(([task]) => !this.states.has(task) && !this.isErased(task))
      .map(([, wanted]) => wanted);
  }

  /** Tasks whose session is erased are in no list any more. */
  isErased(task: string): boolean {
    return this.erased.has(this.wanted.get(task)?.session ?? '');
  }

  unstarted(before: number): string[] {
    return [...this.states].flatMap(([task, state]) => {
      const last = lastFiring(state);
      return last !== null && !this.isErased(task) && (last.firedAt ?? 0) < before && !this.runs.has(last.run)
        ? [task]
        : [];
    });
  }

  /** Tasks that have not come to their end. */
  unfinished(): string[] {
    return this.names.filter((task) => {
      if (this.isErased(task)) return false;
      const status = this.states.get(task)?.status ?? 'scheduled';
      return status === 'scheduled' || status === 'paused';
    });
  }

  private take(event: RecordedEvent): void {
    const task = taskOfStream(event.stream);
    if (task !== null) {
      const state = evolveTask(this.states.get(task) ?? null, asTaskEvent(event));
      if (state !== null) this.states.set(task, state);
      return;
    }
    const session = sessionOfStream(event.stream);
    if (session !== null && event.type === 'session_erased') this.erased.add(session);
    if (session === null || event.type !== 'run_requested') return;
    const run = event.meta.run ?? '';
    this.runs.add(run);
    const request = asSessionEvent(event);
    const schedules = request.type === 'run_requested' ? (request.data.schedules ?? []) : [];
    schedules.forEach((_, index) => {
      this.wanted.set(taskId(run, index), { session, requested: event.revision });
    });
  }
}
