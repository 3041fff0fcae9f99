import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sessionStream } from '#domain';
import { House, type HouseOptions } from '../../../test/support/house.js';
import { Gate } from '../../../test/support/scripted-turn.js';
import { type ClientStep, done, text } from '../../../test/support/scripted-client.js';
import {
  SessionTape,
  cancelRequested,
  completed,
  opened,
  requested,
  response,
  responseStart,
} from '../../../test/support/session-tape.js';
import { TempLog, appendTape } from '../../../test/support/temp-log.js';
import type { StartedRun } from './start/start-run-request.js';

let temp: TempLog;
let count = 0;
const open = (options: HouseOptions) => new House(temp, `take over ${++count}`, options);
const answers = (): ClientStep[] => [text('ok'), done()];
const types = async ({ session }: StartedRun) => temp.typesOf(sessionStream(session));

beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

/** A session as a process left it that is gone. */
async function left(build: (tape: SessionTape, a: string, b: string) => void) {
  const session = `ses_left${++count}`;
  const a = { session, run: `run_${session}_a`, requested: 1 };
  const b = { session, run: `run_${session}_b`, requested: 4 };
  const tape = new SessionTape().add(undefined, opened);
  build(tape, a.run, b.run);
  await appendTape(temp, session, tape);
  return { a, b, session, length: tape.next };
}

async function resumeIn(house: House, session: string): Promise<void> {
  await house.core.recovery.resume(session);
}

describe('what a process left that is gone', () => {
  it('is ended: the run under way, then the one that waited', async () => {
    const { a, b, session, length } = await left((tape, a, b) =>
      tape.addRun(a, 'one').add(b, requested('two')).add(a, responseStart, response('o')),
    );
    const house = open({ script: answers });
    await resumeIn(house, session);
    await house.ended(b);
    expect((await types(a)).slice(length).filter((t) => /claimed|started|agent_completed/.test(t))).toEqual([
      'run_claimed',
      'agent_completed',
      'run_claimed',
      'agent_started',
      'agent_completed',
    ]);
    expect(await house.history(session)).toEqual([
      'user_message one',
      'agent_response o',
      'agent_response ok',
      'user_message two',
      'agent_response ok',
    ]);
    expect(house.told(1)).toEqual(['user one', 'assistant ok', 'user two']);
  });

  it('is claimed where it waited for room and nothing ran', async () => {
    const { a, session, length } = await left((tape, a) => tape.add(a, requested('one')));
    const house = open({ script: answers });
    await resumeIn(house, session);
    await house.ended(a);
    expect((await types(a)).slice(length, length + 2)).toEqual(['run_claimed', 'agent_started']);
  });

  it('ends cancelled, without asking the model, where a cancel was asked for', async () => {
    const { a, session, length } = await left((tape, a) =>
      tape.addRun(a, 'one', responseStart, cancelRequested),
    );
    const house = open({ script: answers });
    await resumeIn(house, session);
    await house.ended(a);
    expect((await types(a)).slice(length)).toEqual(['run_claimed', 'agent_cost', 'agent_cancelled']);
    expect(house.model.requests).toEqual([]);
  });

  it('ends cancelled also where the process between crashed as well', async () => {
    const { a, session, length } = await left((tape, a) => {
      tape.addRun(a, 'one', cancelRequested);
      const data = { worker: 'gone too', epoch: 2, requested: 1, isCancelRequested: true as const };
      tape.add(a, { type: 'run_claimed', data });
    });
    const house = open({ script: answers });
    await resumeIn(house, session);
    await house.ended(a);
    expect((await types(a)).slice(length)).toEqual(['run_claimed', 'agent_cost', 'agent_cancelled']);
    const [claim] = (await temp.read(sessionStream(session))).slice(length);
    expect(claim?.data).toMatchObject({ epoch: 3, isCancelRequested: true });
  });

  it('has its three events where it was cancelled while it waited', async () => {
    const { b, session, length } = await left((tape, a, b) =>
      tape.addRun(a, 'one').add(b, requested('two'), cancelRequested).add(a, completed),
    );
    const house = open({ script: answers });
    await resumeIn(house, session);
    await house.ended(b);
    expect((await types(b)).slice(length)).toEqual([
      'run_claimed',
      'agent_started',
      'agent_cost',
      'agent_cancelled',
    ]);
    expect(await house.history(session)).toEqual(['user_message one']);
  });

  it('is left to whoever was faster, whose claim came after it was looked at', async () => {
    const { a, session, length } = await left((tape, a) => {
      tape.addRun(a, 'one', responseStart);
      tape.add(a, { type: 'run_claimed', data: { worker: 'living:1', epoch: 2, requested: 1 } });
    });
    const house = open({ script: answers });
    await house.core.recovery.resume(session, (_, by) => by === 'dead:1');
    await house.settled();
    expect((await types(a)).length).toBe(length);
    await house.core.recovery.resume(session, (run, by) => run === a.run && by === 'living:1');
    await house.ended(a);
  });

  it('is left alone where nothing is to be done', async () => {
    const { a, session, length } = await left((tape, a) => tape.addRun(a, 'one', completed));
    const house = open({ script: answers });
    await resumeIn(house, session);
    await house.settled();
    expect(await types(a)).toHaveLength(length);
    expect(house.log.appends).toEqual([]);
  });

  it('is driven by one process, where two want it', async () => {
    const { a, session, length } = await left((tape, a) => tape.addRun(a, 'one'));
    const houses = [open({ script: answers }), open({ script: answers })] as const;
    await Promise.all(houses.map((house) => resumeIn(house, session)));
    await Promise.all(houses.map((house) => house.heard(session, (e) => e.type === 'agent_completed')));
    await Promise.all(houses.map((house) => house.settled()));
    expect((await types(a)).slice(length).filter((t) => /claimed|completed$/.test(t))).toEqual([
      'run_claimed',
      'model_turn_completed',
      'agent_completed',
    ]);
    expect(houses.reduce((sum, house) => sum + house.model.requests.length, 0)).toBe(1);
    expect(houses.map((house) => house.core.admission.running)).toEqual([0, 0]);
  });
});

