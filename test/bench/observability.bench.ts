import { mkdtempSync, rmSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FixedToolboxes, ModelClient, type ModelPiece } from '#agent';
import { MemoryFileStore } from '#vault';
import { SqliteEventLog } from '#event-log';
import { ProcessBackground, SilentLogger, SystemClock, SystemRandom } from '#platform';
import { type Core, openCore } from '#runs';
import { type Observability, openObservability } from '../../apps/server/src/observability/observability.js';
import { median } from '../support/median.js';
import { LOCAL_SCHEMAS } from '../support/local-schemas.js';

/** What it costs to look on: CPU per run of 50 tokens without figures, with them, and with traces, by turns. */
const RUNS = 400;
const AT_ONCE = 50;
const ROUNDS = 7;
const TOKENS = 50;

const clock = new SystemClock();
const random = new SystemRandom();
const logger = new SilentLogger();

class Words extends ModelClient {
  override async *stream(): AsyncGenerator<readonly ModelPiece[]> {
    for (let n = 0; n < TOKENS; n++) {
      yield [{ kind: 'text' as const, text: ' word' }];
      if (n % 10 === 0) await new Promise(setImmediate);
    }
    const usage = { inputTokens: 10, outputTokens: TOKENS, estimated: false };
    yield [{ kind: 'end' as const, finishReason: 'stop', toolCalls: [], usage }];
  }
}

interface Variant {
  readonly name: string;
  readonly core: Core;
  readonly tracer: Observability['tracer'];
  readonly close: () => Promise<void>;
  readonly cpuMs: number[];
}

export async function run(): Promise<void> {
  const collector = await startCollector();
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const variants = [
    await open('nobody looks on', null),
    await open('figures', await openObservability({ otelEndpoint: null, openai: null }, logger)),
    await open('figures, traces', await openObservability({ otelEndpoint: endpoint, openai: null }, logger)),
  ];
  try {
    for (const variant of variants) await round(variant);
    for (let n = 0; n < ROUNDS; n++)
      for (const variant of n % 2 === 0 ? variants : variants.toReversed())
        variant.cpuMs.push(await round(variant));
    report(variants);
  } finally {
    for (const { close } of variants) await close();
    collector.closeAllConnections();
    collector.close();
  }
}

async function open(name: string, observability: Observability | null): Promise<Variant> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-look-'));
  const sqlite = await SqliteEventLog.open({ folder, logger, reserveBytes: 0 });
  const log = observability === null ? sqlite : observability.ofLog(sqlite);
  const core = openCore(
    {
      log,
      files: new MemoryFileStore(),
      model: new Words(),
      toolboxes: new FixedToolboxes([]),
      schemas: LOCAL_SCHEMAS,
      clock,
      random,
      background: new ProcessBackground(logger),
      logger,
      ...(observability === null ? {} : { watch: observability.runs }),
    },
    {
      models: { flash: 'm', base: 'm', max: 'm' },
      maxRuns: 1_000,
      maxSteps: 25,
      runTimeoutMs: 600_000,
      replica: 'bench',
      idempotencySecret: new Uint8Array(32),
    },
  );
  const close = async (): Promise<void> => {
    await sqlite.close();
    await observability?.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
  return { name, core, tracer: observability?.tracer ?? null, close, cpuMs: [] };
}

/** CPU time of the process for each run, in ms; the log's thread and the sending of spans included. */
async function round({ core, tracer }: Variant): Promise<number> {
  globalThis.gc?.();
  const since = process.cpuUsage();
  let left = RUNS;
  const drive = async (): Promise<void> => {
    while (left-- > 0) {
      const span = tracer?.start({ name: 'POST /', kind: 'server', parent: '' });
      await core.startRun.start({
        project: 'p',
        actor: 'key_1',
        message: 'Say fifty words.',
        mode: 'base',
        config: { streaming_tokens: true },
        onBusy: 'enqueue',
        trigger: 'request',
        ...(span ? { traceparent: span.traceparent } : {}),
      });
      while (core.admission.running > AT_ONCE) await sleep(1);
      span?.end();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, drive));
  while (core.sessions.active().length > 0) await sleep(5);
  if (tracer) await sleep(1_500);
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000 / RUNS;
}

function startCollector(): Promise<Server> {
  const server = createServer((incoming, response) => {
    incoming.resume().once('end', () => response.writeHead(200).end('{}'));
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

function report(variants: readonly Variant[]): void {
  const [plain] = variants;
  console.log(
    `CPU per run of ${TOKENS} tokens, ${ROUNDS} rounds of ${RUNS} runs; ratio: median of the rounds`,
  );
  for (const { name, cpuMs } of variants) {
    const ratios = cpuMs.map((ms, n) => ms / (plain?.cpuMs[n] ?? ms));
    console.log(`${name.padEnd(18)} ${median(cpuMs).toFixed(3)} ms  ${median(ratios).toFixed(3)}`);
  }
}
