import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ServiceProcess } from '../support/service-process.js';
import { freePort } from '../support/free-port.js';

/** The shared benchmark, which brings the model and the load. */
const FOLDER = resolve('../shared/bench');
/** The key that its load comes with. */
export const LOAD_KEY = 'bench-admin-key-0123456789abcdef';
const TIMEOUT_MS = 120_000;

/** Its scenarios, with seconds of their own. `delay`: milliseconds between two tokens of the model. */
const SCENARIOS = {
  S2: { tokens: 50, delay: 0, concurrency: 32, ramp: 0, warmup: 4, seconds: 8 },
  S3: { tokens: 100, delay: 20, concurrency: 200, ramp: 2, warmup: 4, seconds: 10 },
} as const;
export type Scenario = keyof typeof SCENARIOS;

/** Until it is measured, in milliseconds. */
export const warmUpMs = (scenario: Scenario): number =>
  (SCENARIOS[scenario].ramp + SCENARIOS[scenario].warmup) * 1000;

export interface LoadFigures {
  readonly runsPerS: number;
  /** Of the service and its child processes, in milliseconds. */
  readonly serverCpuMsPerRun: number;
  /** How late a token is, in milliseconds. */
  readonly token: { readonly p50: number; readonly p99: number };
}

/** Runs scenarios of the shared benchmark on a service. Owns its model. */
export class SharedLoad {
  private constructor(
    private readonly model: ChildProcess,
    private readonly url: string,
  ) {}

  /** null, with a line: the shared benchmark is not on this machine. */
  static async open(what: string): Promise<SharedLoad | null> {
    if (!existsSync(FOLDER)) {
      console.log(`${what}: not measured, the shared benchmark is not here`);
      return null;
    }
    const port = await freePort();
    const model = started('model.mjs', String(port));
    await Promise.race([once(model.stdout!, 'data'), endOf(model)]);
    return new SharedLoad(model, `http://127.0.0.1:${port}`);
  }

  /** What a service has to be started with. */
  get env(): Readonly<Record<string, string>> {
    const models = { MODEL_FLASH: 'fake', MODEL_BASE: 'fake', MODEL_MAX: 'fake' };
    return { ...models, OPENAI_BASE_URL: `${this.url}/v1`, ANNALS_ADMIN_KEY: LOAD_KEY, MAX_RUNS: '5000' };
  }

  /** @throws Error where runs have failed */
  async measure(service: ServiceProcess, scenario: Scenario): Promise<LoadFigures> {
    const { delay, ...load } = SCENARIOS[scenario];
    const config = { tokens: load.tokens, delay };
    await fetch(`${this.url}/__config`, { method: 'POST', body: JSON.stringify(config) });
    const places = { base: service.origin, serverPid: service.pid, modelPid: this.model.pid };
    const options = { target: 'annals', timeoutMs: TIMEOUT_MS, ...load, ...places };
    const program = started('load.mjs', JSON.stringify(options));
    const said = JSON.parse(await text(program.stdout!)) as LoadFigures & { readonly errorCount: number };
    if (said.errorCount > 0) throw new Error(`${said.errorCount} runs of the load have failed`);
    return said;
  }

  close(): void {
    this.model.kill();
  }
}

/** By their real names: they run only where they are the program. */
const started = (program: string, argument: string): ChildProcess =>
  spawn(process.execPath, [realpathSync(resolve(FOLDER, program)), argument], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });

async function endOf(child: ChildProcess): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number | null];
  throw new Error(`it ended with ${code}`);
}
