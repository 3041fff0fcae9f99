import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OUTCOME_UNKNOWN, isEndType, sessionStream } from '#domain';
import { CALLER, House, type HouseOptions } from '../../../test/support/house.js';
import { LedgerTool } from '../../../test/support/ledger-tool.js';
import { RecordedRun, passing } from '../../../test/support/recorded-run.js';
import { lastUserOf, resultsIn } from '../../../test/support/run-script.js';
import { done, text, toolCall } from '../../../test/support/scripted-client.js';
import { TempLog } from '../../../test/support/temp-log.js';
import type { StartedRun } from './start/start-run-request.js';
import type { DecisionRequest } from './actions/decision-request.js';

let temp: TempLog;
let count = 0;
const config = { approvals: { tools: { pay: 'ask' }, expires_s: 60 } } as const;

beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

/** A process whose agent pays, then says `well`; and `ok` to every other message than `pay`. */
function openHouse(more: Partial<HouseOptions> = {}) {
  const pay = new LedgerTool('pay');
  const script: HouseOptions['script'] = (request) => {
    if (resultsIn(request).length > 0) return [text('well'), done()];
    return lastUserOf(request) === 'pay' ? [done(toolCall('c1', 'pay'))] : [text('ok'), done()];
  };
  const house = new House(temp, `waits ${++count}`, { script, tools: [pay], ...more });
  // Tables that know of nothing yet.
  const index = { askedAt: () => Promise.resolve(null), due: () => Promise.resolve([]) };
  const actions = house.core.actions(() => index);
  const decide = async (started: StartedRun, request: DecisionRequest = { decision: 'approve' }) => {
    const asked = (await events(started)).find(({ type }) => type === 'agent_action_required');
    const { action_id: id = '' } = (asked?.data ?? {}) as { action_id?: string };
    return actions.resolve(id, request, { ...CALLER, actor: 'key_2' });
  };
  return { house, pay, decide };
}

/** A run that is parked, and in no process's memory. */
async function parked(): Promise<StartedRun> {
  const { house, pay } = openHouse();
  const started = await house.start('pay', { config });
  await house.heard(started.session, ({ type }) => type === 'run_parked');
  await house.settled();
  expect(pay.calls).toEqual([]);
  expect([house.core.admission.running, house.core.sessions.active()]).toEqual([0, []]);
  return started;
}

const events = ({ session }: StartedRun) => temp.read(sessionStream(session));
const resultsOf = async (started: StartedRun) =>
  (await events(started)).filter(({ type }) => type === 'tool_call_completed').map(({ data }) => data);
const endsOf = async (started: StartedRun) =>
  (await events(started)).map(({ type }) => type).filter((type) => isEndType(type));

