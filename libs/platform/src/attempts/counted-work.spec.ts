import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Gate } from '../../../../test/support/scripted-model.js';
import { SilentLogger } from '../logger.js';
import { CountedWork } from './counted-work.js';
import { DiskAttempts } from './disk-attempts.js';

const NOW = Date.now();
const WEEK_MS = 7 * 24 * 60 * 60_000;

describe('work in which a process may end', () => {
  let folder: string;
  beforeEach(() => void (folder = join(mkdtempSync(join(tmpdir(), 'annals-attempts-')), 'attempts')));
  afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

  /** A process after those before it. */
  const born = async (): Promise<{ attempts: DiskAttempts; counted: CountedWork }> => {
    const attempts = await DiskAttempts.open(folder, NOW, new SilentLogger());
    return { attempts, counted: new CountedWork(attempts) };
  };
  const never = (): Promise<never> => new Promise(() => undefined);
  /** Begins the work in a process that ends meanwhile. */
  const die = async (...keys: readonly string[]): Promise<void> => {
    const { counted } = await born();
    const begun = keys.map((key) => {
      const gate = Promise.withResolvers<void>();
      void counted.run(key, () => {
        gate.resolve();
        return never();
      });
      return gate.promise;
    });
    await Promise.race(begun);
  };
  const done = { kind: 'done', value: 'done' };
  const work = (): Promise<string> => Promise.resolve('done');

  it('is done until three processes have ended in it, and not again', async () => {
    for (let deaths = 0; deaths < 3; deaths++) {
      expect((await born()).counted.isDeadly('a')).toBe(false);
      await die('a');
    }
    const { counted } = await born();
    expect(await counted.run('a', never)).toEqual({ kind: 'deadly', deaths: 3 });
    expect(await counted.run('b', work)).toEqual(done);
    await counted.forget('a');
    expect(await counted.run('a', work)).toEqual(done);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('begins anew when a process survives it, by an end or by a failure', async () => {
    for (const ending of [work, () => Promise.reject(new Error('its own'))]) {
      await die('a');
      await die('a');
      await (await born()).counted.run('a', ending).catch(() => undefined);
      expect((await born()).attempts.deaths('a')).toBe(0);
    }
  });

  it('is no death when the process is stopped in order, and what was known before stays known', async () => {
    await die('a');
    for (let stops = 0; stops < 4; stops++) {
      const { attempts, counted } = await born();
      const gate = new Gate();
      for (const key of ['a', 'b'])
        void counted.run(key, () => {
          if (key === 'a') gate.open();
          return never();
        });
      await gate.opened;
      await attempts.close();
      const { attempts: next } = await born();
      expect([next.deaths('a'), next.deaths('b')]).toEqual([1, 0]);
    }
  });

  it('is done alone once a process has ended in it, so that what is beside it is not taken for it', async () => {
    await die('a', 'b');
    const { counted } = await born();
    const gate = new Gate();
    const order: string[] = [];
    const first = counted.run('a', async () => {
      order.push('a begins');
      await gate.opened;
      order.push('a ends');
    });
    const others = ['b', 'c'].map((key) => counted.run(key, () => Promise.resolve(order.push(key))));
    await new Promise(setImmediate);
    gate.open();
    await Promise.all([first, ...others]);
    expect(order).toEqual(['a begins', 'a ends', 'b', 'c']);
  });

  it('is done side by side while nothing speaks against it', async () => {
    const { counted } = await born();
    const gate = new Gate();
    const first = counted.run('a', () => gate.opened);
    await counted.run('b', () => Promise.resolve(gate.open()));
    await first;
  });

  it('is one death where one process has begun it twice', async () => {
    const { counted } = await born();
    const begun = [0, 1].map(() => {
      const gate = Promise.withResolvers<void>();
      void counted.run('a', () => {
        gate.resolve();
        return never();
      });
      return gate.promise;
    });
    await Promise.all(begun);
    expect((await born()).attempts.deaths('a')).toBe(1);
  });

  it('leaves a bounded number of files, with nothing of the key in their names, for a week', async () => {
    await die('command/of somebody');
    const [name = ''] = readdirSync(folder);
    expect(name).toMatch(/^[0-9a-f]{40}$/);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    utimesSync(join(folder, name), (NOW - WEEK_MS) / 1000, (NOW - WEEK_MS) / 1000);
    for (let n = 0; n < 10_010; n++) writeFileSync(join(folder, `${n}`), '.');
    await born();
    const left = readdirSync(folder);
    expect([left.length, left.includes(name)]).toEqual([10_000, false]);
  });

  it('is done uncounted where nothing can be written', async () => {
    writeFileSync(folder, 'a file');
    const { counted } = await born();
    expect(await counted.run('a', work)).toEqual(done);
  });
});
