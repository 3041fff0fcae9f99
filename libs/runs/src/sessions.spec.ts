import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Toolbox, Toolboxes } from '#agent';
import { isEndType, sessionStream } from '#domain';
import { LogUnavailable } from '#event-log';
import { House, type HouseOptions } from '../../../test/support/house.js';
import { type ClientStep, done, text } from '../../../test/support/scripted-client.js';
import { Gate } from '../../../test/support/scripted-turn.js';
import { heldBy, stored, unavailable } from '../../../test/support/scripted-log.js';
import { TempLog } from '../../../test/support/temp-log.js';
import type { Session } from './session.js';
import type { StartedRun } from './start/start-run-request.js';

let temp: TempLog;
let count = 0;
const open = (options: HouseOptions) => new House(temp, `sessions ${++count}`, options);
const answers = (words = 'ok'): ClientStep[] => [text(words), done()];
const withKey = (key: string) => ({ idempotency: { key, payload: { message: 'hi' } } });

/** What a run of one turn writes when it has its claim. */
const TURN = [
  'agent_started',
  'agent_response_start',
  'agent_response',
  'model_called',
  'model_turn_completed',
  'agent_step',
  'agent_cost',
  'agent_completed',
];

beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

/** Holds a read of the session, by which a request with a key looks for its run or a drive for what was done. */
function readHeld(house: House, prefix: string, passed: number): Gate {
  const gate = new Gate();
  house.log.hold = { prefix, passed, gate };
  return gate;
}

describe('a session that somebody is about to write to', () => {
  it('is not forgotten because nothing is in it yet', async () => {
    const hanging = new Gate();
    const house = open({ script: (_, n) => (n === 0 ? [hanging, ...answers()] : answers()) });
    const search = readHeld(house, 'session-', 1);
    const starting = house.start('one', withKey('empty'));
    await search.reached;
    const [key] = house.log.appends[0]?.events ?? [];
    const data = key?.data as { readonly session: string } | undefined;
    const session = data?.session ?? '';
    await expect(house.core.sessions.get(session)).rejects.toMatchObject({ code: 'not_found' });
    search.open();
    const first = await starting;
    await house.model.asked(1);
    const second = await house.start('two', { session });
    hanging.open();
    await house.ended(second);
    await house.settled();
    expect(house.model.requests).toHaveLength(2);
    const types = await house.types(session, { first, second });
    expect(types.filter((type) => /^(agent|model)_/.test(type))).toEqual([
      ...TURN.map((type) => `${type} first`),
      ...TURN.map((type) => `${type} second`),
    ]);
  });

  it('is not forgotten because many others are busy', async () => {
    const hanging = new Gate();
    const house = open({
      maxRuns: 1000,
      script: ({ messages }) => {
        const asked = messages.at(-1)?.content;
        if (asked === 'hang') return ['hang'];
        return asked === 'slow' ? [hanging, ...answers()] : answers();
      },
    });
    const { session } = await house.run('one');
    await Promise.all(Array.from({ length: 512 }, () => house.start('hang')));
    const search = readHeld(house, sessionStream(session), 0);
    const starting = house.start('slow', { session, ...withKey('busy') });
    await search.reached;
    // Whenever a session comes to rest, those that are at rest and too many are forgotten.
    await house.run('another');
    search.open();
    const slow = await starting;
    const last = await house.start('three', { session });
    hanging.open();
    await house.ended(last);
    for (const other of house.core.sessions.active()) other.stop();
    await house.settled();
    const asked = house.model.requests.map(({ messages }) => messages.at(-1)?.content);
    expect(asked.filter((message) => message === 'slow')).toHaveLength(1);
    expect((await house.types(session, { slow })).filter((type) => type.endsWith(' slow'))).toEqual(
      ['run_requested', 'run_claimed', ...TURN].map((type) => `${type} slow`),
    );
  });
});

describe('a key that was used for something else', () => {
  const forOther = (key: string) => ({ idempotency: { key, payload: { message: 'other' } } });

  it('is refused for that while its run is being written', async () => {
    const house = open({ script: () => answers() });
    const writing = new Gate();
    house.log.next(stored, heldBy(writing));
    const starting = house.start('one', withKey('early'));
    await writing.reached;
    await expect(house.start('other', forOther('early'))).rejects.toMatchObject({
      code: 'idempotency_mismatch',
    });
    writing.open();
    await house.ended(await starting);
  });

  it('is refused for that where its run never came to the log', async () => {
    const house = open({ script: () => answers() });
    house.log.next(stored, unavailable);
    await expect(house.start('one', withKey('orphan'))).rejects.toBeInstanceOf(LogUnavailable);
    await expect(house.start('other', forOther('orphan'))).rejects.toMatchObject({
      code: 'idempotency_mismatch',
    });
    house.clock.advance(500);
    await house.ended(await house.start('one', withKey('orphan')));
  });
});

/** Another process claims the run and ends it, and the first hears of both at once. */
async function endElsewhere(house: House, { session, run }: StartedRun): Promise<Session> {
  const other = open({ script: () => answers('from afar') });
  await other.core.recovery.resume(session);
  const { revision } = await other.heard(session, (e) => e.meta.run === run && isEndType(e.type));
  const known = await house.core.sessions.get(session);
  known.journal.learn(revision);
  await known.journal.refresh();
  return known;
}

describe('a run that another process claimed and ended, of which this one hears at once', () => {
  it('is not driven on', async () => {
    const house = open({ script: () => ['hang'] });
    const run = await house.start('one');
    await house.model.asked(1);
    await endElsewhere(house, run);
    await house.settled();
    expect(house.core.sessions.active()).toEqual([]);
    expect(house.core.admission.running).toBe(0);
  });

  it('is in the context of the next one, though it was being read when it ended', async () => {
    const house = open({ script: () => answers(), toolboxes: new LateToolboxes() });
    const run = await house.start('one');
    while (house.clock.pending.length === 0) await new Promise(setImmediate);
    const reading = readHeld(house, sessionStream(run.session), 1);
    house.clock.advance(500);
    await reading.reached;
    await endElsewhere(house, run);
    reading.open();
    await house.run('two', { session: run.session });
    expect(house.told(0)).toEqual(['user one', 'assistant from afar', 'user two']);
  });
});

/** The first time they cannot be opened. */
class LateToolboxes extends Toolboxes {
  private opened = 0;

  override open(): Promise<Toolbox> {
    if (this.opened++ === 0) return Promise.reject(new LogUnavailable('scripted'));
    return Promise.resolve({ tools: [], close: () => Promise.resolve() });
  }
}
