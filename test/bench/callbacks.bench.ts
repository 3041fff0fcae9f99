import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FixedToolboxes, ModelClient, type ModelPiece } from '#agent';
import { type Callback, CallbackRelay, HttpCallbackSender, sealCallback, webhookSignature } from '#delivery';
import { asDeliveryEvent } from '#domain';
import { MemoryFileStore, type RecordedEvent, SqliteEventLog } from '#event-log';
import {
  EgressGuard,
  ProcessBackground,
  SecretBox,
  SilentLogger,
  SystemClock,
  SystemRandom,
  readSettings,
} from '#platform';
import { openCore } from '#runs';
import { openReceivers } from './receivers.js';

/**
 * Deliveries per second of 1,000 runs that are started, driven and sent to 50 receivers, against bare signed POSTs of the
 * same bodies by the same sender; and what a receiver that hangs does to the lag of the others.
 */
const RUNS = 1_000;
const RECEIVERS = 50;
/** After one that warms up both sides and does not count. */
const ROUNDS = 5;
const AT_ONCE = 256;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const clock = new SystemClock();
const random = new SystemRandom();
const logger = new SilentLogger();
const guard = new EgressGuard(readSettings({ EGRESS_ALLOW: '127.0.0.1' }).egressAllow);

class ShortModel extends ModelClient {
  override async *stream(): AsyncGenerator<readonly ModelPiece[]> {
    for (const text of ['Six', ' times', ' seven', ' is 42.']) yield [{ kind: 'text' as const, text }];
    const usage = { inputTokens: 10, outputTokens: 5, estimated: false };
    yield [{ kind: 'end' as const, finishReason: 'stop', toolCalls: [], usage }];
  }
}

interface Round {
  readonly deliveries: number;
  readonly perS: number;
  readonly lagP50: number;
  readonly lagP99: number;
}

export async function run(): Promise<void> {
  const rounds: { bare: number; calm: Round; dead: Round }[] = [];
  for (let i = 0; i <= ROUNDS; i += 1) {
    const calm = await measure(0);
    const round = { calm, bare: await bare(calm.deliveries), dead: await measure(1) };
    if (i > 0) rounds.push(round);
  }
  const median = (of: (round: (typeof rounds)[number]) => number): number =>
    rounds.map(of).toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0;
  const [perS, raw] = [median((r) => r.calm.perS), median((r) => r.bare)];
  const [lag, lagDead] = [median((r) => r.calm.lagP50), median((r) => r.dead.lagP50)];
  console.log(`medians of ${ROUNDS} rounds, ${RUNS} runs, ${rounds[0]?.calm.deliveries} deliveries each`);
  console.log(`bare signed POSTs       ${raw.toFixed(0)} /s`);
  console.log(`deliveries, runs included ${perS.toFixed(0)} /s, ${(perS / raw).toFixed(2)} of bare`);
  console.log(`lag p50 ${lag.toFixed(0)} ms, p99 ${median((r) => r.calm.lagP99).toFixed(0)} ms`);
  console.log(
    `with a dead receiver    p50 ${lagDead.toFixed(0)} ms, p99 ${median((r) => r.dead.lagP99).toFixed(0)} ms`,
  );
}

async function bare(count: number): Promise<number> {
  const receivers = await openReceivers(RECEIVERS);
  const sender = new HttpCallbackSender(guard, clock);
  const { signal } = new AbortController();
  const body = '{"type":"agent_response","session":"ses_0123456789abcdef01234567","content":"Six times"}';
  let left = count;
  const since = performance.now();
  const post = async (i: number): Promise<void> => {
    while (left-- > 0) {
      const timestamp = Math.floor(Date.now() / 1000);
      const signature = webhookSignature(SECRET, 'dlv_1', timestamp, body);
      const headers = {
        'content-type': 'application/json',
        'webhook-id': 'dlv_1',
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signature,
      };
      await sender.send({ url: receivers.urls[i % RECEIVERS] ?? '', headers, body }, signal);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => post(i)));
  const perS = (count / (performance.now() - since)) * 1000;
  await sender.close();
  await receivers.close();
  return perS;
}

