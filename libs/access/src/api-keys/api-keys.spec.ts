import { hash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Problem, type Scope } from '#domain';
import { type Batch, type EventLog, SqliteEventLog, collect, newEvent } from '#event-log';
import { type Clock, ProcessBackground, SecretBox, SilentLogger, SystemClock, SystemRandom } from '#platform';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { ScriptedLog } from '../../../../test/support/scripted-log.js';
import { ApiKeys } from './api-keys.js';
import type { ApiKeysOptions } from './key-shapes.js';
import { ROOT_KEY_ID } from './root-key.js';
import type { Principal } from './principal.js';

const ADMIN = 'the-operators-own-key';

/** A log that others write to; its subscriptions end when somebody says so. */
class SharedLog extends ScriptedLog {
  override isShared = true;
  readonly breaking = new AbortController();

  override subscribeAll(options: Parameters<EventLog['subscribeAll']>[0]): AsyncIterable<Batch> {
    return super.subscribeAll({
      ...options,
      signal: AbortSignal.any([options.signal, this.breaking.signal]),
    });
  }
}

describe('api keys', () => {
  let folder: string;
  let log: SqliteEventLog;
  let stop: AbortController;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'annals-apikeys-'));
    stop = new AbortController();
    log = await SqliteEventLog.open({ folder, logger: new SilentLogger() });
  });
  afterEach(async () => {
    stop.abort();
    await log.close();
    rmSync(folder, { recursive: true });
  });

  const open = async (
    options: Partial<ApiKeysOptions> = {},
    { on = log, clock = new SystemClock() }: { on?: EventLog; clock?: Clock } = {},
  ) => {
    const logger = new SilentLogger();
    const keys = new ApiKeys(
      {
        log: on,
        clock,
        random: new SystemRandom(),
        box: new SecretBox(Buffer.alloc(32, 1)),
        background: new ProcessBackground(logger),
        logger,
      },
      { adminKey: ADMIN, webhookSecret: null, ...options },
    );
    const shown: string[] = [];
    await keys.start(stop.signal);
    await keys.makeFirst(({ key }) => shown.push(key));
    return { keys, shown };
  };
  const as = (keys: ApiKeys, key: string): Principal => {
    const principal = keys.authenticate(key);
    if (principal === null) throw new Error('not a key');
    return principal;
  };
  const codeOf = async (refused: Promise<unknown>) =>
    refused.then(
      () => 'nothing',
      (error: unknown) => (error instanceof Problem ? error.code : String(error)),
    );
  const READ: readonly Scope[] = ['read'];
  const write = (stream: string, type: string, data: object) =>
    log.append(
      stream,
      [newEvent({ id: randomUUID(), type, time: 0, data }, { schemaVersion: 1, project: 'p', actor: 'x' })],
      { expected: 'any' },
    );

  test('the scope metrics is given by the first admin key; given by others it counts for nothing', async () => {
    const { keys } = await open();
    const root = as(keys, ADMIN);
    const admin = await keys.issue(root, { name: 'a', scopes: ['admin'], project: 'p' });
    const wish = { name: 'scrape', scopes: ['metrics', 'read'] as const };
    expect(await codeOf(keys.issue(as(keys, admin.key), wish))).toBe('forbidden');
    const given = await keys.issue(root, { ...wish, project: 'p' });
    // As a log of before this was asked may hold it.
    const data = { ...given.record, id: 'key_old', hash: hash('sha256', 'old', 'hex'), webhook_secret: '' };
    const meta = { schemaVersion: 1, project: 'p', actor: admin.record.id };
    const event = newEvent({ id: randomUUID(), type: 'api_key_issued', time: 0, data }, meta);
    await log.append('apikey-key_old', [event], { expected: 'no_stream' });
    const { keys: later } = await open();
    expect([...as(later, given.key).scopes]).toEqual(['metrics', 'read']);
    expect([...as(later, 'old').scopes]).toEqual(['read']);
  });

  test('nobody comes to the scope metrics by a link that they make for a key that has it', async () => {
    const { keys } = await open();
    const root = as(keys, ADMIN);
    const admin = await keys.issue(root, { name: 'a', scopes: ['admin'], project: 'p' });
    const both = await keys.issue(root, { name: 'b', scopes: ['admin', 'metrics'], project: 'p' });
    const scrape = await keys.issue(root, { name: 'scrape', scopes: ['metrics'], project: 'p' });
    const linkOf = (by: string, id: string) =>
      codeOf(keys.makeSignInLink(as(keys, by), id, { to: '/console', lifeMs: 60_000 }));
    expect(await linkOf(admin.key, scrape.record.id)).toBe('forbidden');
    expect(await linkOf(admin.key, both.record.id)).toBe('forbidden');
    expect(await linkOf(admin.key, admin.record.id)).toBe('nothing');
    expect(await linkOf(both.key, scrape.record.id)).toBe('nothing');
    expect(await linkOf(ADMIN, scrape.record.id)).toBe('nothing');
  });

  test('a set admin key is the root of project default, and stands nowhere', async () => {
    const { keys, shown } = await open();
    expect(shown).toEqual([]);
    expect(as(keys, ADMIN)).toMatchObject({ keyId: ROOT_KEY_ID, project: 'default', isRoot: true });
    expect(await log.head()).toBe(0);
    expect(keys.list(as(keys, ADMIN), 50).items).toEqual([]);
  });

  test('without one, a first key is made once, shown once and found again', async () => {
    const { shown } = await open({ adminKey: null });
    expect(shown).toEqual([expect.stringMatching(/^annals_[\w-]{43}$/)]);
    const again = await open({ adminKey: null });
    expect(again.shown).toEqual([]);
    expect(as(again.keys, shown[0] ?? '')).toMatchObject({ isRoot: true, keyId: ROOT_KEY_ID });
    const [event] = await collect(log.readStream('apikey-key_root'));
    expect(JSON.stringify(event?.data)).not.toContain(shown[0]);
    // One that is set later replaces it.
    expect((await open()).keys.authenticate(shown[0] ?? '')).toBeNull();
  });

  test('an issued key works at once and after a restart, until it is revoked', async () => {
    const { keys } = await open();
    const root = as(keys, ADMIN);
    const issued = await keys.issue(root, { name: 'ci', scopes: ['run', 'run'], project: 'p1' });
    expect(as(keys, issued.key)).toEqual({
      keyId: issued.record.id,
      project: 'p1',
      scopes: new Set(['run']),
      isRoot: false,
    });
    const { keys: later } = await open();
    expect(as(later, issued.key).keyId).toBe(issued.record.id);
    expect(later.webhookSecretOf(issued.record.id)).toBe(issued.webhookSecret);
    expect(Buffer.from(issued.webhookSecret.slice(6), 'base64')).toHaveLength(32);
    await later.revoke(root, issued.record.id);
    expect(later.authenticate(issued.key)).toBeNull();
    expect((await open()).keys.authenticate(issued.key)).toBeNull();
    expect(await codeOf(later.revoke(root, issued.record.id))).toBe('not_found');
    // The other process did not hear of it here, since the log is this process's own; revoking again is no error there.
    expect(await codeOf(keys.revoke(root, issued.record.id))).toBe('nothing');
  });

  test('what is on the log is neither the key nor its webhook secret', async () => {
    const { keys } = await open();
    const { record, key, webhookSecret } = await keys.issue(as(keys, ADMIN), { name: 'a', scopes: READ });
    const [event] = await collect(log.readStream(`apikey-${record.id}`));
    expect(event?.data).toMatchObject({ id: record.id, name: 'a', scopes: READ, hash: record.hash });
    for (const secret of [key, webhookSecret]) expect(event?.json).not.toContain(secret);
  });

  test('an admin key administers its own project', async () => {
    const { keys } = await open();
    const root = as(keys, ADMIN);
    const admin = as(keys, (await keys.issue(root, { name: 'a', scopes: ['admin'], project: 'p1' })).key);
    const other = await keys.issue(root, { name: 'o', scopes: READ });
    expect(await codeOf(keys.issue(admin, { name: 'x', scopes: READ, project: 'p2' }))).toBe('forbidden');
    expect(await codeOf(keys.revoke(admin, other.record.id))).toBe('not_found');
    expect(await codeOf(keys.revoke(admin, ROOT_KEY_ID))).toBe('not_found');
    const own = await keys.issue(admin, { name: 'own', scopes: READ });
    expect(own.record.project).toBe('p1');
    expect(
      keys
        .list(admin, 50)
        .items.map(({ name }) => name)
        .sort(),
    ).toEqual(['a', 'own']);
    expect(keys.list(root, 50).items).toHaveLength(3);
    expect(await codeOf(keys.revoke(admin, own.record.id))).toBe('nothing');
  });

  test('lists in pages, newest first', async () => {
    const { keys } = await open();
    const root = as(keys, ADMIN);
    for (let n = 0; n < 5; n++) await keys.issue(root, { name: String(n), scopes: READ });
    const all = keys.list(root, 200);
    expect(all.next_cursor).toBeNull();
    const paged = [];
    let cursor: string | undefined;
    do {
      const { items, next_cursor } = keys.list(root, 2, cursor);
      paged.push(...items);
      cursor = next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(paged).toEqual(all.items);
    expect(await codeOf(Promise.resolve().then(() => keys.list(root, 2, 'nonsense')))).toBe(
      'invalid_request',
    );
  });

  test('is refused from its end on, and its tasks stop; one without an end has none', async () => {
    const clock = new ManualClock(1_000_000);
    const { keys } = await open({}, { clock });
    const root = as(keys, ADMIN);
    const wish = { name: 'a', scopes: READ };
    const issued = await keys.issue(root, { ...wish, expiresAt: 1_060_000 });
    const { record: endless } = await keys.issue(root, wish);
    const [{ id }, later] = [issued.record, (await open({}, { clock })).keys];
    clock.advance(59_999);
    for (const some of [keys, later])
      expect([as(some, issued.key).expiresAt, some.mayAct(id)]).toEqual([1_060_000, true]);
    clock.advance(1);
    for (const some of [keys, later]) {
      expect([some.authenticate(issued.key), some.mayAct(id)]).toEqual([null, false]);
      expect(some.mayAct(endless.id)).toBe(true);
    }
    expect(await codeOf(keys.issue(root, { ...wish, expiresAt: clock.now() }))).toBe('invalid_request');
  });

  test('what a revoked key has left to be done is stopped, unless it was to be kept, also after a restart', async () => {
    const { keys } = await open();
    const root = as(keys, ADMIN);
    const wish = { name: 'a', scopes: READ };
    const [one, two] = [await keys.issue(root, wish), await keys.issue(root, wish)];
    await keys.revoke(root, one.record.id);
    await keys.revoke(root, two.record.id, { keepsTasks: true });
    for (const some of [keys, (await open()).keys]) {
      expect([one, two].map(({ record }) => some.mayAct(record.id))).toEqual([false, true]);
      expect([one, two].map(({ key }) => some.authenticate(key))).toEqual([null, null]);
      // Their callbacks go on, and the receivers know this secret.
      expect(some.webhookSecretOf(one.record.id)).toBe(one.webhookSecret);
      expect(some.mayAct('kafka')).toBe(true);
    }
  });

  test('hears of what others issue and revoke, and tells of each revocation once', async () => {
    const here = (await open({}, { on: new SharedLog(log) })).keys;
    const there = (await open({}, { on: new SharedLog(log) })).keys;
    const told: string[] = [];
    here.onRevoked((id) => told.push(id));
    const { record, key } = await there.issue(as(there, ADMIN), { name: 'a', scopes: READ });
    while (here.authenticate(key) === null) await new Promise(setImmediate);
    // What nobody here knows, and what is no key's at all, is passed over.
    await write(`apikey-${record.id}`, 'api_key_painted', { id: record.id, colour: 'red' });
    await write('apikey-key_odd', 'api_key_issued', {});
    await there.revoke(as(there, ADMIN), record.id);
    while (here.authenticate(key) !== null) await new Promise(setImmediate);
    expect(here.problem).toBeNull();
    expect(told).toEqual([record.id]);
    expect((await open()).keys.authenticate(key)).toBeNull();
  });

  test('a key is what its own stream says', async () => {
    const { keys } = await open();
    const { record, key } = await keys.issue(as(keys, ADMIN), { name: 'a', scopes: READ });
    const data = { id: record.id, name: 'b', hash: record.hash, scopes: ['admin'], webhook_secret: '' };
    await write('apikey-key_other', 'api_key_issued', data);
    await write('apikey-key_other', 'api_key_revoked', { id: record.id });
    expect(as((await open()).keys, key).scopes).toEqual(new Set(READ));
  });

  test('says so where it cannot go on', async () => {
    const shared = new SharedLog(log);
    const { keys } = await open({}, { on: shared });
    await keys.issue(as(keys, ADMIN), { name: 'a', scopes: READ });
    shared.breaking.abort();
    while (keys.problem === null) await new Promise(setImmediate);
    expect(keys.problem).toContain('not followed');
  });
});
