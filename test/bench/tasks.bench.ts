import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FixedToolboxes } from '#agent';
import { OpenAiModelClient } from '#openai-model';
import { taskId, taskStream } from '#domain';
import { MemoryFileStore } from '#vault';
import { SqliteEventLog, newEvent } from '#event-log';
import { ProcessBackground, SilentLogger, SystemClock, SystemRandom } from '#platform';
import { type ReadModels, openReadModels } from '#read-models';
import { TaskClock, TaskIndex, type TaskSnapshot, openCore } from '#runs';
import { LOCAL_SCHEMAS } from '../support/local-schemas.js';

/** What 100,000 scheduled tasks cost: the start of their clock, memory, and how late a due one fires in an idle process. */
const TASKS = 100_000;
const BATCH = 2_000;
const DUE = 20;
const DUE_EVERY_MS = 200;

const clock = new SystemClock();
const random = new SystemRandom();
const logger = new SilentLogger();
const META = { schemaVersion: 1, project: 'p', actor: 'key_1' };

class ReadModelIndex extends TaskIndex {
  constructor(private readonly models: ReadModels) {
    super();
  }

  override async scheduled(): Promise<TaskSnapshot> {
    const { position } = this.models.follower;
    return { tasks: await this.models.tasks.scheduled(), position };
  }

  override unmade() {
    return this.models.tasks.unmade();
  }

  override unstarted(before: number) {
    return this.models.tasks.unstarted(before);
  }
}

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-tasks-'));
  const log = await SqliteEventLog.open({ folder: join(folder, 'log'), logger, reserveBytes: 0 });
  const files = new MemoryFileStore();
  const background = new ProcessBackground(logger);
  const metadataSecret = new Uint8Array(32);
  const ports = { log, files, clock, random, background, logger, metadataSecret };
  const models = openReadModels({ ...ports, folder: join(folder, 'postgres') });
  try {
    await models.ready;
    await fill(log);
    await models.follower.reached(await log.head());
    await measure(ports, models);
  } finally {
    await models.close();
    await log.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

type Ports = Omit<Parameters<typeof openCore>[0], 'model' | 'toolboxes' | 'schemas'>;

async function measure(ports: Ports, models: ReadModels): Promise<void> {
  const core = openCore(
    {
      ...ports,
      model: new OpenAiModelClient({ baseUrl: 'http://127.0.0.1:9/v1', apiKey: '' }),
      toolboxes: new FixedToolboxes([]),
      schemas: LOCAL_SCHEMAS,
    },
    {
      models: { flash: 'm', base: 'm', max: 'm' },
      maxRuns: 100,
      maxSteps: 5,
      runTimeoutMs: 60_000,
      replica: 'r',
      idempotencySecret: new Uint8Array(32),
    },
  );
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const { maker, firings } = core;
  const tasks = new TaskClock({
    ...ports,
    onFatal: (error) => console.error(error),
    maker,
    firings,
    index: new ReadModelIndex(models),
  });
  const since = performance.now();
  tasks.start();
  while (tasks.size < TASKS) await sleep(5);
  const startMs = performance.now() - since;
  await sleep(500);
  globalThis.gc?.();
  const megabytes = (process.memoryUsage().rss - before) / 1024 / 1024;
  console.log(`${TASKS} tasks: the clock starts in ${startMs.toFixed(0)} ms, ${megabytes.toFixed(0)} MB`);
  await measureDue(ports, core);
  await tasks.stop();
  await core.sessions.drain(0);
}

async function measureDue({ log }: Ports, core: ReturnType<typeof openCore>): Promise<void> {
  const schedules = Array.from({ length: DUE }, (_, i) => ({
    schedule: new Date(Date.now() + 1_000 + i * DUE_EVERY_MS).toISOString(),
    message: 'm',
  }));
  const terms = {
    project: 'p',
    actor: 'key_1',
    mode: 'base',
    onBusy: 'enqueue',
    trigger: 'request',
  } as const;
  const { tasks } = await core.startRun.start({ ...terms, message: 'm', config: {}, schedules });
  await sleep(1_500 + DUE * DUE_EVERY_MS);
  const lates: number[] = [];
  for (const task of tasks) {
    for await (const page of log.readStream(taskStream(task))) {
      for (const { type, data, time } of page)
        if (type === 'task_fired') lates.push(time - (data as { slot: number }).slot);
    }
  }
  lates.sort((a, b) => a - b);
  console.log(
    `${lates.length} due tasks fired: p50 ${lates[lates.length >> 1]} ms late, max ${lates.at(-1)} ms`,
  );
}

async function fill(log: SqliteEventLog): Promise<void> {
  const schedule = { kind: 'cron', expression: '0 9 * * 1-5', timezone: 'Europe/Berlin' } as const;
  const next_at = Date.now() + 7 * 86_400_000;
  for (let from = 0; from < TASKS; from += BATCH) {
    await Promise.all(
      Array.from({ length: BATCH }, (_, i) => {
        const [session, run] = ['ses_bench', `run_ses_bench_${from + i}`];
        const task = taskId(run, 0);
        const given = {
          given: '0 9 * * 1-5',
          timezone: 'Europe/Berlin',
          schedule,
          next_at: next_at + from + i,
        };
        const data = { ...given, message: 'What is new today?', task, session, run, requested: 1 };
        const event = { id: random.uuid(), type: 'task_scheduled', time: Date.now(), data };
        return log.append(taskStream(task), [newEvent(event, META)], { expected: 'no_stream' });
      }),
    );
  }
}

if (process.argv[1]?.endsWith('tasks.bench.js')) await run();
