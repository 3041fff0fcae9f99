import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { OpenApi } from '../../apps/server/src/features/docs/describe-service.js';
import { type SeenAnswer, requireDescribed } from '../support/api-contract.js';
import { type FuzzRequest, FuzzRequests } from '../support/api-fuzz/fuzz-requests.js';
import { FuzzSender } from '../support/api-fuzz/send.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';
import { Dice } from './dice.js';
import { LEAK, type Leak, leakEnv } from './leak.js';
import { megabytes } from './growth.js';
import { MemoryProbe } from './memory-probe.js';
import { rested } from './rested.js';
import { type RowReport, Verdict } from './verdict.js';

export interface FuzzOptions {
  readonly requests: number;
  readonly seed: number;
  /** What the service is made to leak, so that it is seen that a leak is found. */
  readonly leak?: Leak;
}

const AT_ONCE = 12;
/** Caches are full after so many of a hundred requests. */
const WARM_UP = 20;
const MEGABYTE = 1024 * 1024;
/** What may be held more after the rest of the requests than before: in all, and for each, whose keys, tasks and open deliveries are known by heart. */
const GROWTH = 24 * MEGABYTE;
const GROWTH_OF_EACH = 512;

/**
 * F15: requests made from the service's own description, right and wrong. None is answered with 5xx or otherwise than it
 * says, no connection breaks, every run ends, what is held does not grow, and the log is in order.
 */
export async function fuzz({ requests, seed, leak }: FuzzOptions): Promise<RowReport> {
  const probe = new MemoryProbe();
  const env = { RATE_LIMIT_RPM: '100000000', EGRESS_ALLOW: '127.0.0.1', ...leakEnv(leak) };
  const stage = await Stage.open(probe.with({ env, imports: leak ? [LEAK] : [] }));
  const verdict = new Verdict();
  try {
    const description = (await stage.client.get('/openapi.json')).json<OpenApi>();
    const making = new FuzzRequests(new Dice(seed), description, ADMIN_KEY);
    const round = new Round(stage, making, verdict);
    const held: number[] = [];
    for (const part of [WARM_UP, 100 - WARM_UP]) {
      await round.send(Math.ceil((requests * part) / 100));
      const open = await rested(stage.client);
      verdict.require(open === null, () => String(open));
      held.push(await probe.held(stage.service));
    }
    round.close();
    const [before = 0, after = 0] = held;
    const most = GROWTH + GROWTH_OF_EACH * requests;
    verdict.require(
      after - before < most,
      () => `${megabytes(after - before)} more are held, ${megabytes(most)} may be`,
    );
    round.requireMeaning(requests);
    await endsWell(stage, verdict);
    const line = `F15 ${requests} requests made from the description (seed ${seed}): ${round.told}; ${megabytes(after - before)} more held; ${verdict.problems.length} problems`;
    const more = {
      'answers to requests made from the description': round.told,
      'held more after them than after a fifth of them': megabytes(after - before),
    };
    return { faults: requests, verdict, line, measured: { more } };
  } finally {
    await stage.close();
    probe.close();
  }
}

/** Sends, holds each answer against the description, and learns from it what else can be asked for. */
class Round {
  private readonly sender: FuzzSender;
  private readonly statuses = new Map<number, number>();
  private readonly asked = new Set<string>();
  private readonly taken = new Set<string>();

  constructor(
    private readonly stage: Stage,
    private readonly making: FuzzRequests,
    private readonly verdict: Verdict,
  ) {
    this.sender = new FuzzSender(stage.service.port);
  }

  async send(requests: number): Promise<void> {
    let left = requests;
    const work = async (): Promise<void> => {
      while (left-- > 0 && this.stage.service.isRunning) {
        await this.one(this.making.next());
        if (left % 500 === 0) this.forgetAsks();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  close(): void {
    this.sender.close();
  }

  /** `812 × 200, 400 × 400; 35 of 37 operations taken` */
  get told(): string {
    const statuses = [...this.statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${n} × ${status}`);
    return `${statuses.join(', ')}; ${this.taken.size} of ${this.making.names.length} operations taken`;
  }

  /** That requests came past the first check often enough, and to all that is described. */
  requireMeaning(requests: number): void {
    const count = (isOfKind: (status: number) => boolean): number =>
      [...this.statuses].reduce((sum, [status, n]) => sum + (isOfKind(status) ? n : 0), 0);
    this.verdict.require(count((status) => status < 300) > requests / 10, () => `only ${this.told}`);
    this.verdict.require(count((status) => status >= 400) > requests / 10, () => `only ${this.told}`);
    for (const name of this.making.names)
      this.verdict.require(this.asked.has(name), () => `${name} was never asked for`);
  }

  private async one(sent: FuzzRequest): Promise<void> {
    try {
      const seen = await this.sender.send(sent);
      this.statuses.set(seen.status, (this.statuses.get(seen.status) ?? 0) + 1);
      this.asked.add(sent.operation);
      if (seen.status < 300) this.taken.add(sent.operation);
      this.making.learn(sent.path, seen.text ?? '');
      requireGood(seen);
    } catch (error) {
      const request = JSON.stringify({ ...sent, body: sent.body?.toString() ?? null });
      this.verdict.note(`${String(error).slice(0, 600)} for ${request.slice(0, 1_500)}`);
    }
  }

  /** What the model was told is not looked at, and grows with every run of a session. */
  private forgetAsks(): void {
    this.stage.book.asks.splice(0);
    this.stage.model.requests.splice(0);
  }
}

/** Where too many are there, they are told so: nothing else may be 5xx. */
function requireGood(seen: SeenAnswer): void {
  const { status, text = '', method } = seen;
  const isOverload = status === 503 && text.includes('"code":"overloaded"');
  if (status < 200 || (status >= 500 && !isOverload)) throw new Error(`${status}: ${text}`);
  if (method !== 'HEAD') requireDescribed(seen);
}

/** The service lives, knows its caller, is ready, ends when it is told to, and leaves a log that is in order. */
async function endsWell({ service, client }: Stage, verdict: Verdict): Promise<void> {
  verdict.require(service.isRunning, () => `it died: ${service.output.slice(-1_000)}`);
  if (!service.isRunning) return;
  for (const path of ['/readyz', '/api-keys', '/runs?limit=1']) {
    const { status, text } = await client.get(path);
    verdict.require(status === 200, () => `in the end ${path} is ${status}: ${text}`);
  }
  const run = await client.runToEnd('a run behind them all');
  verdict.require(run.status === 'completed', () => `in the end a run is ${run.status}`);
  const { code } = await service.kill('SIGTERM');
  verdict.require(code === 0, () => `it ended with ${code}: ${service.output.slice(-1_000)}`);
  const child = spawn(resolve('node_modules/.bin/node'), ['.ci/annals.mjs', 'verify-log'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], DATA_DIR: service.dataDir },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [left] = (await once(child, 'close')) as [number | null];
  verdict.require(left === 0, () => `verify-log: ${said.slice(0, 1_000)}`);
}
