import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SessionId, sessionStream } from '#domain';
import { LogUnavailable, MemoryContentKeys, newEvent } from '#event-log';
import { ForkingHouse } from '../../../../test/support/forking-house.js';
import { CALLER, type HouseOptions } from '../../../../test/support/house.js';
import { lastUserOf } from '../../../../test/support/run-script.js';
import { type ClientStep, done, text } from '../../../../test/support/scripted-client.js';
import { behind, stored, unavailable } from '../../../../test/support/scripted-log.js';
import { Gate } from '../../../../test/support/scripted-turn.js';
import { SessionTape, opened } from '../../../../test/support/session-tape.js';
import { TempLog, appendTape } from '../../../../test/support/temp-log.js';

const keys = new MemoryContentKeys();
let temp: TempLog;
let count = 0;
beforeAll(async () => {
  temp = await TempLog.open(keys);
});
afterAll(() => temp.close());

const open = (options: HouseOptions) => new ForkingHouse(temp, keys, `fork ${++count}`, options);
const answers = (): ClientStep[] => [text('ok'), done()];
const eventsOf = (session: SessionId) => temp.read(sessionStream(session));
const refused = (code: string): unknown => expect.objectContaining({ code });

describe('a fork', () => {
  it('is two small appends, and its first event says all', async () => {
    const house = open({ script: answers });
    const { session } = await house.run('one');
    const before = house.log.appends.length;
    const at = await house.revisionOf(session, 'agent_completed');
    const fork = await house.fork(session, at, { title: 'Another way' });
    expect(house.log.appends.slice(before).map(({ stream, types }) => [stream, types])).toEqual([
      [sessionStream(session), ['session_forked']],
      [sessionStream(fork), ['session_opened']],
    ]);
    const [first] = await eventsOf(fork);
    expect(first?.data).toEqual({
      forked_from: { session, at },
      depth: 1,
      shared: { messages: 2, title_at: await house.revisionOf(session, 'run_requested') },
      title: 'Another way',
    });
    expect(first?.meta).toMatchObject(CALLER);
    expect((await eventsOf(session)).at(-1)?.data).toEqual({ session: fork, at });
  });

  it('is of the last event, where none is named, an internal one as well', async () => {
    const house = open({ script: answers });
    const { session } = await house.run('one');
    const last = (await eventsOf(session)).length - 1;
    const [first] = await eventsOf(await house.fork(session));
    expect(first?.data).toMatchObject({ forked_from: { session, at: last } });
    const [second] = await eventsOf(await house.fork(session));
    expect(second?.data).toMatchObject({ forked_from: { session, at: last + 1 } });
  });

  it('takes its turn with others of its project to have its session read', async () => {
    const house = open({ script: answers });
    const runs = [await house.run('one'), await house.run('two')];
    const gate = new Gate();
    house.log.hold = { prefix: sessionStream(runs[0]!.session), passed: 0, gate };
    const { reads } = house.log;
    const forks = runs.map(({ session }) => house.fork(session));
    await gate.reached;
    await new Promise(setImmediate);
    expect(house.log.reads).toBe(reads + 1);
    gate.open();
    await Promise.all(forks);
    expect(house.log.reads).toBeGreaterThan(reads + 1);
  });

  it('is refused beyond the last event, of another project, and of what is not there or erased', async () => {
    const house = open({ script: answers });
    const { session } = await house.run('one');
    const { length } = await eventsOf(session);
    await expect(house.fork(session, length)).rejects.toEqual(refused('unprocessable'));
    await expect(house.fork('ses_nowhere')).rejects.toEqual(refused('not_found'));
    await expect(house.fork('no session')).rejects.toEqual(refused('not_found'));
    const stranger = house.core.forks.fork({ session }, { project: 'other', actor: 'key_9' });
    await expect(stranger).rejects.toEqual(refused('not_found'));
    expect(await eventsOf(session)).toHaveLength(length);
    await house.erase(session);
    await expect(house.fork(session, 0)).rejects.toEqual(refused('not_found'));
    await expect(open({ script: answers }).fork(session, 0)).rejects.toEqual(refused('not_found'));
  });

  it('may be the hundredth of its line, and no more', async () => {
    const house = open({ script: answers });
    let { session } = await house.run('one');
    for (let depth = 1; depth <= 100; depth++) {
      session = await house.fork(session);
      if (depth % 50 === 0) await house.run(`at ${depth}`, { session });
    }
    await expect(house.fork(session)).rejects.toEqual(refused('unprocessable'));
    await house.run('last', { session });
    const told = ['user one', 'user at 50', 'user at 100', 'user last'];
    expect(house.told(-1)).toEqual(told.flatMap((user) => [user, 'assistant ok']).slice(0, -1));
    const cold = open({ script: answers });
    await cold.run('cold', { session });
    expect(cold.told(0)).toEqual([...house.told(-1), 'assistant ok', 'user cold']);
  });

  it('goes on by itself, and its parent too', async () => {
    const house = open({ script: (request) => [text(`re ${lastUserOf(request)}`), done()] });
    const { session } = await house.run('one');
    const fork = await house.fork(session);
    await house.run('left', { session });
    await house.run('right', { session: fork });
    await house.run('left again', { session });
    await house.run('right again', { session: fork });
    const shared = ['user one', 'assistant re one'];
    expect(house.told(3)).toEqual([...shared, 'user left', 'assistant re left', 'user left again']);
    expect(house.told(4)).toEqual([...shared, 'user right', 'assistant re right', 'user right again']);
  });

  it('of a run under way is idle, and the run goes on', async () => {
    const gate = new Gate();
    const house = open({ script: (_, n) => (n === 0 ? [text('a'), gate, done()] : answers()) });
    const first = await house.start('one');
    await gate.reached;
    const fork = await house.fork(first.session);
    await house.run('two', { session: fork });
    expect(house.told(1)).toEqual(['user one', 'user two']);
    gate.open();
    expect((await house.ended(first)).type).toBe('agent_completed');
    await house.run('three', { session: first.session });
    expect(house.told(2)).toEqual(['user one', 'assistant a', 'user three']);
  });
});

