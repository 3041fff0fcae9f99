import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { kill } from 'node:process';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Deed } from '../support/does-anything.js';
import { until } from '../support/until.js';
import { SystemClock } from '#platform';
import {
  type ExpendableTerms,
  ExpendableProcess,
} from '../../libs/platform/src/expendable/expendable-process.js';

const file = new URL('../../dist/test/support/does-anything.js', import.meta.url);
const TERMS: ExpendableTerms = { file, heapMb: 48, memoryMb: 256, idleMs: 60_000 };
const QUICK = { timeoutMs: 60_000 };
const opened: ExpendableProcess<Deed, unknown, number>[] = [];

function open(more: Partial<ExpendableTerms> = {}) {
  const process = new ExpendableProcess<Deed, unknown, number>({ ...TERMS, ...more }, new SystemClock());
  opened.push(process);
  return process;
}
afterEach(async () => {
  for (const process of opened.splice(0)) await process.close();
});

const echo = (process: ExpendableProcess<Deed, unknown, number>, text = 'hello') =>
  process.ask({ kind: 'echo', text }, QUICK);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('a process that may die', () => {
  it('is started when it is first asked, answers one request after the other, and ends when it is idle', async () => {
    const process = open({ idleMs: 50 });
    expect(process.pid).toBeNull();
    expect(await echo(process, 'one')).toBe('one');
    const { pid } = process;
    expect(await echo(process, 'two')).toBe('two');
    expect(process.pid).toBe(pid);
    await until(() => !isAlive(pid!));
    expect(process.pid).toBeNull();
    expect(await echo(process, 'three')).toBe('three');
  });

  it('gets bytes whole, and gives pieces in order, each once the one before is taken', async () => {
    const process = open();
    const bytes = new Uint8Array(3_000_000).map((_, i) => i * 7);
    const sum = bytes.reduce((sum, byte) => (sum + byte) % 65_521, bytes.length);
    for (let i = 0; i < 2; i++)
      expect(await process.ask({ kind: 'count the bytes' }, { ...QUICK, bytes })).toBe(sum);
    const heard: number[] = [];
    let isTaking = false;
    const hear = async (piece: number) => {
      expect(isTaking).toBe(false);
      isTaking = true;
      await new Promise(setImmediate);
      isTaking = false;
      heard.push(piece);
    };
    expect(await process.ask({ kind: 'give', pieces: 20 }, { ...QUICK, hear })).toBe('given');
    expect(heard).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  it('knows nothing of the environment', async () => {
    expect(await open().ask({ kind: 'tell the environment' }, QUICK)).toEqual(
      expect.not.objectContaining({ PATH: expect.anything() }),
    );
  });

  it.each([
    ['fill the heap', 'memory'],
    ['fill memory beside the heap', 'memory'],
    ['abort', 'memory'],
    ['exit', 'crash'],
    ['throw', 'crash'],
  ] as const)(
    'whose request makes it %s says that it died of %s, and the next request is answered',
    async (kind, why) => {
      const process = open();
      await expect(process.ask({ kind }, QUICK)).rejects.toMatchObject({ name: 'ProcessDied', why });
      expect(await echo(process)).toBe('hello');
    },
  );

  it('is the first to go where memory runs out, and says that it was killed from outside', async () => {
    const process = open();
    await echo(process);
    const score = `/proc/${process.pid}/oom_score_adj`;
    if (existsSync(score)) expect(readFileSync(score, 'utf8').trim()).toBe('1000');
    const killed = process.ask({ kind: 'spin' }, QUICK);
    kill(process.pid!, 'SIGKILL');
    await expect(killed).rejects.toMatchObject({ name: 'ProcessDied', why: 'killed' });
    expect(await echo(process)).toBe('hello');
  });

  it('is ended where it takes too long, however busy it is, and the next request is answered', async () => {
    const process = open();
    await echo(process);
    const { pid } = process;
    const late = process.ask({ kind: 'spin' }, { timeoutMs: 200 });
    await expect(late).rejects.toMatchObject({ name: 'ProcessDied', why: 'time' });
    expect(isAlive(pid!)).toBe(false);
    expect(await echo(process)).toBe('hello');
  });

  it('is ended where it computes too long, however long it may take', async () => {
    const process = open({ cpuMs: 300 });
    for (let i = 0; i < 5; i++) await process.ask({ kind: 'compute', ms: 100 }, QUICK);
    const late = process.ask({ kind: 'spin' }, QUICK);
    await expect(late).rejects.toMatchObject({ name: 'ProcessDied', why: 'time' });
    expect(await echo(process)).toBe('hello');
  });

  it('is ended where its answer is not wanted any more, and where its pieces are not taken', async () => {
    const process = open();
    await echo(process);
    const stop = new AbortController();
    const answer = process.ask({ kind: 'spin' }, { ...QUICK, signal: stop.signal });
    stop.abort(new Error('not wanted'));
    await expect(answer).rejects.toThrow('not wanted');
    const hear = () => Promise.reject(new Error('no room'));
    await expect(process.ask({ kind: 'give', pieces: 3 }, { ...QUICK, hear })).rejects.toThrow('no room');
    expect(await echo(process)).toBe('hello');
  });

  it('that does not come up tells so', async () => {
    const process = open({ file: new URL('nothing-is-here.js', file) });
    await expect(echo(process)).rejects.toMatchObject({ name: 'ProcessNotStarted' });
  });

  it('dies with the process that started it, however busy it is', async () => {
    const parent = startParent();
    const [line] = (await once(parent.stdout!, 'data')) as [Buffer];
    const pid = Number(line.toString());
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await until(() => !isAlive(pid));
  });
});

/** Starts a process that never ends by itself, whose own prints the number of one that it keeps busy. */
function startParent(): ChildProcess {
  const platform = new URL('../../dist/libs/platform/src/index.js', import.meta.url).href;
  const code = `
    import { ExpendableProcess, SystemClock } from ${JSON.stringify(platform)};
    const terms = { ...${JSON.stringify({ ...TERMS, file: undefined })}, file: new URL(${JSON.stringify(file.href)}) };
    const child = new ExpendableProcess(terms, new SystemClock());
    await child.ask({ kind: 'echo', text: '' }, { timeoutMs: 60_000 });
    void child.ask({ kind: 'spin' }, { timeoutMs: 600_000 });
    console.log(child.pid);`;
  return spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
