import { sessionStream } from '#domain';
import { type RecordedEvent, newEvent } from '#event-log';
import type { StartedRun } from '#runs';
import { CountingRandom } from './counting-random.js';
import type { House } from './house.js';
import type { TempLog } from './temp-log.js';

/** Lets the house's log take what it was given so far, so that the next event begins an append of its own. */
export async function written(house: House): Promise<void> {
  await new Promise(setImmediate);
  for (const session of house.core.sessions.active())
    while (!session.journal.isQuiet) await new Promise(setImmediate);
}

/** Lets time pass as fast as it is waited for, up to `mostMs` at once, until the promise is settled. */
export async function passing<T>(house: House, promise: Promise<T>, mostMs = 5_000): Promise<T> {
  const over = { is: false };
  const settled = promise.finally(() => (over.is = true));
  while (!over.is) {
    const [next] = house.clock.pending;
    if (next !== undefined && next <= mostMs) house.clock.advance(next);
    await new Promise(setImmediate);
  }
  return settled;
}

/** A run as it went without a fault, from whose beginnings other processes go on. */
export class RecordedRun {
  private copies = 0;

  private constructor(
    private readonly temp: TempLog,
    readonly started: StartedRun,
    readonly events: readonly RecordedEvent[],
  ) {}

  static async of(temp: TempLog, started: StartedRun): Promise<RecordedRun> {
    return new RecordedRun(temp, started, await temp.read(sessionStream(started.session)));
  }

  /** How many events may stand on the log when a process ends, from the run's start on: all that is written together is there. */
  get boundaries(): number[] {
    const { events } = this;
    const starts = [...events.keys()].filter((at) => at > 3 && !isWithBefore(events[at]?.type ?? ''));
    return [...starts, events.length];
  }

  /** Copies the first `length` events into a session of their own. */
  async copy(length: number): Promise<StartedRun> {
    this.copies++;
    const { temp, started, events } = this;
    const session = `${started.session}x${this.copies}`;
    const renamed = <T>(value: T): T =>
      JSON.parse(JSON.stringify(value).replaceAll(started.session, session)) as T;
    const random = new CountingRandom(session);
    const copies = events
      .slice(0, length)
      .map(({ type, time, data, meta }) =>
        newEvent({ id: random.uuid(), type, time, data: renamed(data) }, renamed(meta)),
      );
    await temp.log.append(sessionStream(session), copies, { expected: 'no_stream' });
    return { ...started, session, run: renamed(started.run) };
  }
}

/** Whether events of this type are written together with the one before. */
const isWithBefore = (type: string): boolean =>
  [
    'agent_tool_use_start',
    'agent_tool_use',
    'agent_handoff',
    'agent_workflow_step',
    'workflow_tool_responded',
    'agent_completed',
    'agent_error',
  ].includes(type);