describe('a key', () => {
  it('is one fork, however often it is asked for, and no other one', async () => {
    const house = open({ script: answers });
    const { session } = await house.run('one');
    const fork = await house.fork(session, 2, { key: 'k' });
    const { length } = await eventsOf(session);
    expect(await house.fork(session, 2, { key: 'k' })).toBe(fork);
    expect(await open({ script: answers }).fork(session, 2, { key: 'k' })).toBe(fork);
    expect(await eventsOf(session)).toHaveLength(length);
    expect(await eventsOf(fork)).toHaveLength(1);
    await expect(house.fork(session, 3, { key: 'k' })).rejects.toEqual(refused('idempotency_mismatch'));
    await expect(house.fork(session, 2, { key: 'k', title: 't' })).rejects.toEqual(
      refused('idempotency_mismatch'),
    );
    await house.erase(fork);
    await expect(house.fork(session, 2, { key: 'k' })).rejects.toEqual(refused('not_found'));
  });

  it('of which a crash left the name of a fork opens it when it is asked again', async () => {
    const dying = open({ script: answers });
    const { session } = await dying.run('one');
    await dying.settled();
    // The key, the parent's event; then the process is gone.
    dying.log.next(stored, stored, () => new Promise(() => undefined));
    void dying.fork(session, undefined, { key: 'cut' });
    await dying.heard(session, ({ type }) => type === 'session_forked');
    const named = (await eventsOf(session)).at(-1)?.data as { session: SessionId };
    expect(await eventsOf(named.session)).toEqual([]);
    const next = open({ script: answers });
    expect(await next.fork(session, undefined, { key: 'cut' })).toBe(named.session);
    await next.run('two', { session: named.session });
    expect(next.told(0)).toEqual(['user one', 'assistant ok', 'user two']);
  });

  it('asked of two processes at once is one fork', async () => {
    const [one, other] = [open({ script: answers }), open({ script: answers })];
    const { session } = await one.run('one');
    for (const { log } of [one, other]) log.isShared = true;
    const ask = (house: ForkingHouse) => house.fork(session, 1, { key: 'at once' });
    const [first, second] = await Promise.all([ask(one), ask(other)]);
    expect(second).toBe(first);
    expect(await eventsOf(first)).toHaveLength(1);
  });
});

it('without a key a fork that failed half way is not there', async () => {
  const house = open({ script: answers });
  const { session } = await house.run('one');
  house.log.next(stored, unavailable);
  await expect(house.fork(session)).rejects.toBeInstanceOf(LogUnavailable);
  house.clock.advance(await house.clock.timerWithin(500));
  await house.settled();
  const named = (await eventsOf(session)).at(-1)?.data as { session: SessionId };
  await expect(house.start('two', { session: named.session })).rejects.toEqual(refused('not_found'));
  expect((await house.erase(session)).forks).toEqual([]);
});

describe('two processes on one log', () => {
  it('fork what the other wrote, and continue the forks of each other', async () => {
    const [one, other] = [open({ script: answers }), open({ script: answers })];
    for (const { log } of [one, other]) log.isShared = true;
    const { session } = await one.run('one');
    await other.run('two', { session });
    const fork = await one.fork(session);
    await other.run('three', { session: fork });
    await one.run('four', { session: fork });
    const users = ['one', 'two', 'three', 'four'].flatMap((user) => [`user ${user}`, 'assistant ok']);
    expect(one.told(1)).toEqual(users.slice(0, -1));
  });

  it('fork a session while the other writes into it', async () => {
    const [one, other] = [open({ script: answers }), open({ script: answers })];
    for (const { log } of [one, other]) log.isShared = true;
    const { session } = await one.run('one');
    one.log.next(behind(() => other.run('two', { session })));
    const { length } = await eventsOf(session);
    const fork = await one.fork(session);
    const [first] = await eventsOf(fork);
    expect(first?.data).toMatchObject({ forked_from: { session, at: length - 1 } });
    await one.run('three', { session: fork });
    expect(one.told(1)).toEqual(['user one', 'assistant ok', 'user three']);
  });
});

it('what only a newer version knows of the parent ends what is shared', async () => {
  const session = 'ses_newer';
  await appendTape(temp, session, new SessionTape().add(undefined, opened).addRun('run_ses_newer_1', 'hi'));
  const unknown = { id: crypto.randomUUID(), type: 'agent_dreamt', time: 0, data: {} };
  await temp.log.append(sessionStream(session), [newEvent(unknown, { schemaVersion: 1, ...CALLER })], {
    expected: 'any',
  });
  const house = open({ script: answers });
  const fork = await house.fork(session);
  const [first] = await eventsOf(fork);
  expect(first?.data).toMatchObject({ shared: { messages: 1 } });
  await house.run('two', { session: fork });
  expect(house.told(0)).toEqual(['user hi', 'user two']);
});
