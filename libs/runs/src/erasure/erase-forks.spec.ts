import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SessionId, sessionStream } from '#domain';
import { MemoryContentKeys } from '#event-log';
import { ForkingHouse } from '../../../../test/support/forking-house.js';
import { CALLER, type HouseOptions } from '../../../../test/support/house.js';
import { passing } from '../../../../test/support/recorded-run.js';
import { lastUserOf } from '../../../../test/support/run-script.js';
import { done, text } from '../../../../test/support/scripted-client.js';
import { behind, heldBy, stored } from '../../../../test/support/scripted-log.js';
import { Gate } from '../../../../test/support/scripted-turn.js';
import { TempLog } from '../../../../test/support/temp-log.js';

const keys = new MemoryContentKeys();
let temp: TempLog;
let count = 0;
beforeAll(async () => {
  temp = await TempLog.open(keys);
});
afterAll(() => temp.close());

const open = (options: Partial<HouseOptions> = {}) =>
  new ForkingHouse(temp, keys, `erase forks ${++count}`, {
    script: (request) => [text(`re ${lastUserOf(request)}`), done()],
    ...options,
  });
const notFound: unknown = expect.objectContaining({ code: 'not_found' });
const said = (...users: readonly string[]): string[] =>
  users.flatMap((user) => [`user ${user}`, `assistant re ${user}`]);
const isErased = async (session: SessionId): Promise<boolean> => {
  const events = await temp.read(sessionStream(session));
  return (
    events.at(-1)?.type === 'session_erased' &&
    events.slice(0, -1).every((event) => event.isErased || event.type === 'model_called')
  );
};

/** Three sessions, each forked from the one before. */
async function chain(house: ForkingHouse) {
  const { session: parent } = await house.run('parent');
  const middle = await house.fork(parent);
  await house.run('middle', { session: middle });
  const leaf = await house.fork(middle);
  await house.run('leaf', { session: leaf });
  return { parent, middle, leaf };
}

/** What the model is told before a new message, by the process that knows the sessions and by one that reads them. */
async function expectTold(house: ForkingHouse, session: SessionId, shared: readonly string[]) {
  await house.run('warm?', { session });
  expect(house.told(-1)).toEqual([...shared, 'user warm?']);
  const cold = open();
  await cold.run('cold?', { session });
  expect(cold.told(-1)).toEqual([...shared, ...said('warm?'), 'user cold?']);
}

describe('of a chain of forks', () => {
  it('the first that is erased is gone from all, and they are named', async () => {
    const house = open();
    const { parent, middle, leaf } = await chain(house);
    expect(await house.erase(parent)).toMatchObject({ session: parent, forks: [middle, leaf] });
    await expect(house.erase(parent)).rejects.toEqual(notFound);
    await expectTold(house, middle, said('middle'));
    await expectTold(house, leaf, said('middle', 'leaf'));
  });

  it('one in the middle takes what lies before it from those behind it, and from no other', async () => {
    const house = open();
    const { parent, middle, leaf } = await chain(house);
    const sibling = await house.fork(parent);
    expect(await house.erase(middle)).toMatchObject({ forks: [leaf] });
    await expectTold(house, leaf, said('leaf'));
    await expectTold(house, sibling, said('parent'));
    await expectTold(house, parent, said('parent'));
    // What it has made of what it shared is its own: it is a fork of a fork all the same.
    expect((await house.erase(parent, true)).forks).toEqual([leaf, sibling]);
    expect(await isErased(leaf)).toBe(true);
  });

  it('the last takes nothing from anybody', async () => {
    const house = open();
    const { parent, middle, leaf } = await chain(house);
    expect((await house.erase(leaf)).forks).toEqual([]);
    await expectTold(house, middle, said('parent', 'middle'));
    await expectTold(house, parent, said('parent'));
  });

  it('all are erased together, the last before the first', async () => {
    const house = open();
    const { parent, middle, leaf } = await chain(house);
    const sibling = await house.fork(parent);
    const before = house.log.appends.length;
    expect((await house.erase(parent, true)).forks).toEqual([middle, leaf, sibling]);
    const erased = house.log.appends
      .slice(before)
      .flatMap(({ stream, types }) => (types.includes('session_erased') ? [stream] : []));
    expect(erased).toEqual([leaf, middle, sibling, parent].map(sessionStream));
    for (const session of [parent, middle, leaf, sibling]) {
      expect(await isErased(session)).toBe(true);
      await expect(house.start('again', { session })).rejects.toEqual(notFound);
    }
  });
});

