import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../libs/read-models/src/postgres/postgres-process.js';
import { ServiceProcess } from '../support/service-process.js';

/** The shared benchmark, which brings the model and the load of S3. */
const SHARED = resolve('../shared/bench');
/** The key that its load comes with. */
const KEY = 'bench-admin-key-0123456789abcdef';
/** S3: 200 streams of 100 tokens, one every 20 ms. */
const LOAD = { target: 'annals', tokens: 100, concurrency: 200, ramp: 2, warmup: 4, timeoutMs: 120_000 };
const SECONDS = 10;

/** How late a token is, in milliseconds. */
interface Lateness {
  readonly p50: number;
  readonly p99: number;
}

/** Uploads a document and resolves when it is indexed. */
export type IndexOne = (service: ServiceProcess, key: string, round: number) => Promise<void>;

/** S3 of the shared benchmark on a service alone, and while it reads a document, alternately. */
export async function besideStreams(rounds: number, indexOne: IndexOne): Promise<void> {
  if (!existsSync(SHARED))
    return console.log('streams beside it: not measured, the shared benchmark is not here');
  const port = await freePort();
  const model = started('model.mjs', String(port));
  const url = `http://127.0.0.1:${port}`;
  await Promise.race([once(model.stdout!, 'data'), endOf(model)]);
  await fetch(`${url}/__config`, {
    method: 'POST',
    body: JSON.stringify({ tokens: LOAD.tokens, delay: 20 }),
  });
  const names = { MODEL_FLASH: 'fake', MODEL_BASE: 'fake', MODEL_MAX: 'fake' };
  const env = { ...names, OPENAI_BASE_URL: `${url}/v1`, ANNALS_ADMIN_KEY: KEY, MAX_RUNS: '5000' };
  const service = await ServiceProcess.start({ env });
  try {
    for (let round = 0; round < rounds; round++) {
      const alone = await tokensOf(service, model);
      const loaded = tokensOf(service, model);
      await sleep((LOAD.ramp + LOAD.warmup) * 1000);
      const since = performance.now();
      await indexOne(service, KEY, round);
      const seconds = ((performance.now() - since) / 1000).toFixed(1);
      const beside = await loaded;
      console.log(
        `S3: tokens ${shown(alone)} alone, ${shown(beside)} beside it (p99 x ${(beside.p99 / alone.p99).toFixed(1)}); indexed in ${seconds} s`,
      );
    }
  } finally {
    await service.dispose();
    model.kill();
  }
}

const shown = ({ p50, p99 }: Lateness): string => `p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} ms`;

async function tokensOf(service: ServiceProcess, model: ChildProcess): Promise<Lateness> {
  const options = {
    ...LOAD,
    base: service.origin,
    seconds: SECONDS,
    serverPid: service.pid,
    modelPid: model.pid,
  };
  const load = started('load.mjs', JSON.stringify(options));
  const { token, errorCount } = JSON.parse(await text(load.stdout!)) as {
    token: Lateness;
    errorCount: number;
  };
  if (errorCount > 0) throw new Error(`${errorCount} runs of the load have failed`);
  return token;
}

/** By their real names: they run only where they are the program. */
const started = (program: string, argument: string): ChildProcess =>
  spawn(process.execPath, [realpathSync(resolve(SHARED, program)), argument], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });

async function endOf(child: ChildProcess): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number | null];
  throw new Error(`it ended with ${code}`);
}
