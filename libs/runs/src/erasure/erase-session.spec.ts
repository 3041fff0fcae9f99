import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Problem, sessionStream } from '#domain';
import { ContentErased, LogUnavailable, MemoryContentKeys, type RecordedEvent, newEvent } from '#event-log';
import { type ErasureCheckpoint, type ErasureCheckpoints, MemoryFileStore } from '#vault';
import { ProcessBackground, SilentLogger } from '#platform';
import { CountingRandom } from '../../../../test/support/counting-random.js';
import { CALLER, House, type HouseOptions } from '../../../../test/support/house.js';
import { type ClientStep, done, text } from '../../../../test/support/scripted-client.js';
import { heldBy, stored, unavailable } from '../../../../test/support/scripted-log.js';
import { Gate } from '../../../../test/support/scripted-turn.js';
import { TempLog } from '../../../../test/support/temp-log.js';
import { EraseSession } from './erase-session.js';
import { Erasures } from './erasures.js';

const keys = new MemoryContentKeys();
let temp: TempLog;
let count = 0;
beforeAll(async () => {
  temp = await TempLog.open(keys);
});
afterAll(() => temp.close());

const answers = (): ClientStep[] => [text('ok'), done()];
const LONG = 'long '.repeat(20_000);

/** Goes back only for another log, as key stores do. */
class MemoryErasureCheckpoints implements ErasureCheckpoints {
  constructor(private kept: ErasureCheckpoint | null = null) {}

  async checkpoint(): Promise<ErasureCheckpoint | null> {
    return this.kept;
  }

  async saveCheckpoint({ logId, position }: ErasureCheckpoint): Promise<void> {
    const before = this.kept?.logId === logId ? this.kept.position : 0;
    this.kept = { logId, position: Math.max(before, position) };
  }
}

/** A process that can erase. */
function open(options: HouseOptions, checkpoints = new MemoryErasureCheckpoints()) {
  const files = new MemoryFileStore();
  const house = new House(temp, `erasure ${++count}`, { files, ...options });
  const logger = new SilentLogger();
  const { log, clock } = house;
  const erasures = new Erasures({
    log,
    keys,
    files,
    knowing: [house.core.sessions],
    checkpoints,
    clock,
    random: new CountingRandom('erasures'),
    background: new ProcessBackground(logger),
    logger,
    onFatal: (error) => {
      throw error;
    },
  });
  const { sessions, commands, tasks } = house.core;
  const eraser = new EraseSession({ log, sessions, commands, tasks, streams: temp.streams, erasures, clock });
  return { house, eraser, erasures, files };
}

const notFound = expect.objectContaining({ code: 'not_found' });
const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => error,
  );

async function whileTimePasses({ clock }: House, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const settled = work.finally(() => over.abort());
  while (!over.signal.aborted) {
    // As long as the log takes.
    await temp.read('nothing');
    clock.advance(20);
  }
  await settled;
}

/** Has all of it wait for one append, so that the next one holds it together. */
async function inOneAppend(
  house: House,
  session: string,
  work: () => readonly Promise<unknown>[],
  outcome = stored,
): Promise<readonly unknown[]> {
  const gate = new Gate();
  house.log.next(heldBy(gate));
  house.log.next(outcome);
  const clear = house.clear({ session });
  await gate.reached;
  const done = Promise.all(work());
  for (let turns = 0; turns < 20; turns++) await temp.read('nothing');
  gate.open();
  await clear;
  await whileTimePasses(house, done);
  return done;
}

/** What was spent stays readable. */
const isGone = ({ isErased, type }: RecordedEvent): boolean => isErased === true || type === 'model_called';

describe('a session that is erased', () => {
  it('can be read no more, and is not there for whoever asks for it', async () => {
    const { house, eraser, files } = open({ script: answers });
    const idempotency = { key: 'once', payload: { message: LONG } };
    const { session, run } = await house.run(LONG, { idempotency });
    const before = await temp.read(sessionStream(session));
    const requested = before.find(({ type }) => type === 'run_requested');
    const { message } = (requested?.data ?? {}) as { message: { $file: string } };
    await files.get(session, message.$file);
    expect(await eraser.erase(session, CALLER)).toMatchObject({ session, events: before.length });
    const after = await temp.read(sessionStream(session));
    expect(after.map(({ id, isErased }) => [id, isErased])).toEqual([
      ...before.map(({ id, type }) => [id, type !== 'model_called']),
      [after.at(-1)?.id, false],
    ]);
    expect(after.at(-1)).toMatchObject({ type: 'session_erased', data: { events: before.length } });
    await expect(files.get(session, message.$file)).rejects.toThrow();
    const asked: readonly (() => Promise<unknown>)[] = [
      () => house.core.sessions.get(session),
      () => house.start('more', { session }),
      () => house.start(LONG, { idempotency }),
      () => house.clear({ session }),
      () => house.cancel({ session, run, requested: 0 }),
      () => eraser.erase(session, CALLER),
    ];
    for (const ask of asked) expect(await refusal(ask())).toEqual(notFound);
    expect(house.errors).toEqual([]);
  });

  it('is that of the caller', async () => {
    const { house, eraser } = open({ script: answers });
    const { session } = await house.run('mine');
    const stranger = { project: 'elsewhere', actor: 'key_2' };
    expect(await refusal(eraser.erase(session, stranger))).toEqual(notFound);
    expect(await house.history(session)).toEqual(['user_message mine', 'agent_response ok']);
  });

  it('is not called gone by a second one, while the first one is not on the log', async () => {
    const { house, eraser } = open({ script: answers });
    const { session } = await house.run('mine');
    const both = await inOneAppend(
      house,
      session,
      () => [eraser.erase(session, CALLER), eraser.erase(session, CALLER)].map(refusal),
      unavailable,
    );
    expect(both).toEqual([expect.any(LogUnavailable), expect.any(LogUnavailable)]);
    expect(await house.types(session)).not.toContain('session_erased');
    const again = [eraser.erase(session, CALLER), eraser.erase(session, CALLER)].map(refusal);
    await whileTimePasses(house, Promise.all(again));
    expect(await Promise.all(again)).toEqual(['done', notFound]);
  });

  it('gives the place back of a run that was started in the same breath', async () => {
    const { house, eraser } = open({ script: answers });
    const { session } = await house.run('mine');
    await inOneAppend(house, session, () => [
      house.start('more', { session }),
      eraser.erase(session, CALLER),
    ]);
    expect(house.log.appends.at(-1)?.types).toEqual([
      'run_requested',
      'run_claimed',
      'agent_started',
      'session_erased',
    ]);
    await house.settled();
    expect(house.core.admission.running).toBe(0);
  });

  it('ends its runs first, those that wait too', async () => {
    const { house, eraser } = open({ script: () => ['hang'] });
    const first = await house.start('one');
    const { session } = first;
    await house.model.asked(1);
    const second = await house.start('two', { session });
    await whileTimePasses(house, eraser.erase(session, CALLER));
    const types = await house.types(session, { first, second });
    expect(types.filter((type) => /cancelled|erased/.test(type))).toEqual([
      'agent_cancelled first',
      'agent_cancelled second',
      'session_erased',
    ]);
    expect(house.core.sessions.active()).toEqual([]);
  });

  it('ends what does not end within its patience', async () => {
    const gate = new Gate();
    const { house, eraser } = open({ script: () => [text('a'), gate, text('b'), 'hang'] });
    const { session } = await house.start('one');
    await gate.reached;
    await whileTimePasses(house, eraser.erase(session, CALLER));
    gate.open();
    await house.settled();
    expect((await house.types(session)).at(-1)).toBe('session_erased');
    expect(house.core.sessions.active()).toEqual([]);
    expect(house.core.admission.running).toBe(0);
    expect(house.errors).toEqual([]);
  });
});

