import { mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
import { Gate, before, call, say } from '../support/scripted-model.js';
import { filesWith } from '../support/search-bytes.js';
import { ServiceProcess } from '../support/service-process.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

/** What a start says that does not go through: one line, and exit code 1. */
async function refusalOf(service: ServiceProcess, env: Record<string, string> = {}): Promise<string> {
  const from = service.output.length;
  service.spawn({ env });
  const exit = await service.exited;
  const said = service.output.slice(from);
  expect([exit.code, said.trim().split('\n').length, said]).toEqual([1, 1, said]);
  return said.trim();
}

async function onFolder(play: (service: ServiceProcess) => Promise<void>): Promise<void> {
  const service = await ServiceProcess.prepare();
  try {
    await play(service);
  } finally {
    await service.dispose();
  }
}

describe('a start', () => {
  it('is refused in one line that names the variable', () =>
    onFolder(async (service) => {
      for (const [name, value] of [
        ['PORT', 'http'],
        ['MAX_RUNS', '0'],
        ['RUN_TIMEOUT_S', '-1'],
        ['OPENAI_BASE_URL', 'ftp://x'],
        ['ANNALS_ADMIN_KEY', 'short'],
        ['ANNALS_MASTER_KEY', 'not 32 bytes'],
        ['DATABASE_URL', 'mysql://user:hunter2@host/db'],
        ['ROLES', 'api,chef'],
        ['EVENTSTORE_URL', 'esdb://user:hunter2@host:99999'],
        ['DATA_DIR', '/etc/passwd'],
        ['DATA_DIR', '/proc/nope'],
      ] as const) {
        const line = await refusalOf(service, { [name]: value });
        expect(line).toMatch(new RegExp(`^${name} must be `));
        expect(line).not.toContain(value === '0' || value === '-1' ? '\0' : value);
      }
    }));

  it('is refused in one line where it cannot listen', () =>
    onFolder(async (service) => {
      service.spawn({ env: { HOST: '192.0.2.1' } });
      expect((await service.exited).code).toBe(1);
      // The database was made before, and said so.
      const lines = service.output
        .trim()
        .split('\n')
        .filter((line) => !line.startsWith('{'));
      expect(lines).toEqual([expect.stringMatching(/^HOST and PORT must be .*EADDRNOTAVAIL$/)]);
    }));

  it('is refused to a second service on the same folder, which harms the first in nothing', async () => {
    const stage = await Stage.open();
    const second = await ServiceProcess.prepare({ dataDir: stage.service.dataDir });
    try {
      const line = await refusalOf(second);
      expect(line).toMatch(new RegExp(`in use by process ${stage.service.pid}`));
      expect((await stage.client.runToEnd('still there?')).status).toBe('completed');
      expect((await stage.client.all('/runs')).length).toBe(1);
    } finally {
      await second.kill();
      await stage.close();
    }
  });

  it('is refused with a log that is torn, of another program, or missing its main file', async () => {
    const stage = await Stage.open();
    const { service } = stage;
    try {
      for (let n = 0; n < 20; n++) await stage.client.runToEnd(`run ${n}`);
      await service.kill('SIGTERM');
      const file = join(service.dataDir, 'log', 'log.db');
      const whole = readFileSync(file);
      truncateSync(file, Math.floor(statSync(file).size / 2 / 4096) * 4096);
      expect(await refusalOf(service)).toMatch(/log\.db is (cut short|damaged)/);
      writeFileSync(file, 'this is no database, and was never one. '.repeat(500));
      expect(await refusalOf(service)).toMatch(/log\.db is not a SQLite file/);
      writeFileSync(file, '');
      const foreign = new DatabaseSync(file);
      foreign.exec('CREATE TABLE theirs (x); PRAGMA application_id=7');
      foreign.close();
      expect(await refusalOf(service)).toMatch(/another program/);
      writeFileSync(file, whole);
      await service.launch();
      expect(await stage.client.all('/runs')).toHaveLength(20);
    } finally {
      await stage.close();
    }
  });
});

describe('SIGTERM', () => {
  it('ends open streams so that they can be resumed, and loses nothing of the runs under way', async () => {
    const stage = await Stage.open({ env: { SHUTDOWN_GRACE_S: '1' } });
    const { client, book, service } = stage;
    try {
      const gate = new Gate();
      const message = book.on('under way', say('one ', before(gate), 'two'));
      const stream = await client.run({ message, streaming_tokens: true });
      await stream.untilType('agent_response');
      const idle = await client.runToEnd('idle');
      const follower = await client.follow(`/sessions/${idle.session}`);
      await follower.until(({ event }) => event.type === 'agent_completed');
      const exit = await service.kill('SIGTERM');
      expect(exit).toEqual({ code: 0, signal: null });
      for (const one of [stream, follower]) {
        await one.closed();
        expect([one.end, one.others.at(-1)]).toEqual(['ended', 'retry: 1000']);
      }
      expect(stream.isOver).toBe(false);
      expect(service.leftovers()).toEqual([]);
      gate.open();
      await service.launch();
      const rest = await (await client.follow(`/runs/${stream.run}`, stream.lastId)).closed();
      const said = rest.records.filter(({ event }) => event.type === 'agent_response');
      expect(said.map(({ event }) => event.content).join('')).toBe('one two');
      expect(rest.lines.filter((line) => !line.startsWith('agent_response '))).toEqual([
        'agent_response_start',
        'agent_step 1',
        'agent_cost 0',
        'agent_completed',
      ]);
    } finally {
      await stage.close();
    }
  });

  it('is a stop like any other while the database is still looked for', () =>
    onFolder(async (service) => {
      const env = {
        DATABASE_URL: 'postgres://annals:hunter2@127.0.0.1:1/annals',
        ANNALS_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      };
      service.spawn({ env });
      await until(() => service.output.includes('"msg":"listening"'));
      expect(await service.kill('SIGTERM')).toEqual({ code: 0, signal: null });
      expect(service.output).toContain('"msg":"stopped"');
      expect(service.output).not.toMatch(/hunter2|\n {4}at /);
    }));

  it('is a stop like any other, with nothing to be looked into, while its own database is started', () =>
    onFolder(async (service) => {
      for (let start = 1; start <= 3; start++) {
        const from = service.output.length;
        service.spawn();
        await until(() => service.output.includes('"msg":"listening"', from));
        expect(await service.kill('SIGTERM')).toEqual({ code: 0, signal: null });
        expect(service.output.slice(from)).not.toMatch(/"level":"(?:warn|error)"/);
        expect(service.output.slice(from)).toContain('"msg":"stopped"');
      }
    }));

  it('tells whoever waits for the end of a run where to find it', async () => {
    const stage = await Stage.open({ env: { SHUTDOWN_GRACE_S: '1' } });
    const { client, book, service } = stage;
    try {
      const gate = new Gate();
      const message = book.on('waited for', say('one ', before(gate), 'two'));
      const waiting = client.post('/', { message }, { headers: { accept: 'application/json' } });
      for (let runs: unknown[] = []; runs.length === 0;) runs = await client.all('/runs');
      await service.kill('SIGTERM');
      const answer = await waiting;
      expect([answer.status, answer.json()['code']]).toEqual([503, 'unavailable']);
      gate.open();
      await service.launch();
      const run = await client.get(String(answer.headers['content-location']));
      expect(run.status).toBe(200);
    } finally {
      await stage.close();
    }
  });

  it('lets a run come to the end of its turn', async () => {
    const stage = await Stage.open();
    const { client, book, service } = stage;
    try {
      const gate = new Gate();
      const message = book.on('a turn', say('one ', before(gate), ...call(0, 'c', 'lookup')), say('two'));
      const stream = await client.run({ message, streaming_tokens: true });
      await stream.untilType('agent_response');
      service.signal('SIGTERM');
      while (!service.output.includes('"stopping"')) await new Promise(setImmediate);
      // Refused, or taken by the kernel before the port was closed and cut with it.
      await expect(client.post('/', { message: 'too late' })).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
      gate.open();
      expect((await service.exited).code).toBe(0);
      await service.launch();
      const rest = await (await client.follow(`/runs/${stream.run}`)).closed();
      expect(rest.lines.at(-1)).toBe('agent_completed');
      expect(book.asksOf(message, 0)).toBe(1);
    } finally {
      await stage.close();
    }
  });

  it('a second time ends at once, and the run goes on after the next start', async () => {
    const stage = await Stage.open();
    const { client, book, service } = stage;
    try {
      const gate = new Gate();
      const message = book.on('impatient', say('one ', before(gate), 'two'));
      const stream = await client.run({ message, streaming_tokens: true });
      await stream.untilType('agent_response');
      service.signal('SIGTERM');
      while (!service.output.includes('"stopping"')) await new Promise(setImmediate);
      const exit = await service.kill('SIGTERM');
      expect(exit.code).toBe(1);
      gate.open();
      await service.launch();
      const rest = await (await client.follow(`/runs/${stream.run}`)).closed();
      expect(rest.lines.at(-1)).toBe('agent_completed');
    } finally {
      await stage.close();
    }
  });
});

/** All others: test/e2e/secrets.spec.ts. */
describe('secrets', () => {
  it('of the first start are shown once, on the terminal', () =>
    onFolder(async (service) => {
      mkdirSync(service.dataDir, { recursive: true });
      await service.launch({ env: { ANNALS_ADMIN_KEY: '' } });
      const key = /annals_\S+/.exec(service.output)?.[0] ?? '';
      expect((await service.client(key).get('/runs')).status).toBe(200);
      const from = service.output.length;
      await service.restart('SIGKILL', { env: { ANNALS_ADMIN_KEY: '' } });
      expect(service.output.slice(from)).not.toContain('annals_');
      expect((await service.client(key).get('/runs')).status).toBe(200);
      await service.kill('SIGTERM');
      expect(await filesWith(service.dataDir, [key])).toEqual([]);
    }));
});
