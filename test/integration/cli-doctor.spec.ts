import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChatServer, startDemoModel } from '#demo-model';
import { ServiceProcess } from '../support/service-process.js';

interface Finding {
  readonly name: string;
  readonly status: string;
  readonly detail: string;
  readonly advice?: string;
}

const folder = mkdtempSync(join(tmpdir(), 'annals-doctor-'));
let model: ChatServer;
beforeAll(async () => {
  model = await startDemoModel();
});
afterAll(async () => {
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});

async function doctor(env: Readonly<Record<string, string>>, ...words: readonly string[]) {
  const child = spawn(
    resolve('node_modules/.bin/node'),
    [resolve('dist/apps/server/src/cli/main.js'), 'doctor', ...words],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'] ?? '',
        ENV_FILE: '/dev/null',
        PORT: '1',
        DATA_DIR: join(folder, 'data'),
        ...env,
      },
    },
  );
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out };
}

/** What it finds, by name; the first of two. */
async function found(env: Readonly<Record<string, string>>) {
  const { code, out } = await doctor(env, '--json');
  const { items } = JSON.parse(out) as { items: Finding[] };
  return { code, items, of: (name: string) => items.find((item) => item.name === name) };
}

const KEYS = {
  ANNALS_ADMIN_KEY: 'annals_the_admin_key_of_the_tests',
  ANNALS_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
};

describe('annals doctor', () => {
  it('finds nothing wrong where nothing is set, and changes nothing', async () => {
    const { code, out } = await doctor({});
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ +/)[1])).toEqual([
      'settings',
      'node',
      'service',
      'disk',
      'log',
      'database',
      'model',
      'clock',
    ]);
    for (const line of lines) expect(line).toMatch(/^(ok|warning) /);
    expect((await found({})).of('log')?.detail).toContain('none yet');
  });

  it('tells of keys for which a start would be refused, and changes nothing', async () => {
    const service = await ServiceProcess.start();
    try {
      await service.client().post('/', { message: 'hi' });
      await service.kill('SIGTERM');
      const { dataDir: DATA_DIR } = service;
      expect((await found({ DATA_DIR })).of('log')).toMatchObject({ status: 'ok' });
      const masterKey = readFileSync(join(DATA_DIR, 'master.key'));
      const faultOf = async () => {
        const { code, of } = await found({ DATA_DIR });
        return [code, of('log')?.status, of('log')?.detail];
      };
      writeFileSync(join(DATA_DIR, 'master.key'), Buffer.alloc(32, 3).toString('base64'));
      expect(await faultOf()).toEqual([
        1,
        'fault',
        expect.stringContaining('ANNALS_MASTER_KEY must be the key'),
      ]);
      rmSync(join(DATA_DIR, 'master.key'));
      expect(await faultOf()).toEqual([1, 'fault', expect.stringContaining('ANNALS_MASTER_KEY must be set')]);
      writeFileSync(join(DATA_DIR, 'master.key'), masterKey, { mode: 0o600 });
      rmSync(join(DATA_DIR, 'keys'), { recursive: true });
      expect(await faultOf()).toEqual([1, 'fault', expect.stringContaining('the key store is missing')]);
      expect(existsSync(join(DATA_DIR, 'keys'))).toBe(false);
    } finally {
      await service.dispose();
    }
  });

  it('names a wrong setting, and one that is nearly one', async () => {
    const wrong = await found({ MAX_STEPS: 'many' });
    expect([wrong.code, wrong.of('settings')]).toEqual([
      1,
      expect.objectContaining({ status: 'fault', detail: expect.stringMatching(/^MAX_STEPS must be/) }),
    ]);
    const { code, items } = await found({ MAX_RUN: '5' });
    expect(code).toBe(0);
    expect(items).toContainEqual({
      name: 'settings',
      status: 'warning',
      detail: 'MAX_RUN is no setting',
      advice: 'set MAX_RUNS if that was meant',
    });
  });

  it('looks at the model: there, without the models, gone', async () => {
    const there = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-of-nobody' };
    const named = { MODEL_FLASH: 'demo', MODEL_BASE: 'demo', MODEL_MAX: 'demo' };
    const good = await found({ ...there, ...named });
    expect([good.code, good.of('model')?.status]).toEqual([0, 'ok']);
    // Its clock is that of this machine.
    expect(good.of('clock')).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('another clock'),
    });
    expect((await found(there)).of('model')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('does not list gpt-5-nano, gpt-5-mini, gpt-5'),
    });
    const gone = await found({ OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_API_KEY: 'sk-of-nobody' });
    expect([gone.code, gone.of('model')?.status]).toEqual([1, 'fault']);
    expect(JSON.stringify([good.items, gone.items])).not.toContain('sk-of-nobody');
  });

  it('says which of the servers does not answer, without their passwords', async () => {
    const { code, items, of } = await found({
      ...KEYS,
      DATABASE_URL: 'postgres://annals:hunter2@127.0.0.1:1/annals',
      EVENTSTORE_URL: 'esdb://admin:hunter2@127.0.0.1:1?tls=false',
    });
    expect([code, of('log')?.status, of('database')?.status]).toEqual([1, 'fault', 'fault']);
    expect(JSON.stringify(items)).not.toContain('hunter2');
  });

  it('looks at a log that is none', async () => {
    const dataDir = mkdtempSync(join(folder, 'log-'));
    mkdirSync(join(dataDir, 'log'));
    writeFileSync(join(dataDir, 'log', 'log.db'), 'Dear diary, '.repeat(1_000));
    const { code, of } = await found({ DATA_DIR: dataDir });
    expect([code, of('log')]).toEqual([
      1,
      expect.objectContaining({ detail: expect.stringContaining('is not a SQLite file') }),
    ]);
  });

  it('asks a service that runs, and reads the log of one that does not', async () => {
    const service = await ServiceProcess.start();
    try {
      const beside = { PORT: String(service.port), DATA_DIR: service.dataDir };
      const running = await found(beside);
      expect([running.code, running.of('service')?.detail]).toEqual([0, `ready at ${service.origin}`]);
      for (const name of ['log', 'database'])
        expect(running.of(name)?.detail).toBe('the service says that it is well');
      await service.kill('SIGTERM');
      const stopped = await found(beside);
      expect([stopped.code, stopped.of('log')?.detail]).toEqual([0, expect.stringMatching(/^\d+ events/)]);
    } finally {
      await service.dispose();
    }
  });
});
