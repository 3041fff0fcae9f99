import { describe, expect, jest, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogRefused, LogUnavailable } from '#event-log';
import { EsdbEventLog } from '#eventstoredb';
import { readConnectionString } from '../../libs/eventstoredb/src/connection-string.js';
import { ServerChannel } from '../../libs/eventstoredb/src/server-channel.js';
import { EsdbServer } from '../support/esdb-server/esdb-server.js';
import { eventsOf, freshStream, idsOf } from './event-log/harness.js';
import {
  closing,
  idsIn,
  insist,
  openLog,
  RememberingLogger,
  setUp,
  startServer,
  until,
} from './esdb-harness.js';
import { quiet } from '../support/quiet.js';

/** Waiting for the server, refusing one that is of no use, losing and finding it, and keeping secrets. */

const PASSWORD = 'ch@nge:me/now';

describe('the start', () => {
  test('waits for a server that is not there yet, with a clear line, and needs no second start', async () => {
    const server = await EsdbServer.start();
    server.stop();
    const logger = new RememberingLogger();
    const opening = EsdbEventLog.open({ connectionString: server.url, logger });
    await until('a line', () => logger.lines.length > 0);
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]).toContain(`waiting for EventStoreDB {"server":"127.0.0.1:${server.port}"`);
    await server.start();
    closing(() => server.stop());
    const log = await opening;
    closing(() => log.close());
    expect(logger.lines.at(-1)).toContain('connected to EventStoreDB');
    expect(await log.health()).toEqual({ ok: true });
  });

  test.each([13, 14, 4])('outlives a first round trip that fails with code %i', async (code) => {
    const server = await startServer();
    server.faults.add('features', { kind: 'error', code }, { times: 3 });
    const log = await openLog(server);
    expect(await log.append(freshStream(), eventsOf(1), { expected: 'no_stream' })).toMatchObject({
      first: 0,
    });
  });

  // The id, read and, on a server without one, appended; the largest append; the head.
  test.each([
    ['read', 0],
    ['read', 1],
    ['append', 0],
    ['append', 1],
  ] as const)('outlives silence at a %s, after %i of them', async (call, skip) => {
    const server = await startServer();
    server.faults.add(call, { kind: 'silence' }, { skip });
    const log = await openLog(server, { appendTimeoutMs: 100, readTimeoutMs: 100 });
    expect(server.faults.left).toBe(0);
    const result = await insist(log, freshStream(), eventsOf(1), 'no_stream');
    expect(result).toMatchObject({ first: 0, position: server.store.all.at(-1)!.position });
  });

  test('is given up when its signal is aborted', async () => {
    const controller = new AbortController();
    const opening = EsdbEventLog.open({
      connectionString: 'esdb://127.0.0.1:1?tls=false',
      logger: new RememberingLogger(),
      signal: controller.signal,
    });
    await quiet(100);
    controller.abort();
    await expect(opening).rejects.toBeInstanceOf(LogRefused);
  });

  test('refuses a server that is too old, and one whose appends are too small', async () => {
    await expect(openLog(await startServer({ version: '22.10.5' }))).rejects.toThrow(
      /is version 22\.10\.5; it must be 23\.10 or newer/,
    );
    await expect(openLog(await startServer({ maxAppendBytes: 500_000 }))).rejects.toThrow(
      /too small appends: the server takes 500000 bytes an append; set MaxAppendSize/,
    );
  });

  test('the log keeps its id, and two that start at once agree on it', async () => {
    const server = await startServer();
    const logs = await Promise.all([openLog(server), openLog(server), openLog(server)]);
    expect(new Set(logs.map((log) => log.logId)).size).toBe(1);
    expect((await openLog(server)).logId).toBe(logs[0].logId);
    expect((await openLog(server, { prefix: 'other.' })).logId).not.toBe(logs[0].logId);
  });

  test('logs with different prefixes on one server do not see each other', async () => {
    const server = await startServer();
    const [one, other] = [await openLog(server), await openLog(server, { prefix: 'other.' })];
    await one.append('session-1', eventsOf(2), { expected: 'no_stream' });
    await other.append('session-1', eventsOf(1), { expected: 'no_stream' });
    expect(server.store.of('annals.session-1')).toHaveLength(2);
    expect(server.store.of('other.session-1')).toHaveLength(1);
    for await (const batch of other.readAll()) expect(batch.events).toHaveLength(1);
  });
});

