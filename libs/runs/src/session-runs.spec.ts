import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ModelRequest } from '#agent';
import { sessionStream } from '#domain';
import { LogUnavailable } from '#event-log';
import { House, type HouseOptions } from '../../../test/support/house.js';
import { heldBy, unavailable } from '../../../test/support/scripted-log.js';
import { Gate } from '../../../test/support/scripted-turn.js';
import { type ClientStep, done, text } from '../../../test/support/scripted-client.js';
import { TempLog } from '../../../test/support/temp-log.js';

let temp: TempLog;
let count = 0;
const open = (options: HouseOptions) => new House(temp, `runs ${++count}`, options);
const answers = (): ClientStep[] => [text('ok'), done()];

beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

describe('a new session', () => {
  it('costs one append of four events, and is driven at once', async () => {
    const house = open({ script: answers });
    const started = await house.start('hi');
    expect(house.log.appends.map((a) => [a.expected, a.types])).toEqual([
      ['no_stream', ['session_opened', 'run_requested', 'run_claimed', 'agent_started']],
    ]);
    expect(started.run).toMatch(new RegExp(`^run_${started.session}_[0-9a-f]{16}$`));
    expect(started.requested).toBe(1);
    await house.ended(started);
    expect(house.log.reads).toBe(0);
    expect(house.errors).toEqual([]);
  });

  it('has envelopes that name project, run, actor and correlation', async () => {
    const house = open({ script: answers });
    const { session, run } = await house.run('hi', { correlationId: 'req_1' });
    const events = await temp.read(sessionStream(session));
    const meta = { schemaVersion: 1, project: 'default', actor: 'key_1', correlationId: 'req_1' };
    expect(events[0]?.meta).toMatchObject(meta);
    // Where a run begins and ends its id is in what is hashed, too.
    for (const { type, meta: told } of events.slice(1)) {
      const isMark = type === 'agent_started' || type === 'agent_completed';
      expect([type, told]).toEqual([type, { ...meta, run, ...(isMark ? { causationId: run } : {}) }]);
    }
  });

  it('is not there where the log took nothing', async () => {
    const house = open({ script: answers });
    house.log.next(unavailable);
    const refused = house.start('hi').catch((error: unknown) => error);
    await house.clock.pass(200);
    expect(await refused).toBeInstanceOf(LogUnavailable);
    await house.settled();
    expect(house.model.requests).toEqual([]);
    expect(house.core.admission.running).toBe(0);
  });
});

describe('a session that is there', () => {
  it('takes its next run behind the first, in one append', async () => {
    const house = open({ script: answers });
    const first = await house.run('one');
    await house.settled();
    const before = house.log.appends.length;
    const second = await house.run('two', { session: first.session });
    expect(house.log.appends[before]?.types).toEqual(['run_requested', 'run_claimed', 'agent_started']);
    expect(second).toMatchObject({ session: first.session, requested: 11 });
    expect(await house.history(first.session)).toEqual([
      'user_message one',
      'agent_response ok',
      'user_message two',
      'agent_response ok',
    ]);
  });

  it.each(['ses_none', 'nonsense'])('is needed: %j is not found', async (session) => {
    const house = open({ script: answers });
    await expect(house.start('hi', { session })).rejects.toMatchObject({ code: 'not_found' });
    await expect(house.clear({ session })).rejects.toMatchObject({ code: 'not_found' });
    expect(house.core.admission.running).toBe(0);
  });

  it('is not found by another project, whatever it asks', async () => {
    const house = open({ script: answers });
    const first = await house.run('hi');
    const other = { project: 'other', actor: 'key_2' };
    const { session, run } = first;
    const notFound = { code: 'not_found' };
    await expect(house.start('hi', { session, ...other })).rejects.toMatchObject(notFound);
    await expect(house.core.commands.clear(session, other)).rejects.toMatchObject(notFound);
    await expect(house.core.commands.cancel(run, other)).rejects.toMatchObject(notFound);
  });
});

/** A house with a run under way that says `a`, and then waits before the gate. */
async function busy() {
  const gate = new Gate();
  const house = open({ script: (_, n) => (n === 0 ? [text('a'), gate, text('b'), done()] : answers()) });
  const first = await house.start('one');
  await gate.reached;
  return { house, gate, first, session: first.session };
}

