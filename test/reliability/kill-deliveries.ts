import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { mkdtempSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { asDeliveryEvent, deliveryStream, isEndType, isPublicType } from '#domain';
import type { RecordedEvent } from '#event-log';
import { CallbackReceiver, type Received } from '../support/callback-receiver.js';
import { Stage } from '../support/stage.js';
import { PATIENCE_MS } from '../support/until.js';
import { StoredContents, publicJsonOf, readLog } from './evidence.js';
import { turnsOf } from './scenarios.js';
import { survive } from './survive.js';
import { DIE_AT_APPEND } from './theatre.js';
import { type RowReport, Verdict, spreadOf } from './verdict.js';

/**
 * Where a delivery is struck: when the receiver has its n-th event and has not answered, when the answer is on its way and
 * nothing is recorded, or at the n-th append from the run's request on, which the log has not stored or has.
 */
interface Strike {
  readonly kind: 'asked' | 'answered' | 'sent' | 'stored';
  readonly nth: number;
}

/** The events of a run of this message, and the appends that it and its deliveries take. */
const SCENARIO = 'tools';
const EVENTS = 15;
const APPENDS = 8;

const STRIKES: readonly Strike[] = [
  ...Array.from({ length: EVENTS }, (_, i) => [
    { kind: 'asked', nth: i + 1 } as const,
    { kind: 'answered', nth: i + 1 } as const,
  ]).flat(),
  ...Array.from({ length: APPENDS }, (_, i) => [
    { kind: 'sent', nth: i + 1 } as const,
    { kind: 'stored', nth: i + 1 } as const,
  ]).flat(),
];

/** F2 and F12 with a real process: it is killed at the steps of deliveries, and the receiver must not notice. */
export async function killDeliveries(wanted: number, rotation: number): Promise<RowReport> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-orders-'));
  const receiver = await CallbackReceiver.start();
  const env = { DIED_FILE: join(folder, 'died'), EGRESS_ALLOW: '127.0.0.1' };
  const stage = await Stage.open({ imports: [DIE_AT_APPEND], env });
  stage.book.find = turnsOf;
  const verdict = new Verdict();
  try {
    const scene = new Scene(stage, receiver, verdict);
    const from = (rotation * wanted) % STRIKES.length;
    let kills = 0;
    for (let n = 0; kills < wanted && n < wanted + STRIKES.length; n += 1) {
      kills += await scene.play(STRIKES[(from + n) % STRIKES.length]!, n);
    }
    await stage.service.kill('SIGTERM');
    await checkDeliveries(await readLog(stage.service.dataDir), scene, verdict);
    const { received } = receiver;
    const line = `F12 ${kills} kills at the steps of deliveries: ${scene.runs.length} runs, ${received.length} requests received, ${scene.repeated} of them again, ${verdict.problems.length} problems; ready again: ${spreadOf(stage.service.startsMs.slice(1))}`;
    return { faults: kills, verdict, line, measured: { readyMs: stage.service.startsMs.slice(1) } };
  } finally {
    await stage.close();
    await receiver.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

class Scene {
  readonly runs: string[] = [];
  /** To be asked in the end. */
  readonly checks: (() => void)[] = [];
  repeated = 0;

  constructor(
    readonly stage: Stage,
    readonly receiver: CallbackReceiver,
    private readonly verdict: Verdict,
  ) {}

  /** Starts a run in the background, strikes it, goes on. Returns how often the process was killed. */
  async play(strike: Strike, n: number): Promise<number> {
    const { service } = this.stage;
    this.receiver.react = this.reaction(strike, n);
    const order =
      strike.kind === 'sent' || strike.kind === 'stored' ? ` <die:${strike.kind}:${strike.nth}:${n}>` : '';
    const started = this.start(`${SCENARIO} ${n}${order}`, n);
    const isOver = started.then((run) => this.receiver.ended(run).then(() => this.recorded(run)));
    return survive(service, isOver, () => this.restart());
  }

  private async restart(): Promise<void> {
    const { service } = this.stage;
    const known = deliveredIn(await readLog(service.dataDir));
    const before = this.receiver.received.length;
    await service.launch();
    const again = () =>
      this.receiver.received.slice(before).filter((r) => known.has(`${r.run} ${r.sequence}`));
    this.checks.push(() => {
      for (const { run, sequence } of again())
        this.verdict.note(`${run} ${sequence} was recorded as delivered, and sent again`);
    });
  }

  /** The n-th request of the run under way kills, before it is answered or just after. */
  private reaction({ kind, nth }: Strike, n: number): CallbackReceiver['react'] {
    const { service } = this.stage;
    let isDone = kind !== 'asked' && kind !== 'answered';
    return (request, response) => {
      const isHit = !isDone && request.sequence === nth && this.runs[n] === request.run;
      if (isHit) isDone = true;
      if (isHit && kind === 'asked') {
        service.signal('SIGKILL');
        return;
      }
      if (isHit) response.on('finish', () => service.signal('SIGKILL'));
      response.writeHead(204).end();
    };
  }

  private async start(message: string, n: number): Promise<string> {
    const { client } = this.stage;
    const body = { message, background: true, callback: { url: this.receiver.url } };
    const headers = { 'idempotency-key': `delivery ${n}` };
    for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await sleep(20)) {
      const answer = await client.post('/', body, { headers }).catch(() => null);
      if (answer === null || answer.status >= 500) continue;
      const { run_id: run } = answer.json<{ run_id: string }>();
      this.runs[n] = run;
      return run;
    }
    throw new Error('the service does not take the run');
  }

  /** Resolves when the service says that all is delivered. */
  private async recorded(run: string): Promise<void> {
    const { client } = this.stage;
    for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await sleep(20)) {
      const answer = await client.get(`/runs/${run}/deliveries?limit=200`).catch(() => null);
      if (answer?.status !== 200) continue;
      const { items } = answer.json<{ items: { status: string }[] }>();
      if (items.length > 0 && items.every(({ status }) => status === 'delivered')) return;
    }
    this.verdict.note(`${run}: not all is delivered`);
  }
}