async function measure(dead: number): Promise<Round> {
  const receivers = await openReceivers(RECEIVERS, dead);
  const folder = mkdtempSync(join(tmpdir(), 'annals-callbacks-'));
  const log = await SqliteEventLog.open({ folder: join(folder, 'log'), logger, reserveBytes: 0 });
  const background = new ProcessBackground(logger);
  const box = new SecretBox(Buffer.alloc(32, 1));
  const files = new MemoryFileStore();
  const ports = { log, files, clock, random, background, logger };
  const core = openCore(
    { ...ports, model: new ShortModel(), toolboxes: new FixedToolboxes([]) },
    {
      models: { flash: 'm', base: 'm', max: 'm' },
      maxRuns: 2_000,
      maxSteps: 5,
      runTimeoutMs: 60_000,
      replica: 'r',
      idempotencySecret: new Uint8Array(32),
    },
  );
  const sender = new HttpCallbackSender(guard, clock);
  const { contents } = core;
  const relay = new CallbackRelay({ ...ports, contents, box, sender, secretOf: () => SECRET, onFatal: fail });
  relay.start();
  const watch = new DeliveryWatch(log);
  const since = performance.now();
  await Promise.all(
    Array.from({ length: RUNS }, (_, i) => {
      const callback: Callback = { url: receivers.urls[i % RECEIVERS] ?? '', headers: {} };
      return core.startRun.start({
        project: 'p',
        actor: 'key_1',
        message: 'What is 6 x 7?',
        mode: 'base',
        config: {},
        callback: sealCallback(box, 'p', callback),
        onBusy: 'enqueue',
        trigger: 'request',
      });
    }),
  );
  const alive = RUNS - Math.ceil((RUNS / RECEIVERS) * dead);
  const ms = (await watch.completed(alive)) - since;
  const result = watch.result(ms);
  watch.stop.abort();
  await relay.stop(0);
  await core.sessions.drain(0);
  await sender.close();
  await log.close();
  await receivers.close();
  rmSync(folder, { recursive: true });
  return result;
}

const fail = (error: unknown): never => {
  throw error;
};

/** When events were written and when their deliveries were recorded. */
class DeliveryWatch {
  readonly stop = new AbortController();
  private readonly written = new Map<string, number>();
  private readonly lags: number[] = [];
  private ended = 0;
  private lastAt = 0;
  private readonly waiters: (() => void)[] = [];

  constructor(log: SqliteEventLog) {
    void this.follow(log);
  }

  async completed(runs: number): Promise<number> {
    while (this.ended < runs) await new Promise<void>((resolve) => this.waiters.push(resolve));
    return this.lastAt;
  }

  result(ms: number): Round {
    const lags = this.lags.toSorted((a, b) => a - b);
    const at = (part: number): number => lags[Math.floor(lags.length * part)] ?? 0;
    return { deliveries: lags.length, perS: (lags.length / ms) * 1000, lagP50: at(0.5), lagP99: at(0.99) };
  }

  private async follow(log: SqliteEventLog): Promise<void> {
    const options = { prefixes: ['session-', 'delivery-'], signal: this.stop.signal };
    for await (const { events } of log.subscribeAll(options)) {
      for (const event of events) this.hear(event);
      for (const wake of this.waiters.splice(0)) wake();
    }
  }

  private hear(event: RecordedEvent): void {
    const run = event.meta.run ?? '';
    if (event.stream.startsWith('session-')) {
      if (event.type.startsWith('agent_')) this.written.set(`${run} ${event.revision}`, event.time);
      return;
    }
    const attempt = asDeliveryEvent(event);
    if (attempt?.type !== 'delivery_attempted' || attempt.data.status !== 204) return;
    const at = this.written.get(`${run} ${attempt.data.revision}`);
    this.lags.push(event.time - (at ?? event.time));
    if (attempt.data.is_last) this.ended += 1;
    this.lastAt = performance.now();
  }
}

if (process.argv[1]?.endsWith('callbacks.bench.js')) await run();
