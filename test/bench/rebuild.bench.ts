import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sessionStream } from '#domain';
import { type EventLog, type EventMeta, type NewEvent, newEvent, SqliteEventLog } from '#event-log';
import { MemoryFileStore } from '#vault';
import { ProcessBackground, SilentLogger, SystemClock, SystemRandom } from '#platform';
import { openReadModels, type ReadModels, rebuildReadModels } from '#read-models';
import { wholeHistory } from '../support/whole-history.js';

/**
 * What the read models cost: filling them from a log of 100,000 events, projecting 200 runs that stream at once, and
 * reading the history of a session with 200 turns. CPU is that of this process; PostgreSQL has its own.
 */
const EVENTS = 100_000;
const LIVE_RUNS = 200;
const LIVE_ROUNDS = 100;
const TURNS = 200;
const READS = 50;

const logger = new SilentLogger();
const random = new SystemRandom();
const background = new ProcessBackground(logger);

interface Bench {
  readonly log: EventLog;
  readonly options: Parameters<typeof openReadModels>[0];
}

/** A rebuild from a log of so many events, read models in a database of its own. */
export async function rebuildFrom(log: EventLog, folder: string, events = EVENTS): Promise<void> {
  const options = optionsFor(log, folder);
  await fill(log, events);
  await measureRebuild({ log, options });
}