/** `run sequence` of what the log says was delivered. */
function deliveredIn(log: readonly RecordedEvent[]): Set<string> {
  const found = new Set<string>();
  for (const event of log) {
    const known = asDeliveryEvent(event);
    if (known?.type !== 'delivery_attempted') continue;
    const { sequence, status } = known.data;
    if (status !== null && status < 300)
      found.add(`${event.stream.slice(deliveryStream('').length)} ${sequence}`);
  }
  return found;
}

/** I11: no event missing, the order kept, one id and the same bytes for each event, however often it came. */
async function checkDeliveries(log: readonly RecordedEvent[], scene: Scene, verdict: Verdict): Promise<void> {
  const { stage, runs, receiver, checks } = scene;
  for (const check of checks) check();
  const contents = await StoredContents.open(stage.service.dataDir);
  // A turn that was broken off stands on the log, too: such a run has more events than the scenario.
  let shortest = Infinity;
  for (const run of runs) {
    const events = log.filter((event) => event.meta.run === run && isPublicType(event.type));
    const expected = events.map((event) => {
      const session = event.stream.slice('session-'.length);
      return publicJsonOf(event, session, contents);
    });
    verdict.require(isEndType(events.at(-1)?.type ?? ''), () => `${run} has no end`);
    shortest = Math.min(shortest, events.length);
    verdict.acknowledged += events.length;
    const firsts = receivedOnce(receiver.of(run), scene, verdict);
    verdict.lost += expected.length - firsts.length;
    for (const [i, { sequence, body }] of firsts.entries()) {
      if (sequence !== i + 1) verdict.reordered += 1;
      verdict.require(body === expected[i], () => `${run} ${sequence}: ${body}, not ${expected[i]}`);
    }
  }
  verdict.require(shortest <= EVENTS, () => `every run has more events than the ${EVENTS} that are struck`);
  verdict.require(verdict.lost === 0 && verdict.reordered === 0, () => verdict.line);
}

/** The first request for each event; the others must be the same. */
function receivedOnce(received: readonly Received[], scene: Scene, verdict: Verdict): Received[] {
  const firsts = new Map<number, Received>();
  for (const request of received) {
    const first = firsts.get(request.sequence);
    if (first === undefined) {
      firsts.set(request.sequence, request);
      continue;
    }
    scene.repeated += 1;
    const isSame = first.id === request.id && first.body === request.body;
    verdict.require(isSame, () => `${request.run} ${request.sequence}: ${request.id}, not ${first.id}`);
  }
  return [...firsts.values()];
}