describe('forks that are erased with what they were forked from', () => {
  it('end their runs', async () => {
    const house = open({ script: (_, n) => (n === 1 ? [text('a'), 'hang'] : [text('ok'), done()]) });
    const { session } = await house.run('one');
    const fork = await house.fork(session);
    await house.start('two', { session: fork });
    await house.model.asked(2);
    expect((await house.erase(session, true)).forks).toEqual([fork]);
    await house.settled();
    expect(await isErased(fork)).toBe(true);
    expect(house.core.admission.running).toBe(0);
  });

  it('are left where only the first were erased, and asked again all are', async () => {
    const house = open();
    const { parent, middle, leaf } = await chain(house);
    // A process that died behind the first.
    await house.erase(leaf);
    expect((await open().erase(parent, true)).forks).toEqual([middle]);
    expect(await isErased(middle)).toBe(true);
    expect(await isErased(parent)).toBe(true);
  });

  it('are those that were made meanwhile, too', async () => {
    const [house, other] = [open(), open()];
    for (const { log } of [house, other]) log.isShared = true;
    const { session } = await house.run('one');
    const first = await house.fork(session);
    const late: SessionId[] = [];
    // The first fork's erasure, and then the parent's.
    house.log.next(
      stored,
      behind(async () => late.push(await other.fork(session))),
    );
    const { forks } = await house.erase(session, true);
    expect(late).toHaveLength(1);
    expect(forks).toEqual([first, ...late]);
    for (const fork of [first, ...late]) expect(await isErased(fork)).toBe(true);
    await expect(other.fork(session)).rejects.toEqual(notFound);
  });
});

describe('a fork that is named and not yet there when its parent is erased', () => {
  /** Two processes, of which one has named a fork, and opens it when the gate is opened. */
  async function named() {
    const [house, other] = [open(), open()];
    for (const { log } of [house, other]) log.isShared = true;
    const { session } = await house.run('one');
    const gate = new Gate();
    other.log.next(stored, heldBy(gate));
    const forking = other.fork(session);
    forking.catch(() => undefined);
    await gate.reached;
    return { house, session, gate, forking };
  }

  it('is told to nobody', async () => {
    const { house, session, gate, forking } = await named();
    expect((await house.erase(session, true)).forks).toEqual([]);
    gate.open();
    await expect(forking).rejects.toEqual(notFound);
  });

  it('is erased with it where it is there before the end', async () => {
    const { house, session, gate, forking } = await named();
    house.log.next(
      behind(async () => {
        gate.open();
        await forking;
      }),
    );
    expect((await house.erase(session, true)).forks).toEqual([await forking]);
    expect(await isErased(await forking)).toBe(true);
  });
});

describe('what is kept in memory of a line', () => {
  it('goes when a run ends that had it from before the erasure', async () => {
    const gate = new Gate();
    const house = open({
      script: (request) =>
        lastUserOf(request) === 'long'
          ? [text('a'), gate, done()]
          : [text(`re ${lastUserOf(request)}`), done()],
    });
    const { parent, leaf } = await chain(house);
    const long = await house.start('long', { session: leaf });
    await gate.reached;
    await house.erase(parent);
    gate.open();
    await house.ended(long);
    await house.run('and?', { session: leaf });
    expect(house.told(-1)).toEqual([...said('middle', 'leaf'), 'user long', 'assistant a', 'user and?']);
  });

  it('goes in a process that only hears of the erasure', async () => {
    const [house, other] = [open(), open()];
    const { parent, leaf } = await chain(house);
    house.erasures.start();
    const forgotten = Promise.withResolvers<void>();
    const { sessions } = house.core;
    const forget = sessions.forget.bind(sessions);
    sessions.forget = (session) => {
      forget(session);
      if (session === parent) forgotten.resolve();
    };
    await other.erase(parent);
    await passing(house, forgotten.promise);
    await passing(house, house.erasures.stop());
    await expectTold(house, leaf, said('middle', 'leaf'));
  });

  it('stays where another session is erased', async () => {
    const house = open();
    const { leaf } = await chain(house);
    const { session } = await house.run('stranger');
    await house.run('again', { session: leaf });
    await house.erase(session);
    const { reads } = house.log;
    await house.run('and?', { session: leaf });
    expect(house.log.reads).toBe(reads);
    expect(house.told(-1)).toEqual([...said('parent', 'middle', 'leaf', 'again'), 'user and?']);
  });
});

it('a fork of a project is no business of another', async () => {
  const house = open();
  const { parent } = await chain(house);
  const stranger = { ...CALLER, project: 'other' };
  await expect(house.eraser.erase(parent, stranger, true)).rejects.toEqual(notFound);
  expect(await isErased(parent)).toBe(false);
});