describe('a busy session', () => {
  it('runs what waits in the order of acceptance', async () => {
    const { house, gate, first, session } = await busy();
    const b = await house.start('two', { session });
    const c = await house.start('three', { session });
    expect(await house.types(session, { b, c })).toEqual(
      expect.arrayContaining(['run_requested b', 'run_requested c']),
    );
    gate.open();
    await house.ended(c);
    const starts = (await house.types(session, { a: first, b, c })).filter((t) =>
      /agent_(started|completed)/.test(t),
    );
    expect(starts).toEqual([
      'agent_started a',
      'agent_completed a',
      'agent_started b',
      'agent_completed b',
      'agent_started c',
      'agent_completed c',
    ]);
    expect(house.log.reads).toBe(0);
  });

  it('refuses what would rather not wait', async () => {
    const { house, gate, first, session } = await busy();
    await expect(house.start('two', { session, onBusy: 'reject' })).rejects.toMatchObject({
      code: 'session_busy',
    });
    gate.open();
    await house.ended(first);
    expect(house.core.admission.running).toBe(0);
  });

  it('is interrupted: the run under way is cancelled, the new one goes before those that wait', async () => {
    const { house, first, session } = await busy();
    const b = await house.start('two', { session });
    const c = await house.start('now', { session, onBusy: 'interrupt' });
    await house.ended(b);
    const types = await house.types(session, { a: first, b, c });
    expect(types.filter((t) => /claimed|cancel|completed [a-c]$/.test(t) && !t.startsWith('model'))).toEqual([
      'run_claimed a',
      'run_cancel_requested a',
      'agent_cancelled a',
      'run_claimed c',
      'agent_completed c',
      'run_claimed b',
      'agent_completed b',
    ]);
    expect(await house.history(session)).toEqual([
      'user_message one',
      'agent_response a',
      'user_message now',
      'agent_response ok',
      'user_message two',
      'agent_response ok',
    ]);
  });

  it('is interrupted also in the append that starts the run', async () => {
    const script = ({ messages }: ModelRequest): ClientStep[] =>
      messages.at(-1)?.content === 'two' ? ['hang'] : answers();
    const house = open({ script });
    const { session } = await house.run('one');
    await house.settled();
    const gate = new Gate();
    house.log.next(heldBy(gate));
    const inFlight = house.clear({ session });
    await gate.reached;
    const second = house.start('two', { session });
    await new Promise(setImmediate);
    const third = house.start('three', { session, onBusy: 'interrupt' });
    await new Promise(setImmediate);
    gate.open();
    await inFlight;
    expect((await house.ended(await second)).type).toBe('agent_cancelled');
    expect((await house.ended(await third)).type).toBe('agent_completed');
    const start = ['run_requested', 'run_claimed', 'agent_started'];
    const appends = house.log.appends.map((a) => a.types.join(' '));
    expect(appends).toContain([...start, 'run_requested', 'run_cancel_requested'].join(' '));
  });
});

describe('a cancel', () => {
  it('ends the run under way, and is nothing the second time', async () => {
    const { house, first } = await busy();
    await house.cancel(first);
    expect((await house.ended(first)).type).toBe('agent_cancelled');
    await house.settled();
    const before = house.log.appends.length;
    await house.cancel(first);
    expect(house.log.appends).toHaveLength(before);
  });

  it('of a run that waits is written when its turn comes, without a message and without asking the model', async () => {
    const { house, gate, first, session } = await busy();
    const b = await house.start('two', { session });
    const c = await house.start('three', { session });
    await house.cancel(b);
    expect((await house.types(session, { b })).at(-1)).toBe('run_cancel_requested b');
    gate.open();
    await house.ended(c);
    expect((await house.types(session, { b })).filter((t) => t.endsWith(' b'))).toEqual([
      'run_requested b',
      'run_cancel_requested b',
      'run_claimed b',
      'agent_started b',
      'agent_cost b',
      'agent_cancelled b',
    ]);
    expect(await house.history(session)).toEqual([
      'user_message one',
      'agent_response ab',
      'user_message three',
      'agent_response ok',
    ]);
    expect(house.model.requests).toHaveLength(2);
    expect(house.told(1)).toEqual(['user one', 'assistant ab', 'user three']);
    expect((await house.ended(first)).type).toBe('agent_completed');
    await house.settled();
    expect(house.core.admission.running).toBe(0);
  });

  it('of a run that is none is not found', async () => {
    const house = open({ script: answers });
    for (const run of ['nonsense', 'run_ses_none_1']) {
      await expect(house.core.commands.cancel(run, { project: 'default', actor: 'k' })).rejects.toMatchObject(
        {
          code: 'not_found',
        },
      );
    }
  });
});
