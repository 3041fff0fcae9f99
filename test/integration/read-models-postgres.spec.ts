import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ProcessBackground, SystemClock, SystemRandom } from '#platform';
import { ReadModelsUnavailable } from '#read-models';
import { Database } from '../../libs/read-models/src/postgres/database.js';
import {
  answer,
  append,
  event,
  type Fixture,
  newSession,
  openFixture,
  opening,
  PROJECT,
  said,
} from '../support/read-models-fixture.js';
import { wholeHistory } from '../support/whole-history.js';
import { until } from '../support/until.js';

let fixture: Fixture;
beforeAll(async () => void (fixture = await openFixture()));
afterAll(() => fixture.close());
beforeEach(() => void fixture.logger.lines.splice(0));

/** Projects what it appends, for ever; says the pid of its postmaster when the first run is in the tables. */
const SERVICE = `
import { readFileSync } from 'node:fs';
import { newEvent, SqliteEventLog } from '#event-log';
import { MemoryFileStore } from '#vault';
import { ProcessBackground, SilentLogger, SystemClock, SystemRandom } from '#platform';
import { openReadModels } from '#read-models';
const folder = process.argv[2];
const logger = new SilentLogger();
const [clock, random] = [new SystemClock(), new SystemRandom()];
const log = await SqliteEventLog.open({ folder: folder + '/log', logger, reserveBytes: 0 });
const models = openReadModels({ folder: folder + '/postgres', log, files: new MemoryFileStore(), clock, random, logger,
  background: new ProcessBackground(logger) });
await models.ready;
const meta = { schemaVersion: 1, project: 'default', actor: 'key_1' };
const next = (type) => log.append('session-ses_1', [newEvent({ id: random.uuid(), type, time: 1, data: {} }, meta)],
  { expected: 'any' });
await next('session_opened');
await models.sessions.get('default', 'ses_1');
console.log(readFileSync(folder + '/postgres/postmaster.pid', 'utf8').split('\\n')[0]);
for (;;) await next('messages_cleared');
`;

const postmaster = (): number =>
  Number.parseInt(readFileSync(join(fixture.folder, 'postgres', 'postmaster.pid'), 'utf8'), 10);

/** Another one works in the folder: whatever the one before has left running is gone. */
const isReplaced = (pid: number): boolean => {
  try {
    return postmaster() !== pid;
  } catch {
    return false;
  }
};

