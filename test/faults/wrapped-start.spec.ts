import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/until.js';

/** `npm start` and `npx annals start`, with the processes that they put around the service. */
type Runner = 'npm start' | 'npx annals start';

/** One data folder for all: each start shows that the one before has let go of it. */
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'annals-wrapped-'));
  // What an installation of the package leaves there.
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  const bin = join(folder, 'node_modules/.bin/annals');
  const node = resolve('node_modules/.bin/node');
  writeFileSync(bin, `#!/bin/sh\nexec ${node} ${resolve('dist/apps/server/src/cli/main.js')} "$@"\n`);
  chmodSync(bin, 0o755);
  writeFileSync(join(folder, 'package.json'), '{"name":"somebody"}');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

class Wrapped {
  output = '';
  private readonly child: ChildProcess;
  /** All that was written has been read. */
  private readonly heard: Promise<unknown>;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;

  constructor(runner: Runner) {
    const [program = '', ...words] = runner.split(' ');
    const { PATH = '', HOME = '' } = process.env;
    this.child = spawn(program, words, {
      cwd: runner === 'npm start' ? process.cwd() : folder,
      env: {
        PATH,
        HOME,
        PORT: '0',
        ENV_FILE: '/dev/null',
        DATA_DIR: join(folder, 'data'),
        npm_config_update_notifier: 'false',
        // None is there, so none has to be made.
        DATABASE_URL: 'postgres://annals:none@127.0.0.1:1/annals',
        ANNALS_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
        ANNALS_ADMIN_KEY: 'annals_the_admin_key_of_the_tests',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, as a terminal gives to what it runs.
      detached: true,
    });
    const pipes = [this.child.stdout!, this.child.stderr!];
    for (const pipe of pipes) pipe.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.heard = Promise.all(pipes.map((pipe) => once(pipe, 'close')));
    this.ended = once(this.child, 'exit').then(([code, signal]) => ({ code, signal })) as Wrapped['ended'];
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** The service's own. */
  get servicePid(): number {
    return Number(/"pid":(\d+)/.exec(this.output)?.[1]);
  }

  get port(): number {
    return Number(/"address":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(this.output)?.[1]);
  }

  listens(): Promise<void> {
    return until(
      () => this.output.includes('"msg":"listening"'),
      () => this.output,
    );
  }

  /** Nobody reads any more what it writes. */
  hangUp(): void {
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
  }

  async serviceEnds(): Promise<void> {
    await until(
      () => !existsSync(`/proc/${this.servicePid}`),
      () => this.output,
    );
    await this.heard;
  }

  /** Of the last resort. */
  end(): void {
    for (const pid of [this.pid, this.servicePid])
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
  }
}

const isRefused = (port: number): Promise<boolean> =>
  new Promise((answer) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => answer(false)).once('error', () => answer(true));
    socket.once('connect', () => socket.destroy());
  });

const shellAbove = (pid: number): number =>
  Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

async function around(runner: Runner, act: (wrapped: Wrapped) => Promise<void>): Promise<void> {
  const wrapped = new Wrapped(runner);
  try {
    await wrapped.listens();
    await act(wrapped);
    await wrapped.serviceEnds();
    expect(await isRefused(wrapped.port)).toBe(true);
  } finally {
    wrapped.end();
  }
}

/** In order: it said so, once, and was not cut off. */
function expectOrder({ output }: Wrapped): void {
  expect(output.match(/"msg":"stopping"/g)).toHaveLength(1);
  expect(output).toContain('"msg":"stopped"');
}

describe('npm start', () => {
  it('waits for the service, and ends as it does', () =>
    around('npm start', async (wrapped) => {
      process.kill(wrapped.pid, 'SIGTERM');
      expect(await wrapped.ended).toEqual({ code: 0, signal: null });
      expect(existsSync(`/proc/${wrapped.servicePid}`)).toBe(false);
      expectOrder(wrapped);
    }));

  it('takes a Ctrl-C, which the terminal gives to both and npm hands on, as one', () =>
    around('npm start', async (wrapped) => {
      process.kill(-wrapped.pid, 'SIGINT');
      expect(await wrapped.ended).toEqual({ code: 0, signal: null });
      expectOrder(wrapped);
    }));

  it.each(['SIGHUP', 'SIGKILL'] as const)('leaves nothing behind when npm ends of %s', (signal) =>
    around('npm start', async (wrapped) => {
      process.kill(wrapped.pid, signal);
      expect((await wrapped.ended).signal).toBe(signal);
      await wrapped.serviceEnds();
      expectOrder(wrapped);
    }),
  );

  it('stops in order when its terminal is closed, which takes no more lines', () =>
    around('npm start', async (wrapped) => {
      wrapped.hangUp();
      process.kill(-wrapped.pid, 'SIGHUP');
      process.kill(wrapped.servicePid, 'SIGHUP');
      await wrapped.ended;
    }));
});

describe('npx annals start', () => {
  it.each([
    ['npx', 'SIGTERM'],
    ['npx', 'SIGKILL'],
    ['its shell', 'SIGKILL'],
  ] as const)('leaves nothing behind when %s is sent %s', (whom, signal) =>
    around('npx annals start', async (wrapped) => {
      process.kill(whom === 'npx' ? wrapped.pid : shellAbove(wrapped.servicePid), signal);
      await wrapped.serviceEnds();
      expectOrder(wrapped);
    }),
  );

  it('waits for the service where that is told itself', () =>
    around('npx annals start', async (wrapped) => {
      process.kill(wrapped.servicePid, 'SIGHUP');
      expect(await wrapped.ended).toEqual({ code: 0, signal: null });
      expectOrder(wrapped);
    }));
});