describe('recovery at the start', () => {
  const named = (...sessions: readonly string[]) => ({ sessions: () => Promise.resolve(sessions) });
  const never = new AbortController().signal;

  it('goes on with every session that is named, though one is not on the log', async () => {
    const { a, session } = await left((tape, a) => tape.addRun(a, 'one'));
    const house = open({ script: answers });
    house.core.recovery.start(named('ses_none', 'nonsense', session), never);
    expect((await house.ended(a)).type).toBe('agent_completed');
    await house.settled();
    expect(house.clock.pending).toEqual([]);
  });

  it('is not stopped by a session that it cannot make out', async () => {
    const { a, session } = await left((tape, a) => tape.addRun(a, 'one'));
    await temp.log.append(
      'session-ses_alien',
      [
        {
          id: '00000000-0000-4000-8000-00000000a11e',
          type: 'agent_levitated',
          time: 1,
          data: {},
          json: '{}',
          meta: { schemaVersion: 1, project: 'default', actor: 'key_1' },
        },
      ],
      { expected: 'no_stream' },
    );
    const house = open({ script: answers });
    house.core.recovery.start(named('ses_alien', session), never);
    expect((await house.ended(a)).type).toBe('agent_completed');
  });

  it('asks which they are until it is told', async () => {
    const { a, session } = await left((tape, a) => tape.addRun(a, 'one'));
    const house = open({ script: answers });
    let asked = 0;
    const sessions = async (): Promise<readonly string[]> => {
      asked += 1;
      if (asked <= 2) throw new Error('the database went away');
      return [session];
    };
    house.core.recovery.start({ sessions }, never);
    expect([await house.clock.pass(5_000), await house.clock.pass(5_000)]).toEqual([100, 200]);
    expect((await house.ended(a)).type).toBe('agent_completed');
    expect(house.errors).toEqual([]);
  });

  it('asks no more when its process ends, which is no error', async () => {
    const house = open({ script: answers });
    const ending = new AbortController();
    const asked = Promise.withResolvers<never>();
    house.core.recovery.start({ sessions: () => asked.promise }, ending.signal);
    ending.abort();
    asked.reject(new Error('the database is closed'));
    await house.settled();
    expect(house.errors).toEqual([]);
    expect(house.clock.pending).toEqual([]);
  });

  it('waits for a log that cannot be read yet', async () => {
    const { a, session } = await left((tape, a) => tape.addRun(a, 'one'));
    const house = open({ script: answers });
    house.log.isReadable = false;
    house.core.recovery.start(named(session), never);
    expect(await house.clock.pass(1000)).toBe(1000);
    expect(await house.clock.timerWithin(1000)).toBe(1000);
    house.log.isReadable = true;
    house.clock.advance(1000);
    expect((await house.ended(a)).type).toBe('agent_completed');
  });
});

/** Lets time pass in steps of 20 ms until the work is done. */
async function passing(house: House, work: Promise<void>): Promise<void> {
  const step = async () => {
    await new Promise(setImmediate);
    if ((house.clock.pending[0] ?? Infinity) <= 20) house.clock.advance(20);
    return 'under way' as const;
  };
  while ((await Promise.race([work, step()])) === 'under way');
}

describe('a process that stops', () => {
  it('lets runs come to the end of their turn, starts nothing, and the next one goes on', async () => {
    const gate = new Gate();
    const house = open({ script: () => [text('a'), gate, done()] });
    const first = await house.start('one');
    const second = await house.start('two', { session: first.session });
    await gate.reached;
    const drained = house.core.sessions.drain(10_000);
    gate.open();
    await house.heard(first.session, (e) => e.type === 'agent_completed');
    await passing(house, drained);
    expect((await types(first)).filter((t) => t === 'run_claimed')).toHaveLength(1);
    const next = open({ script: answers });
    await resumeIn(next, first.session);
    expect((await next.ended(second)).type).toBe('agent_completed');
    expect(next.told(0)).toEqual(['user one', 'assistant a', 'user two']);
  });

  it('leaves a run whose model hangs for the next one', async () => {
    const house = open({ script: () => [text('a'), 'hang'] });
    const first = await house.start('one');
    await house.heard(first.session, (e) => e.type === 'agent_response');
    const drained = house.core.sessions.drain(40);
    await passing(house, drained);
    await house.settled();
    expect((await types(first)).at(-1)).toBe('agent_response');
    const next = open({ script: answers });
    await resumeIn(next, first.session);
    expect((await next.ended(first)).type).toBe('agent_completed');
    expect(await next.history(first.session)).toEqual([
      'user_message one',
      'agent_response a',
      'agent_response ok',
    ]);
  });
});
