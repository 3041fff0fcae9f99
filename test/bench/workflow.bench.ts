import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FixedToolboxes, ModelClient, type ModelPiece, type ModelRequest, PARALLEL_STEPS } from '#agent';
import { type Workflow, isEndType, sessionStream } from '#domain';
import { MemoryFileStore } from '#vault';
import { SqliteEventLog } from '#event-log';
import { ProcessBackground, SilentLogger, SystemClock, SystemRandom } from '#platform';
import { type Core, openCore } from '#runs';
import { LOCAL_SCHEMAS } from '../support/local-schemas.js';

/**
 * A run with one workflow of steps that do not depend on each other, on the embedded log with all its syncs, against what
 * the model alone would take with so many of them at once.
 */
const STEPS = 50;
const STEP_MS = 100;
const ROUNDS = 7;
const IDEAL_MS = (STEP_MS * STEPS) / PARALLEL_STEPS;

const workflow: Workflow = {
  id: 'w',
  name: 'Work',
  description: 'what there is to do',
  steps: Array.from({ length: STEPS }, (_, i) => ({
    id: `s${i}`,
    name: `Step ${i}`,
    description: `do ${i}`,
    depends_on: [],
  })),
};
const CALL = { id: 'c1', name: 'run_workflow', arguments: '{"workflow_id":"w"}' };
const USAGE = { inputTokens: 100, outputTokens: 10, estimated: false };

/** Calls the workflow, takes its time in each step, and says that all is done. */
class SteadyModel extends ModelClient {
  override async *stream(
    { messages, tools }: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ModelPiece[]> {
    const isMain = tools.length > 0;
    if (isMain && messages.at(-1)?.role === 'user') {
      yield [end(CALL)];
      return;
    }
    if (!isMain) await sleep(STEP_MS, undefined, { signal });
    yield [{ kind: 'text', text: 'done' }, end()];
  }
}

const end = (...toolCalls: (typeof CALL)[]): ModelPiece => ({
  kind: 'end',
  finishReason: 'stop',
  toolCalls,
  usage: USAGE,
});

export async function run(folder = process.cwd()): Promise<void> {
  const scratch = mkdtempSync(join(folder, '.bench-workflow-'));
  const logger = new SilentLogger();
  const log = await SqliteEventLog.open({ folder: join(scratch, 'log'), logger, reserveBytes: 0 });
  try {
    const core = coreOf(log);
    await measure(core, log);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(await measure(core, log));
    report(times.toSorted((a, b) => a - b));
  } finally {
    await log.close();
    rmSync(scratch, { recursive: true });
  }
}

function coreOf(log: SqliteEventLog): Core {
  const logger = new SilentLogger();
  return openCore(
    {
      log,
      logger,
      files: new MemoryFileStore(),
      model: new SteadyModel(),
      toolboxes: new FixedToolboxes([]),
      schemas: LOCAL_SCHEMAS,
      clock: new SystemClock(),
      random: new SystemRandom(),
      background: new ProcessBackground(logger),
    },
    {
      models: { flash: 'm', base: 'm', max: 'm' },
      maxRuns: 10,
      maxSteps: 25,
      runTimeoutMs: 600_000,
      replica: 'bench',
      idempotencySecret: new Uint8Array(32),
    },
  );
}

/** Milliseconds from the first step's start to the last one's end. */
async function measure(core: Core, log: SqliteEventLog): Promise<number> {
  const { session } = await core.startRun.start({
    project: 'bench',
    actor: 'key_1',
    message: 'go',
    mode: 'base',
    config: { workflows: [workflow] },
    onBusy: 'enqueue',
    trigger: 'request',
  });
  const stop = new AbortController();
  let since = 0;
  let until = 0;
  let completed = 0;
  for await (const events of log.subscribeStream(sessionStream(session), { signal: stop.signal })) {
    for (const { type } of events) {
      if (type === 'workflow_attempt_started') since ||= performance.now();
      if (type === 'workflow_step_completed') completed++;
      if (type === 'workflow_step_completed') until = performance.now();
      if (isEndType(type)) stop.abort();
    }
    if (stop.signal.aborted) break;
  }
  if (completed !== STEPS) throw new Error(`${completed} of ${STEPS} steps were completed`);
  return until - since;
}

function report(times: readonly number[]): void {
  const median = times[times.length >> 1] ?? 0;
  console.log(`workflow of ${STEPS} parallel steps, ${STEP_MS} ms each, ${PARALLEL_STEPS} at once`);
  console.log(`medians of ${ROUNDS} rounds                    ms   of ideal`);
  console.log(`${STEP_MS} ms x ${STEPS} / ${PARALLEL_STEPS}`.padEnd(32) + IDEAL_MS.toFixed(0).padStart(10));
  for (const [name, ms] of [
    ['first start to last end', median],
    ['slowest round', times.at(-1) ?? 0],
  ] as const)
    console.log(name.padEnd(32) + ms.toFixed(0).padStart(10) + (ms / IDEAL_MS).toFixed(2).padStart(11));
}

if (process.argv[1]?.endsWith('workflow.bench.js')) await run(process.argv[2]);
