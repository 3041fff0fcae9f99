import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { COMMANDS } from '../../apps/server/src/cli/commands.js';
import { EsdbServer } from '../support/esdb-server/esdb-server.js';
import { ADMIN_KEY, ServiceProcess } from '../support/service-process.js';

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'annals-cli-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));

async function annals(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Said> {
  const child = spawn(resolve('node_modules/.bin/node'), ['.ci/annals.mjs', ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      ENV_FILE: '/dev/null',
      DATA_DIR: dataDir,
      ...env,
    },
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const [code] = (await once(child, 'close')) as [number | null];
  // What the build says of itself is not the program's.
  return { code, out, err: err.replace(/^built \d+ files\n/, '') };
}

describe('annals', () => {
  it('says with --help what there is, and of each command what it takes', async () => {
    const { code, out, err } = await annals(['--help']);
    expect([code, err]).toEqual([0, '']);
    for (const { name, summary } of COMMANDS) expect(out).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
    for (const words of [
      ['copy-log', '--help'],
      ['help', 'copy-log'],
      ['copy-log', 'to-embedded', '-h'],
    ]) {
      const help = await annals(words);
      expect(help.code).toBe(0);
      expect(help.out).toMatch(/^usage: annals copy-log to-eventstoredb\|to-embedded \[--resume\]\n/);
    }
  });

  it('says its version', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    expect(await annals(['--version'])).toEqual({ code: 0, out: `annals ${version}\n`, err: '' });
  });

  it.each([
    [[], 'name a command'],
    [['rebuld'], 'unknown command "rebuld"'],
    [['--verbose'], 'unknown option "--verbose"'],
    [['rebuild', '--fast'], 'rebuild: unknown option "--fast"'],
    [['rebuild', 'now'], 'rebuild: unexpected "now"'],
    [['start', '--port=80'], 'start: unknown option "--port=80"'],
    [['copy-log'], 'copy-log: say to-eventstoredb or to-embedded'],
    [['copy-log', 'to-kafka'], 'copy-log: "to-kafka" is not to-eventstoredb or to-embedded'],
    [['help', 'toString'], 'unknown command "toString"'],
    [['rebuild', '__proto__'], 'rebuild: unexpected "__proto__"'],
    [['rebuild', '--\n'], 'rebuild: unknown option "--\\n"'],
  ])('%j is one line and exit code 2', async (words, message) => {
    const { code, out, err } = await annals(words);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^annals: [^\n]+\n$/);
    expect(err).toContain(message);
  });

  it('says in one line which setting is wrong, and ends with 1', async () => {
    for (const command of ['start', 'rebuild', 'verify-log']) {
      const { code, out, err } = await annals([command], { PORT: 'eighty' });
      expect([command, code, out]).toEqual([command, 1, '']);
      expect(err).toMatch(/^PORT [^\n]+\n$/);
    }
    const { code, err } = await annals(['copy-log', 'to-embedded']);
    expect([code, err]).toEqual([1, 'EVENTSTORE_URL must be set to copy a log\n']);
  });

  it('refuses a folder without a log, and makes nothing there', async () => {
    for (const command of ['rebuild', 'verify-log']) {
      const { code, out, err } = await annals([command], { DATA_DIR: join(dataDir, 'nowhere') });
      expect([command, code, out]).toEqual([command, 1, '']);
      expect(err).toMatch(/^DATA_DIR must be [^\n]+\n$/);
    }
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('refuses a log that another process has, and does not hang', async () => {
    const service = await ServiceProcess.start();
    try {
      const { code, err } = await annals(['verify-log'], { DATA_DIR: service.dataDir });
      expect(code).toBe(1);
      expect(err).toMatch(/^[^\n]+\n$/);
    } finally {
      await service.dispose();
    }
  });
});

describe('on the log of a service that has run', () => {
  let service: ServiceProcess;
  let session: string;
  beforeAll(async () => {
    service = await ServiceProcess.start();
    const client = service.client();
    session = (await client.runToEnd('What is 6 x 7?')).session;
    // It asks for a seal, and waits for it. Another one may have been made before, when its time came.
    expect((await client.get(`/sessions/${session}/export`)).status).toBe(200);
    await service.kill('SIGTERM');
  });
  afterAll(() => service.dispose());

  const on = (...words: string[]) =>
    annals(words, { DATA_DIR: service.dataDir, ANNALS_ADMIN_KEY: ADMIN_KEY });

  it('verify-log finds nothing wrong, and shows how far it is', async () => {
    const { code, out, err } = await on('verify-log');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^annals\.local\/[0-9a-f-]+: [1-9] seals\n(\d+) events \(\1 proven, 0 erased\), \d+ streams, 1 runs \(0 not ended\), 0 faults\n$/,
    );
    expect(err).toMatch(/\d+%/);
  });

  it('copy-log takes it to EventStoreDB and back, where it is as sound', async () => {
    const server = await EsdbServer.start();
    const other = await mkdtemp(join(tmpdir(), 'annals-copied-'));
    try {
      const key = await readFile(join(service.dataDir, 'master.key'), 'utf8');
      const env = { EVENTSTORE_URL: server.url, ANNALS_ADMIN_KEY: ADMIN_KEY, ANNALS_MASTER_KEY: key.trim() };
      const { out: verified } = await on('verify-log');
      for (const [direction, folder] of [
        ['to-eventstoredb', service.dataDir],
        ['to-embedded', other],
      ] as const) {
        const { code, err } = await annals(['copy-log', direction], { ...env, DATA_DIR: folder });
        expect([direction, code, err]).toEqual([direction, 0, expect.stringMatching(/100%/)]);
      }
      const there = await annals(['verify-log'], { ...env, DATA_DIR: service.dataDir });
      expect(there).toMatchObject({ code: 0, out: verified });
    } finally {
      server.stop();
      await rm(other, { recursive: true, force: true });
    }
  });

  it('rebuild fills the lists anew, and start goes on with them', async () => {
    const { code, out, err } = await on('rebuild');
    expect(code).toBe(0);
    expect(out).toMatch(/^\d+ events in \d+\.\d s\n$/);
    expect(err).toMatch(/\d+%/);
    await service.launch();
    const { items } = (await service.client().get('/sessions')).json<{ items: { session: string }[] }>();
    expect(items.map((item) => item.session)).toEqual([session]);
    expect(await service.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});
