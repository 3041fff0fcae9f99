import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runId, sessionId } from '#domain';
import { LogUnavailable } from '#event-log';
import { CountingRandom } from '../../../test/support/counting-random.js';
import { House } from '../../../test/support/house.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { stored, unavailable } from '../../../test/support/scripted-log.js';
import { type ClientStep, done, text } from '../../../test/support/scripted-client.js';
import { Gate } from '../../../test/support/scripted-turn.js';
import { PROJECT } from '../../../test/support/session-tape.js';
import { TempLog } from '../../../test/support/temp-log.js';
import { IdempotencyKeys } from './idempotency.js';

let temp: TempLog;
let count = 0;
const answers = (): ClientStep[] => [text('ok'), done()];
const open = () => new House(temp, `idempotency ${++count}`, { script: answers });
const withKey = (key: string, payload: unknown = { message: 'hi' }) => ({ idempotency: { key, payload } });

beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

const STARTED = ['session_opened', 'run_requested', 'run_claimed', 'agent_started'];

describe('a key', () => {
  it('is on the log before its run, with nothing of the payload', async () => {
    const house = open();
    const started = await house.start('hi', withKey('first'));
    await house.ended(started);
    const [key, run] = house.log.appends;
    expect(key).toMatchObject({ expected: 'no_stream', types: ['idempotency_key_used'] });
    expect(key?.stream).toMatch(/^idempotency-[0-9a-f]{40}$/);
    expect(key?.events[0]?.data).toEqual({
      payload: expect.stringMatching(/^[0-9a-f]{64}$/),
      session: started.session,
      run: started.run,
      after: -1,
    });
    expect(run?.types).toEqual(STARTED);
  });

  it('again with the same payload is the same run, in whatever order its fields stand', async () => {
    const house = open();
    const first = await house.start('hi', withKey('same', { message: 'hi', rules: ['a'] }));
    await house.ended(first);
    const again = await house.start('hi', withKey('same', { rules: ['a'], message: 'hi' }));
    expect(again).toEqual(first);
    expect(await open().start('hi', withKey('same', { message: 'hi', rules: ['a'] }))).toEqual(first);
    expect(house.model.requests).toHaveLength(1);
  });

  it('may have another one beside it, which leads to the run too, unless it leads somewhere already', async () => {
    const also = (key: string, message: string, alsoKey = 'also') => ({
      idempotency: { key, alsoKey, payload: { message } },
    });
    const house = open();
    const runOf = (key: string) => open().core.startRun.runOfKey(PROJECT, key);
    const first = await house.run('hi', also('beside', 'hi'));
    expect(await runOf('also')).toBe(first.run);
    expect(house.log.appends.slice(0, 2).map(({ types }) => types)).toEqual([
      ['idempotency_key_used'],
      ['idempotency_key_used'],
    ]);
    expect(await open().start('hi', also('beside', 'hi', 'repeated'))).toEqual(first);
    expect(await runOf('repeated')).toBe(first.run);
    expect(await open().start('hi', withKey('also'))).toEqual(first);
    const second = await house.run('ho', also('beside 2', 'ho'));
    expect(second.run).not.toBe(first.run);
    expect(await runOf('also')).toBe(first.run);
  });

  it('with another payload is refused', async () => {
    const house = open();
    await house.run('hi', withKey('other'));
    const refused = house.start('ho', withKey('other', { message: 'ho' }));
    await expect(refused).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  });

  it('of another project is another key', async () => {
    const house = open();
    const ours = await house.run('hi', withKey('shared'));
    const theirs = await house.run('hi', { ...withKey('shared', { message: 'ho' }), project: 'other' });
    expect(theirs.session).not.toBe(ours.session);
  });

  it('used many times at once starts one run', async () => {
    const house = open();
    const all = await Promise.all(Array.from({ length: 5 }, () => house.start('hi', withKey('rush'))));
    for (const started of all) expect(started).toEqual(all[0]);
    await house.ended(all[0]!);
    await house.settled();
    expect((await house.types(all[0]!.session)).filter((t) => t === 'run_requested')).toHaveLength(1);
    expect(house.core.admission.running).toBe(0);
  });

  it('used twice at once keeps the place of its run where the log refuses the first request', async () => {
    const [refused, speaks] = [new Gate(), new Gate()];
    const house = new House(temp, `idempotency ${++count}`, {
      script: () => [text('ok'), speaks, done()],
      maxRuns: 1,
    });
    house.log.next(stored, async (store) => {
      await refused.arrive();
      return unavailable(store);
    });
    const first = house.start('hi', withKey('twice')).catch((error: unknown) => error);
    await refused.reached;
    const second = house.start('hi', withKey('twice'));
    // Until it waits behind the first.
    for (let turn = 0; turn < 30; turn += 1) await temp.read('nothing');
    refused.open();
    await house.clock.pass(200);
    const [one, other] = await Promise.all([first, second]);
    if (!(one instanceof LogUnavailable)) expect(one).toEqual(other);
    await speaks.reached;
    expect(house.core.admission.running).toBe(1);
    speaks.open();
    await house.ended(other);
    expect(house.core.admission.running).toBe(0);
  });

  it('whose run is missing because of a fault starts that run', async () => {
    const house = open();
    house.log.next(stored, unavailable);
    const refused = house.start('hi', withKey('torn')).catch((error: unknown) => error);
    await house.clock.pass(200);
    expect(await refused).toBeInstanceOf(LogUnavailable);
    const use = house.log.appends[0]?.events[0]?.data as { session: string; run: string };
    const next = open();
    const started = await next.start('hi', withKey('torn'));
    expect(started).toMatchObject({ session: use.session, run: use.run });
    expect((await next.ended(started)).type).toBe('agent_completed');
    expect((await next.types(started.session)).slice(0, 4)).toEqual(STARTED);
  });

  it('in a session that is there names a run of that session', async () => {
    const house = open();
    const first = await house.run('one');
    const use = () => house.run('two', { session: first.session, ...withKey('there') });
    const second = await use();
    expect(second.session).toBe(first.session);
    expect(await use()).toEqual(second);
    expect(await open().run('two', { session: first.session, ...withKey('there') })).toEqual(second);
  });

  it('is not used by a request that is refused for its session', async () => {
    const house = open();
    const refused = house.start('hi', { session: 'ses_none', ...withKey('unused') });
    await expect(refused).rejects.toMatchObject({ code: 'not_found' });
    expect(house.log.appends).toEqual([]);
  });
});

describe('the ids that a key stands for', () => {
  const keysOf = (secret: number) =>
    new IdempotencyKeys(
      temp.log,
      new ManualClock(),
      new CountingRandom('ids'),
      new Uint8Array(32).fill(secret),
    );
  const request = { project: 'p', operation: 'start_run', key: 'k', payload: null } as const;

  it('are the same at any time, and cannot be made without the secret', () => {
    const ids = keysOf(1).idsFor(request);
    expect(keysOf(1).idsFor(request)).toEqual(ids);
    expect(keysOf(2).idsFor(request)).not.toEqual(ids);
    expect(ids.session).toMatch(/^ses_[0-9a-f]{24}$/);
    expect(ids.run).toMatch(new RegExp(`^run_${ids.session}_[0-9a-f]{16}$`));
  });

  it('stay in the session that is given', () => {
    const { session, run } = keysOf(1).idsFor(request, sessionId('abc'));
    expect(session).toBe('ses_abc');
    expect(run.startsWith(runId('ses_abc', ''))).toBe(true);
  });
});