const optionsFor = (log: EventLog, folder: string): Bench['options'] => ({
  folder: join(folder, 'postgres'),
  log,
  files: new MemoryFileStore(),
  metadataSecret: new Uint8Array(32),
  logger,
  background,
  random,
  clock: new SystemClock(),
});

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-bench-'));
  const log = await SqliteEventLog.open({ folder: join(folder, 'log'), logger });
  const options = optionsFor(log, folder);
  const bench: Bench = { log, options };
  try {
    await fill(log, EVENTS);
    await measureFirstFill(bench);
    await measureRebuild(bench);
    const models = openReadModels(options);
    await models.ready;
    await models.caughtUp();
    const together = await report('appending and projecting live', async () => {
      const count = await stream(log, 'with');
      await models.caughtUp();
      return count;
    });
    await measureHistory(log, models);
    await models.close();
    const alone = await report('appending alone', () => stream(log, 'without'));
    console.log(`projecting live costs ${(together - alone).toFixed(1)} µs CPU an event`);
  } finally {
    await log.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

async function measureFirstFill({ log, options }: Bench): Promise<void> {
  const models = openReadModels(options);
  const started = performance.now();
  await models.ready;
  console.log(`first start: ${(performance.now() - started).toFixed(0)} ms`);
  await report('projection of a new database', async () => {
    await models.follower.reached(await log.head());
    return EVENTS;
  });
  await models.close();
}

async function measureRebuild({ options }: Bench): Promise<void> {
  await report('rebuild', async () => (await rebuildReadModels(options)).events);
}

/** 200 runs that stream: each round appends one piece to each of them. */
async function stream(log: EventLog, name: string): Promise<number> {
  const runs = Array.from({ length: LIVE_RUNS }, (_, i) => new BenchRun(`ses_${name}${i}`));
  let count = 0;
  const appendAll = (of: (run: BenchRun) => NewEvent[]) =>
    Promise.all(
      runs.map(async (run) => {
        const events = of(run);
        count += events.length;
        await log.append(sessionStream(run.session), events, { expected: 'any' });
      }),
    );
  await appendAll((run) => run.begin(0));
  for (let round = 0; round < LIVE_ROUNDS; round++) await appendAll((run) => run.text(1));
  await appendAll((run) => run.end());
  return count;
}

async function measureHistory(log: EventLog, models: ReadModels): Promise<void> {
  const session = 'ses_history';
  for (let turn = 0; turn < TURNS; turn++) await appendRun(log, new BenchRun(session, turn), 20);
  await models.caughtUp();
  const times: number[] = [];
  let messages = 0;
  for (let i = 0; i < READS; i++) {
    const since = performance.now();
    messages = (await wholeHistory(models.history, 'bench', session)).length;
    times.push(performance.now() - since);
  }
  times.sort((a, b) => a - b);
  const [p50, max] = [times[READS >> 1], times.at(-1)].map((ms) => ms?.toFixed(2));
  console.log(`history of ${TURNS} turns, ${messages} messages: p50 ${p50} ms, max ${max} ms`);
}

/** Sessions of four runs that stream 40 pieces each, as many at once as a busy service has. */
async function fill(log: EventLog, events: number): Promise<void> {
  const perRun = 40 + 13;
  const sessions = Math.ceil(events / perRun / 4);
  for (let turn = 0; turn < 4; turn++)
    for (let i = 0; i < sessions; i += LIVE_RUNS)
      await Promise.all(
        Array.from({ length: LIVE_RUNS }, (_, j) =>
          appendRun(log, new BenchRun(`ses_fill${i + j}`, turn), 40),
        ),
      );
}

async function appendRun(log: EventLog, run: BenchRun, pieces: number): Promise<void> {
  const stream = sessionStream(run.session);
  const result = await log.append(stream, run.begin(run.turn === 0 ? 0 : run.turn * 1_000), {
    expected: 'any',
  });
  if (result.kind === 'conflict') throw new Error('the append met a conflict');
  for (let i = 0; i < pieces; i += 10) await log.append(stream, run.text(10), { expected: 'any' });
  await log.append(stream, run.end(), { expected: 'any' });
}

/** The events of one run: a message, some thinking, a tool call and a streamed answer. */
class BenchRun {
  private readonly meta: EventMeta;

  constructor(
    readonly session: string,
    readonly turn = 0,
  ) {
    this.meta = { schemaVersion: 1, project: 'bench', actor: 'key_1', run: `run_${session}_${turn}` };
  }

  begin(requested: number): NewEvent[] {
    const message = 'What is 6 x 7, and why is that so?';
    const request = { message, mode: 'base', model: 'demo', config: {}, trigger: 'request', replica: 'r1' };
    return [
      ...(this.turn === 0 ? [this.event('session_opened', {})] : []),
      this.event('run_requested', request),
      this.event('run_claimed', { worker: 'w1', epoch: 1, requested }),
      this.event('agent_started', {}),
      this.event('agent_tool_use_start', {}),
      this.event('agent_tool_use', { content: '{"tool":"multiply","input":{"a":6,"b":7}}' }),
      this.event('agent_response_start', {}),
    ];
  }

  text(pieces: number): NewEvent[] {
    return Array.from({ length: pieces }, () =>
      this.event('agent_response', { content: ' and so it goes on' }),
    );
  }

  end(): NewEvent[] {
    const usage = { input_tokens: 10, output_tokens: 5 };
    return [
      this.event('model_turn_completed', { usage, cost: '0.001', finish_reason: 'stop' }),
      this.event('agent_step', { step: '1' }),
      this.event('agent_cost', { cost: '0.001' }),
      this.event('agent_completed', {}),
    ];
  }

  private event(type: string, data: object): NewEvent {
    return newEvent({ id: random.uuid(), type, time: 1_763_715_600_000, data }, this.meta);
  }
}

/** Runs it, says how fast it was; returns the CPU per event in µs. */
async function report(what: string, work: () => Promise<number>): Promise<number> {
  const cpu = process.cpuUsage();
  const since = performance.now();
  const events = await work();
  const ms = performance.now() - since;
  const { user, system } = process.cpuUsage(cpu);
  const perEvent = (user + system) / events;
  console.log(
    `${what}: ${((events / ms) * 1_000).toFixed(0)} events/s, ${perEvent.toFixed(1)} µs CPU an event, all threads`,
  );
  return perEvent;
}

if (process.argv[1]?.endsWith('rebuild.bench.js')) await run();