describe('a run that is parked', () => {
  it('is woken by a decision in a process that never knew it, and the call is made once', async () => {
    const started = await parked();
    const { house, pay, decide } = openHouse();
    expect(await decide(started)).toMatchObject({ resolved: { decision: 'approve', actor: 'key_2' } });
    expect((await house.ended(started)).type).toBe('agent_completed');
    expect(pay.calls).toEqual([{}]);
    expect(await resultsOf(started)).toMatchObject([{ content: 'pay did {}' }]);
  });

  it('is decided on by one of two that decide at the same time', async () => {
    const started = await parked();
    const [one, two] = [openHouse(), openHouse()];
    for (const { house } of [one, two]) house.log.isShared = true;
    const said = await Promise.allSettled([
      one.decide(started),
      two.decide(started, { decision: 'deny', reason: 'no' }),
    ]);
    expect(said.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const isPaid = said[0].status === 'fulfilled';
    const { house } = isPaid ? one : two;
    await passing(
      house,
      house.heard(started.session, ({ type }) => isEndType(type)),
    );
    expect(one.pay.calls.length + two.pay.calls.length).toBe(isPaid ? 1 : 0);
    expect(await resultsOf(started)).toHaveLength(1);
    for (const each of [one, two]) for (const session of each.house.core.sessions.active()) session.stop();
  });

  it('is told why it was denied, and nothing is made', async () => {
    const started = await parked();
    const { house, pay, decide } = openHouse();
    await decide(started, { decision: 'deny', reason: 'too much' });
    await house.ended(started);
    expect(pay.calls).toEqual([]);
    expect(house.told(0)).toContain('tool the call was not made: it was denied: too much');
  });

  it('expires when somebody decides too late, and goes on', async () => {
    const started = await parked();
    const { house, pay, decide } = openHouse();
    house.clock.advance(60_000);
    await expect(decide(started)).rejects.toMatchObject({ code: 'conflict' });
    expect((await house.ended(started)).type).toBe('agent_completed');
    expect(pay.calls).toEqual([]);
    expect(await resultsOf(started)).toMatchObject([{ is_error: true }]);
  });

  it('ends at once when it is cancelled, and cannot be decided on after that', async () => {
    const started = await parked();
    const { house, pay, decide } = openHouse();
    await house.cancel(started);
    expect((await events(started)).slice(-2).map(({ type }) => type)).toEqual([
      'agent_cost',
      'agent_cancelled',
    ]);
    await expect(decide(started)).rejects.toThrow();
    expect(pay.calls).toEqual([]);
  });

  it('gives way to one that interrupts', async () => {
    const started = await parked();
    const { house } = openHouse();
    const next = await house.run('hi', { session: started.session, onBusy: 'interrupt' });
    expect(await endsOf(started)).toEqual(['agent_cancelled', 'agent_completed']);
    expect(next.run).not.toBe(started.run);
  });

  it('takes a message in when it goes on, before it completes', async () => {
    const started = await parked();
    const { house, decide } = openHouse();
    const { session } = started;
    const steering = await house.start('faster', { session, onBusy: 'steer' });
    expect(steering.run).toBe(started.run);
    expect((await events(started)).at(-1)?.type).toBe('run_steered');
    await decide(started);
    await house.ended(started);
    expect(await house.history(session)).toEqual([
      'user_message pay',
      expect.stringMatching(/^agent_tool_use/),
      'user_message faster',
      'agent_response ok',
    ]);
  });
});

describe('a process that ends at any moment of such a run', () => {
  it('leaves the call to be made once, or its outcome unknown', async () => {
    const first = openHouse();
    const started = await first.house.start('pay', { config });
    await first.house.heard(started.session, ({ type }) => type === 'run_parked');
    await first.decide(started);
    await first.house.ended(started);
    const recorded = await RecordedRun.of(temp, started);
    const typesOf = (list: readonly { readonly type: string }[]) => list.map(({ type }) => type);
    const asked = recorded.events.findIndex(({ type }) => type === 'agent_action_required');
    const lengths = recorded.boundaries.filter((length) => length > asked && length < recorded.events.length);
    expect(lengths.length).toBeGreaterThan(5);
    for (const length of lengths) {
      const prefix = typesOf(recorded.events.slice(0, length));
      const at = await recorded.copy(length);
      const { house, pay, decide } = openHouse();
      await house.core.recovery.resume(at.session);
      await house.settled();
      if (!prefix.includes('agent_action_resolved')) await decide(at);
      if ((await endsOf(at)).length === 0) await passing(house, house.ended(at));
      await house.settled();
      const same = (found: unknown) => ({ length, last: prefix.at(-1), found });
      const wasBegun = prefix.includes('tool_call_begun');
      const wasMade = prefix.includes('tool_call_completed');
      expect(same(pay.calls.length)).toEqual(same(wasBegun ? 0 : 1));
      const content = wasBegun && !wasMade ? OUTCOME_UNKNOWN : 'pay did {}';
      expect(same(await resultsOf(at))).toMatchObject(same([{ content }]));
      expect(same(await endsOf(at))).toEqual(same(['agent_completed']));
      expect(same(house.core.admission.running)).toEqual(same(0));
    }
  });
});
