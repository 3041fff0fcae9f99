import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FixedToolboxes, ModelClient, type ModelPiece } from '#agent';
import {
  type Callback,
  CallbackRelay,
  type CallbackRequest,
  CallbackSender,
  HttpCallbackSender,
  type SendOutcome,
  sealCallback,
  webhookSignature,
} from '#delivery';
import { asDeliveryEvent, isEndType } from '#domain';
import { MemoryFileStore } from '#vault';
import { SqliteEventLog } from '#event-log';
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
import { median } from '../support/median.js';
import { openReceivers } from './receivers.js';
import { LOCAL_SCHEMAS } from '../support/local-schemas.js';

/**
 * Deliveries per second of 1,000 runs that are started, driven and sent to 50 receivers, against bare signed POSTs of the
 * same requests by the same sender; and what a receiver that hangs does to the lag of the others.
 */
const RUNS = 1_000;
const RECEIVERS = 50;
/** After one that warms up both sides and does not count. */
const ROUNDS = 5;
/** Of bare ones: as many as the relay has under way, eight a receiver. */
const AT_ONCE = 8 * RECEIVERS;
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
  readonly requests: readonly CallbackRequest[];
  readonly perS: number;
  readonly lagP50: number;
  readonly lagP99: number;
}

export async function run(): Promise<void> {
  const rounds: { bare: number; calm: Round; dead: Round }[] = [];
  for (let i = 0; i <= ROUNDS; i += 1) {
    const calm = await measure(0);
    const round = { calm, bare: await bare(calm.requests), dead: await measure(1) };
    if (i > 0) rounds.push(round);
  }
  const medianOf = (of: (round: (typeof rounds)[number]) => number): number => median(rounds.map(of));
  const [perS, raw] = [medianOf((r) => r.calm.perS), medianOf((r) => r.bare)];
  const [lag, lagDead] = [medianOf((r) => r.calm.lagP50), medianOf((r) => r.dead.lagP50)];
  console.log(
    `medians of ${ROUNDS} rounds, ${RUNS} runs, ${rounds[0]?.calm.requests.length} deliveries each`,
  );
  console.log(`bare signed POSTs       ${raw.toFixed(0)} /s`);
  console.log(`deliveries, runs included ${perS.toFixed(0)} /s, ${(perS / raw).toFixed(2)} of bare`);
  console.log(`lag p50 ${lag.toFixed(0)} ms, p99 ${medianOf((r) => r.calm.lagP99).toFixed(0)} ms`);
  console.log(
    `with a dead receiver    p50 ${lagDead.toFixed(0)} ms, p99 ${medianOf((r) => r.dead.lagP99).toFixed(0)} ms`,
  );
}

/** The requests of a round once more, to the receivers in turn, each signed anew. */
async function bare(requests: readonly CallbackRequest[]): Promise<number> {
  const receivers = await openReceivers(RECEIVERS);
  const sender = new HttpCallbackSender(guard, clock);
  const { signal } = new AbortController();
  const left = requests.values();
  const since = performance.now();
  const post = async (i: number): Promise<void> => {
    const url = receivers.urls[i % RECEIVERS] ?? '';
    for (const { headers, body } of left) {
      const id = headers['webhook-id'] ?? '';
      const timestamp = Math.floor(Date.now() / 1000);
      const signed = {
        ...headers,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': webhookSignature(SECRET, id, timestamp, body),
      };
      await sender.send({ url, headers: signed, body }, signal);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => post(i)));
  const perS = (requests.length / (performance.now() - since)) * 1000;
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
    { ...ports, schemas: LOCAL_SCHEMAS, model: new ShortModel(), toolboxes: new FixedToolboxes([]) },
    {
      models: { flash: 'm', base: 'm', max: 'm' },
      maxRuns: 2_000,
      maxSteps: 5,
      runTimeoutMs: 60_000,
      replica: 'r',
      idempotencySecret: new Uint8Array(32),
    },
  );
  const http = new HttpCallbackSender(guard, clock);
  const sender = new NotingSender(http);
  const { contents } = core;
  const relay = new CallbackRelay({ ...ports, contents, box, sender, secretOf: () => SECRET, onFatal: fail });
  relay.start();
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
  await sender.completed(alive);
  const ms = performance.now() - since;
  const { taken } = sender;
  await relay.stop(0);
  await core.sessions.drain(0);
  await http.close();
  const lags = await lagsOf(log);
  await log.close();
  await receivers.close();
  rmSync(folder, { recursive: true });
  const at = (part: number): number => lags[Math.floor(lags.length * part)] ?? 0;
  return { requests: taken, perS: (taken.length / ms) * 1000, lagP50: at(0.5), lagP99: at(0.99) };
}

const fail = (error: unknown): never => {
  throw error;
};

/** Of the event in a delivery's body. */
const TYPE = /^\{"type":"(\w+)"/;

/** Keeps what receivers took. Nothing more is done while it is measured: the log is read afterwards. */
class NotingSender extends CallbackSender {
  readonly taken: CallbackRequest[] = [];
  private ended = 0;
  private wanted = Infinity;
  private readonly done = Promise.withResolvers<void>();

  constructor(private readonly inner: CallbackSender) {
    super();
  }

  override async send(request: CallbackRequest, signal: AbortSignal): Promise<SendOutcome> {
    const outcome = await this.inner.send(request, signal);
    if (outcome.kind === 'answered' && outcome.status === 204) this.take(request);
    return outcome;
  }

  /** Resolves when the last event of this many runs was taken. */
  completed(runs: number): Promise<void> {
    this.wanted = runs;
    if (this.ended >= runs) this.done.resolve();
    return this.done.promise;
  }

  private take(request: CallbackRequest): void {
    this.taken.push(request);
    if (isEndType(TYPE.exec(request.body)?.[1] ?? '')) this.ended += 1;
    if (this.ended >= this.wanted) this.done.resolve();
  }
}

/** In ms, ascending, from when an event was written to when its delivery was made. */
async function lagsOf(log: SqliteEventLog): Promise<readonly number[]> {
  const written = new Map<string, number>();
  const lags: number[] = [];
  for await (const { events } of log.readAll()) {
    for (const event of events) {
      const run = event.meta.run ?? '';
      const attempt = asDeliveryEvent(event);
      if (event.type.startsWith('agent_')) written.set(`${run} ${event.revision}`, event.time);
      if (attempt?.type !== 'delivery_attempted' || attempt.data.status !== 204) continue;
      lags.push(event.time - (written.get(`${run} ${attempt.data.revision}`) ?? event.time));
    }
  }
  return lags.toSorted((a, b) => a - b);
}

if (process.argv[1]?.endsWith('callbacks.bench.js')) await run();