describe('a server that goes', () => {
  test('is found again without a restart; meanwhile appends are refused at once and nothing is stored', async () => {
    const { server, log } = await setUp();
    const stream = freshStream();
    const first = eventsOf(1);
    await log.append(stream, first, { expected: 'no_stream' });
    server.stop();
    await until('it is known', async () => !(await log.health()).ok);
    expect(await log.health()).toMatchObject({ ok: false, detail: expect.stringContaining('127.0.0.1:') });
    await expect(log.append(stream, eventsOf(1), { expected: 0 })).rejects.toBeInstanceOf(LogUnavailable);
    await expect(log.head()).rejects.toBeInstanceOf(LogUnavailable);
    await server.start();
    const second = eventsOf(1);
    await insist(log, stream, second, 0);
    expect(await idsIn(log, stream)).toEqual([...idsOf(first), ...idsOf(second)]);
    await until('it is well', async () => (await log.health()).ok);
  });

  test('with 200 appends in flight: all unknown, and each stored once in the end', async () => {
    const { server, log } = await setUp();
    server.faults.add('append', { kind: 'silence', stored: true }, { times: 100 });
    server.faults.add('append', { kind: 'silence' }, { times: 100 });
    const batches = Array.from({ length: 200 }, () => ({ stream: freshStream(), events: eventsOf(1) }));
    const lost = Promise.allSettled(
      batches.map(({ stream, events }) => log.append(stream, events, { expected: 'no_stream' })),
    );
    await until('all are there', () => server.store.all.length >= 101);
    server.stop();
    for (const append of await lost)
      expect(append).toMatchObject({ status: 'rejected', reason: { name: 'AppendOutcomeUnknown' } });
    server.faults.clear();
    await server.start();
    await Promise.all(batches.map(({ stream, events }) => insist(log, stream, events, 'no_stream')));
    for (const { stream, events } of batches) expect(await idsIn(log, stream)).toEqual(idsOf(events));
  });

  test('subscribers go on where they were', async () => {
    const { server, log } = await setUp();
    const seen: string[] = [];
    const stop = new AbortController();
    const following = (async () => {
      for await (const batch of log.subscribeAll({ signal: stop.signal })) seen.push(...idsOf(batch.events));
    })();
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) {
      const events = eventsOf(3);
      ids.push(...idsOf(events));
      await insist(log, 's', events, n * 3 - 1);
      await server.restart();
    }
    await until('all came', () => seen.length >= ids.length);
    stop.abort();
    await following;
    expect(seen).toEqual(ids);
  });
});

describe('the connection string', () => {
  test('a wrong password is refused at the start, and shown nowhere', async () => {
    const server = await startServer({ credentials: { username: 'annals', password: PASSWORD } });
    const connectionString = server.url.replace(encodeURIComponent(PASSWORD), 'wr0ng-secret');
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    const logger = new RememberingLogger();
    const error: unknown = await EsdbEventLog.open({
      connectionString: `${connectionString}&tlsVerifyCert=false&odd=1&throwOnAppendFailure=false`,
      logger,
    }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(LogRefused);
    expect(String(error)).toContain('refuses the user or the password');
    const said = [String(error), ...logger.lines, ...warn.mock.calls.flat().map(String)].join('\n');
    expect(said).not.toContain('wr0ng-secret');
    expect(said).toContain('options of EVENTSTORE_URL that have no effect');
    warn.mockRestore();
  });

  test('that cannot be read ends the start, and is not shown', async () => {
    const opening = EsdbEventLog.open({
      connectionString: 'esdb://u:hunter2@h?tls=hunter2',
      logger: new RememberingLogger(),
    });
    const error: unknown = await opening.catch((e: unknown) => e);
    expect(error).toBeInstanceOf(LogRefused);
    expect(String(error)).toContain('EVENTSTORE_URL');
    expect(String(error)).not.toContain('hunter2');
  });

  test.each([
    'postgres://u:hunter2@h:1',
    'esdb://u:hunter2@',
    'esdb://u:hunter2@h:x',
    'esdb://u:hunter2@h?keepAliveInterval=hunter2',
    'esdb://u:%zzhunter2@h',
    'esdb://u:hunter2@h?tls=hunter2',
    'esdb://u:hunter2@h?tlsCAFile=/nowhere/ca.crt',
  ])('what is wrong with %s is said without its secrets', (text) => {
    let message = '';
    try {
      readConnectionString(text);
    } catch (error) {
      expect(error).toBeInstanceOf(LogRefused);
      message = (error as Error).message;
    }
    expect(message).toMatch(/^EVENTSTORE_URL/);
    expect(message).not.toContain('hunter2');
  });

  test('is read as the client would read it', () => {
    const target = readConnectionString(
      'kurrentdb://u:p%40ss@a:1,b?tls=false&Connection_Name=x&gossipTimeout=3',
    );
    expect(target).toMatchObject({
      hosts: [
        { address: 'a', port: 1 },
        { address: 'b', port: 2113 },
      ],
      discovers: 'gossip',
      credentials: { username: 'u', password: 'p@ss' },
      tls: null,
      ignored: [],
    });
    expect(target.scrub('p@ss p%40ss dTpwQHNz')).toBe('*** *** ***');
    expect(readConnectionString('esdb+discover://a').discovers).toBe('dns');
  });

  test('credentials and TLS are used, on the batched call', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'annals-tls-'));
    closing(() => rmSync(folder, { recursive: true }));
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'ca%20.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const kind = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '1',
    ];
    execFileSync('openssl', [...kind, '-keyout', key, '-out', certificate, ...subject], { stdio: 'ignore' });
    const tls = { key: readFileSync(key), certificate: readFileSync(certificate) };
    const credentials = { username: 'annals', password: PASSWORD };
    const server = await startServer({ tls, credentials });
    const log = await openLog({ url: `${server.url}&tlsCAFile=${encodeURIComponent(certificate)}` });
    const stream = freshStream();
    const batch = eventsOf(2);
    await log.append(stream, batch, { expected: 'no_stream' });
    expect(await idsIn(log, stream)).toEqual(idsOf(batch));
    expect(server.calls.append).toBe(1);
    expect((await log.append(stream, eventsOf(1), { expected: 0 })).kind).toBe('conflict');
  });
});

test('a channel that is closed lets go of its connection, and its calls hear of it', async () => {
  const server = await startServer();
  const channel = new ServerChannel(readConnectionString(server.url));
  await channel.version(1_000);
  expect(server.connections).toBe(1);
  const ended = new Promise((resolve) => {
    void channel.openAppends({ messages: () => undefined, ended: resolve });
  });
  await until('the call is there', () => server.calls.append === 1);
  channel.close();
  expect(await ended).toMatchObject({ name: 'CallError', code: 1 });
  await until('it is gone', () => server.connections === 0);
  await expect(channel.version(1_000)).rejects.toThrow('closed');
});