describe('a process whose session another one erases', () => {
  it('stops its run, and answers as if there were none', async () => {
    const gate = new Gate();
    const owner = open({ script: () => [text('a'), gate, text('b'), 'hang'] });
    const other = open({ script: answers });
    const { session } = await owner.house.start('one');
    await gate.reached;
    await whileTimePasses(other.house, other.eraser.erase(session, CALLER));
    // What it writes now can be sealed no more.
    gate.open();
    await owner.house.settled();
    expect(owner.house.core.sessions.active()).toEqual([]);
    expect(owner.house.core.admission.running).toBe(0);
    expect(await refusal(owner.house.start('two', { session }))).toEqual(notFound);
    expect((await owner.house.types(session)).at(-1)).toBe('session_erased');
    expect(owner.house.errors).toEqual([]);
  });

  it('refuses a command that was on its way', async () => {
    const { house, eraser } = open({ script: answers });
    const other = open({ script: answers });
    const { session } = await house.run('one');
    await other.house.core.sessions.get(session);
    await eraser.erase(session, CALLER);
    const started = await refusal(other.house.start('two', { session }));
    expect(started).toBeInstanceOf(Problem);
    expect(started).toEqual(notFound);
  });

  it('takes no command for ever where the log was put back from before its erasure and the key store was not', async () => {
    const { house } = open({ script: answers });
    const { session } = await house.run('one');
    const before = await house.types(session);
    await keys.destroy((await temp.streams.of(sessionStream(session))) ?? '');
    const started = refusal(house.start('two', { session }));
    await whileTimePasses(house, started);
    expect(await started).toBeInstanceOf(ContentErased);
    expect(await house.types(session)).toEqual(before);
    expect(house.core.admission.running).toBe(0);
  });

  /** Up to where a crash leaves it that comes right after the event. */
  const begunErasure = async () => {
    const { house } = open({ script: answers });
    const { session } = await house.run('one');
    const key = (await temp.streams.of(sessionStream(session))) ?? '';
    const revision = (await temp.read(sessionStream(session))).length - 1;
    const erased = newEvent(
      { id: crypto.randomUUID(), type: 'session_erased', time: 0, data: { events: revision + 1, key } },
      { schemaVersion: 1, ...CALLER },
    );
    await temp.log.append(sessionStream(session), [erased], { expected: revision });
    expect(typeof keys.peek(key)).toBe('object');
    return { session, key, events: revision + 1 };
  };
  const expectFinished = async (
    { session, key, events }: Awaited<ReturnType<typeof begunErasure>>,
    checkpoints = new MemoryErasureCheckpoints(),
  ) => {
    const { erasures, house: next } = open({ script: answers }, checkpoints);
    erasures.start();
    const destroyed = Promise.withResolvers<void>();
    keys.onDestroyed((id) => id === key && destroyed.resolve());
    await whileTimePasses(next, destroyed.promise);
    await erasures.stop();
    const read = await temp.read(sessionStream(session));
    expect(read.filter(isGone)).toHaveLength(events);
  };

  it('finishes an erasure that a crash has interrupted', async () => {
    await expectFinished(await begunErasure());
  });

  it('finishes it where the log was put back from before what the key store knows of', async () => {
    const begun = await begunErasure();
    const { logId } = temp.log;
    const checkpoints = new MemoryErasureCheckpoints({ logId, position: (await temp.log.head()) + 1_000 });
    await expectFinished(begun, checkpoints);
    expect(await checkpoints.checkpoint()).toEqual({ logId, position: expect.any(Number) });
    expect((await checkpoints.checkpoint())?.position).toBeLessThanOrEqual(await temp.log.head());
  });
});