const isAlive = (pid: number): boolean => {
  try {
    // A zombie of ours is dead, too.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

const oneRun = async (text = 'hi'): Promise<{ session: string; run: string }> => {
  const session = newSession();
  const run = `run_${session}_1`;
  await append(fixture.log, session, [...opening(run, text), ...answer(run, ['yes', ' and no'])]);
  return { session, run };
};

const isThere = ({ run }: { run: string }): Promise<boolean> =>
  fixture.models.runs.get(PROJECT, run).then(
    () => true,
    () => false,
  );

const rowsOf = async (...runs: { run: string }[]): Promise<unknown> =>
  Promise.all(runs.map(({ run }) => fixture.models.runs.get(PROJECT, run)));

describe('the embedded PostgreSQL', () => {
  it('keeps its files and its password from others', () => {
    const folder = join(fixture.folder, 'postgres');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(`${folder}.password`).mode & 0o777).toBe(0o600);
    expect(readdirSync(fixture.folder).toSorted()).toEqual(['log', 'postgres', 'postgres.password']);
    const open = /^\s*(?:local|host)\s.*\btrust\b/m;
    expect(readFileSync(join(folder, 'pg_hba.conf'), 'utf8')).not.toMatch(open);
  });

  it('ends with its service and has everything at the next start', async () => {
    const run = await oneRun();
    const before = await rowsOf(run);
    const pid = postmaster();
    await fixture.reopen(() => expect(isAlive(pid)).toBe(false));
    expect(await rowsOf(run)).toEqual(before);
    expect(fixture.logger.lines.filter((line) => line.level !== 'info')).toEqual([]);
  });

  it('is started again when it is killed, and history is complete meanwhile', async () => {
    const run = await oneRun();
    const before = await rowsOf(run);
    const killed = postmaster();
    process.kill(killed, 'SIGKILL');
    const later = await oneRun('while it is down');
    expect(await wholeHistory(fixture.models.history, PROJECT, later.session)).toHaveLength(2);
    // A connection of the dead one may go on answering for a moment.
    await until(() => isReplaced(killed));
    await until(() => isThere(later));
    expect(await rowsOf(run)).toEqual(before);
    expect((await fixture.models.health()).database).toEqual({ ok: true });
    expect(fixture.logger.says('it is started again')).toBe(true);
  });

  it.each(['damaged', 'foreign', 'of another version', 'without its password'])(
    'sets a folder aside that is %s, and fills a new one',
    async (what) => {
      const run = await oneRun();
      const before = await rowsOf(run);
      const folder = join(fixture.folder, 'postgres');
      await fixture.reopen(() => {
        if (what === 'damaged') truncateSync(join(folder, 'global', 'pg_control'), 100);
        if (what === 'of another version') writeFileSync(join(folder, 'PG_VERSION'), '12\n');
        if (what === 'without its password') rmSync(`${folder}.password`);
        if (what !== 'foreign') return;
        rmSync(folder, { recursive: true });
        mkdirSync(folder);
        writeFileSync(join(folder, 'notes.txt'), 'mine');
      });
      await until(() => isThere(run));
      expect(await rowsOf(run)).toEqual(before);
      expect(fixture.logger.says('set aside')).toBe(true);
      if (what === 'foreign') expect(existsSync(join(`${folder}.set-aside`, 'notes.txt'))).toBe(true);
    },
  );

  it('replaces what an earlier process left running in the folder, and a busy backend without its postmaster', async () => {
    const run = await oneRun();
    const before = await rowsOf(run);
    const folder = join(fixture.folder, 'postgres');
    await fixture.reopen(() => writeFileSync(join(folder, 'postmaster.pid'), `${process.pid}\n${folder}\n`));
    expect(await rowsOf(run)).toEqual(before);
    await fixture.reopen(async () => {
      // A process that sits in the folder stands for what was left.
      const left = spawn('sh', ['-c', 'trap "" INT QUIT; echo up; while :; do sleep 0.05; done'], {
        argv0: 'postgres: busy',
        cwd: folder,
      });
      await new Promise((resolve) => left.stdout.once('data', resolve));
    });
    expect(await rowsOf(run)).toEqual(before);
    expect(fixture.logger.lines.find((line) => line.message.startsWith('replaced'))?.fields).toMatchObject({
      by: 'SIGKILL',
    });
  });
});

describe('a service that is killed', () => {
  /** A process that projects in a folder of its own until it is killed. */
  const service = async (folder: string) => {
    const script = join(fixture.folder, 'service.mjs');
    const compiled = (_: string, name: string) =>
      `'${pathToFileURL(join('dist', 'libs', name, 'src', 'index.js')).href}'`;
    writeFileSync(script, SERVICE.replace(/'#([a-z-]+)'/g, compiled));
    const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = await new Promise<number>((resolve, reject) => {
      child.stdout.once('data', (text: Buffer) => resolve(Number(text)));
      child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
    });
    return { child, postmaster: pid };
  };
  it('takes its PostgreSQL with it', async () => {
    const { child, postmaster } = await service(join(fixture.folder, 'killed'));
    child.kill('SIGKILL');
    await until(() => !isAlive(postmaster));
  });

  it('starts again at once, time after time', async () => {
    const folder = join(fixture.folder, 'killed-often');
    const seen = new Set<number>();
    for (let life = 0; life < 5; life++) {
      const { child, postmaster } = await service(folder);
      seen.add(postmaster);
      child.kill('SIGKILL');
    }
    expect(seen.size).toBe(5);
    expect(existsSync(join(folder, 'postgres.set-aside'))).toBe(false);
    for (const postmaster of seen) await until(() => !isAlive(postmaster));
  });
});

describe('read models whose database is away', () => {
  it('say so in lists', async () => {
    const run = await oneRun();
    await fixture.models.close();
    await expect(fixture.models.runs.get(PROJECT, run.run)).rejects.toBeInstanceOf(ReadModelsUnavailable);
    expect(await wholeHistory(fixture.models.history, PROJECT, run.session)).toHaveLength(2);
    expect((await fixture.models.health()).database).toEqual({ ok: false, detail: 'the database is closed' });
    await fixture.reopen();
  });

  it('never keep an append or a history waiting', async () => {
    const { session } = await oneRun();
    process.kill(postmaster(), 'SIGSTOP');
    const stopped = postmaster();
    try {
      await append(fixture.log, session, [event('agent_response_start', 'r'), said('r', 'on and on')]);
      const messages = await wholeHistory(fixture.models.history, PROJECT, session);
      expect(messages.at(-1)).toEqual({ type: 'agent_response', content: 'on and on' });
    } finally {
      process.kill(stopped, 'SIGCONT');
    }
  });
});

describe('a database of the operator', () => {
  const openUrl = (databaseUrl: string): Database =>
    new Database({
      databaseUrl,
      folder: '',
      clock: new SystemClock(),
      random: new SystemRandom(),
      background: new ProcessBackground(fixture.logger),
      logger: fixture.logger,
    });

  it.each(['mysql://user:secret@127.0.0.1/x', 'secret', 'postgres://user:secret@[/x'])(
    'is refused in a line that does not hold the address (%s)',
    async (url) => {
      const database = openUrl(url);
      await expect(database.ready).rejects.toThrow(/^DATABASE_URL: it must be postgres:\/\//);
      expect(await database.health()).not.toContain('secret');
      await database.close();
    },
  );

  it('is asked for again and again while it does not answer, and its address is never told', async () => {
    const port = readFileSync(join(fixture.folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3];
    const closed = openUrl('postgres://user:secret@127.0.0.1:1/annals');
    const denied = openUrl(`postgres://annals:secret@127.0.0.1:${port}/postgres`);
    await until(() => fixture.logger.lines.length >= 4);
    expect(await closed.health()).toBe('the database does not answer (ECONNREFUSED)');
    expect(await denied.health()).toBe('the database does not accept the user or the password (28P01)');
    await Promise.all([closed.close(), denied.close()]);
    expect(JSON.stringify(fixture.logger.lines)).not.toContain('secret');
  });
});
