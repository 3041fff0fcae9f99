import { FixedToolboxes } from '#agent';
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
import { type AppendResult, type Expected, type NewEvent, type RecordedEvent } from '#event-log';
import { type FileStore } from '#vault';
import { type Attempts, CountedWork, ProcessBackground, SilentLogger } from '#platform';
import { type AcceptedRun, type Core, type ScheduleWish, TaskClock, TaskIndex, openCore } from '#runs';
import { CountingRandom } from './counting-random.js';
import type { ManualClock } from './manual-clock.js';
import { type ClientStep, ScriptedClient, done, text } from './scripted-client.js';
import { ScriptedLog } from './scripted-log.js';
import type { TempLog } from './temp-log.js';
import { LOCAL_SCHEMAS } from './local-schemas.js';

const never = new Promise<never>(() => undefined);

/** A log that others write to, of a process that may die at an append: before it is stored, or after. */
class MortalLog extends ScriptedLog {
  isDead = false;
  count = 0;
  /** Dies at its n-th append. */
  diesAt = Infinity;
  diesStored = false;

  override get exclusive(): boolean {
    return false;
  }

  override async append(
    stream: string,
    events: readonly NewEvent[],
    options: { expected: Expected },
  ): Promise<AppendResult> {
    if (this.isDead) return never;
    this.count += 1;
    if (this.count < this.diesAt) return super.append(stream, events, options);
    this.isDead = true;
    if (this.diesStored) await super.append(stream, events, options);
    return never;
  }
}

/** Looks tasks up in the log itself. */
class LogTaskIndex extends TaskIndex {
  constructor(private readonly temp: TempLog) {
    super();
  }

  override async scheduled() {
    const { tasks, position } = await readTasks(this.temp);
    const found = [...tasks.values()].flatMap(({ state }) => {
      if (state === null || state.nextAt === null) return [];
      return [{ task: state.definition.task, nextAt: state.nextAt, revision: state.revision }];
    });
    return { tasks: found, position };
  }

  override async unmade() {
    const { tasks } = await readTasks(this.temp);
    return [...tasks.values()].filter(({ state }) => state === null);
  }

  override async unstarted(before: number) {
    const { tasks, runs } = await readTasks(this.temp);
    return [...tasks].flatMap(([task, { state }]) => {
      const last = state === null ? null : lastFiring(state);
      return last !== null && (last.firedAt ?? 0) < before && !runs.has(last.run) ? [task] : [];
    });
  }
}

interface SeenTask {
  readonly session: string;
  readonly requested: number;
  state: TaskState | null;
}

export interface SeenTasks {
  readonly tasks: Map<string, SeenTask>;
  /** How often each run was requested. */
  readonly runs: Map<string, number>;
  readonly events: readonly RecordedEvent[];
  readonly position: number;
}

/** All that the log says of tasks and runs. */
export async function readTasks(temp: TempLog): Promise<SeenTasks> {
  const tasks = new Map<string, SeenTask>();
  const runs = new Map<string, number>();
  const events: RecordedEvent[] = [];
  let position = 0;
  for await (const batch of temp.log.readAll()) {
    position = batch.position;
    for (const event of batch.events) {
      events.push(event);
      const task = taskOfStream(event.stream);
      const session = sessionOfStream(event.stream);
      if (task !== null) {
        const seen = tasks.get(task);
        if (seen !== undefined) seen.state = evolveTask(seen.state, asTaskEvent(event));
      }
      if (session === null || event.type !== 'run_requested') continue;
      const requested = asSessionEvent(event);
      const run = event.meta.run ?? '';
      runs.set(run, (runs.get(run) ?? 0) + 1);
      const schedules = requested.type === 'run_requested' ? (requested.data.schedules ?? []) : [];
      schedules.forEach((_, index) =>
        tasks.set(taskId(run, index), { session, requested: event.revision, state: null }),
      );
    }
  }
  return { tasks, runs, events, position };
}

export interface TaskHouseOptions {
  /** Names the process. */
  readonly boot: string;
  readonly maxRuns?: number;
  /** Whether a key may still act; absent: always. */
  readonly mayAct?: (keyId: string) => boolean;
  readonly script?: () => ClientStep[];
  readonly attempts?: Attempts;
}

/** A process with the core and the clock of the tasks, on a log that it shares. */
export class TaskHouse {
  readonly log: MortalLog;
  readonly core: Core;
  readonly clockwork: TaskClock;
  readonly errors: object[] = [];
  readonly warnings: string[] = [];

  /** @param maxRuns runs that are driven at the same time */
  constructor(
    temp: TempLog,
    clock: ManualClock,
    files: FileStore,
    { boot, maxRuns = 100, script = () => [text('ok'), done()], mayAct, attempts }: TaskHouseOptions,
  ) {
    this.log = new MortalLog(temp.log);
    const { errors, warnings } = this;
    class Errors extends SilentLogger {
      override error(fields?: object): void {
        if (fields) errors.push(fields);
      }

      override warn(_?: object, message = ''): void {
        warnings.push(message);
      }
    }
    const logger = new Errors();
    const background = new ProcessBackground(logger);
    const { log } = this;
    const model = new ScriptedClient(script);
    const ports = { log, files, model, clock, background, logger, toolboxes: new FixedToolboxes([]) };
    this.core = openCore(
      {
        ...ports,
        schemas: LOCAL_SCHEMAS,
        random: new CountingRandom(boot, 0.5),
        counted: new CountedWork(attempts),
      },
      {
        models: { flash: 'm', base: 'm', max: 'm' },
        maxRuns,
        maxSteps: 5,
        runTimeoutMs: 600_000,
        replica: boot,
        idempotencySecret: new Uint8Array(32),
        ...(mayAct === undefined ? {} : { mayAct }),
      },
    );
    const { maker, firings } = this.core;
    this.clockwork = new TaskClock({
      ...ports,
      random: new CountingRandom(boot, 0.5),
      onFatal: (error) => errors.push({ error }),
      maker,
      firings,
      index: new LogTaskIndex(temp),
    });
  }

  start(schedules: readonly ScheduleWish[]): Promise<AcceptedRun> {
    const terms = {
      project: 'p',
      actor: 'key_1',
      mode: 'base',
      onBusy: 'enqueue',
      trigger: 'request',
    } as const;
    return this.core.startRun.start({ ...terms, message: 'm', config: { system: 's' }, schedules });
  }

  /** From one instant to the next. */
  kill(): void {
    this.log.isDead = true;
    void this.clockwork.stop();
  }

  /** The test is over. */
  leave(): void {
    void this.clockwork.stop();
  }
}
