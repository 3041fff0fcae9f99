import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sessionStream } from '#domain';
import { CALLER, House } from '../../../test/support/house.js';
import { LedgerTool } from '../../../test/support/ledger-tool.js';
import { resultsIn } from '../../../test/support/run-script.js';
import { done, text, toolCall } from '../../../test/support/scripted-client.js';
import { Gate } from '../../../test/support/scripted-turn.js';
import { TempLog } from '../../../test/support/temp-log.js';
import { type InStep, WorkflowHouse, configOf, says } from '../../../test/support/workflow-house.js';
import { stepOf } from '../../../test/support/workflows.js';

let temp: TempLog;

beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

const index = { askedAt: () => Promise.resolve(null), due: () => Promise.resolve([]) };

async function approve(house: House, session: string): Promise<void> {
  const asked = (await temp.read(sessionStream(session))).findLast(
    ({ type }) => type === 'agent_action_required',
  );
  const { action_id: id = '' } = (asked?.data ?? {}) as { action_id?: string };
  await house.core.actions(() => index).resolve(id, { decision: 'approve' }, CALLER);
}

/** `a` pays, which somebody has to release; `b` says something. */
function openWork(boot: string) {
  const pay = new LedgerTool('pay');
  const inStep: InStep = (step, _n, request) =>
    step === 'b' || resultsIn(request).length > 0 ? says(`output of ${step}`) : [done(toolCall('x', 'pay'))];
  return { pay, work: new WorkflowHouse(temp, boot, inStep, { tools: [pay] }) };
}

describe('a workflow step that waits', () => {
  it('keeps no other back, and goes on in another process without being asked again', async () => {
    const first = openWork('step first');
    const config = configOf([stepOf('a'), stepOf('b')], { approvals: { tools: { pay: 'ask' } } });
    const started = await first.work.house.start('hi', { config });
    await first.work.house.heard(started.session, ({ type }) => type === 'run_parked');
    await first.work.house.settled();
    expect(first.work.requests('b')).toHaveLength(1);
    expect((await temp.typesOf(sessionStream(started.session))).at(-1)).toBe('run_parked');

    const second = openWork('step second');
    await approve(second.work.house, started.session);
    await second.work.house.ended(started);
    expect([...first.pay.calls, ...second.pay.calls]).toEqual([{}]);
    expect(second.work.requests('a')).toHaveLength(1);
    expect(second.work.requests('b')).toEqual([]);
    expect(second.work.answer).toMatchObject({
      status: 'completed',
      steps: [{ output: 'output of a' }, { output: 'output of b' }],
    });
  });
});

describe('a message for a run that is driven', () => {
  it('is given to the model before the run completes', async () => {
    const gate = new Gate();
    const house = new House(temp, 'steered', {
      script: (_, n) => (n === 0 ? [text('a'), gate, done()] : [text('b'), done()]),
    });
    const started = await house.start('hi');
    await gate.reached;
    const { session } = started;
    expect(await house.start('faster', { session, onBusy: 'steer' })).toMatchObject({ run: started.run });
    gate.open();
    expect((await house.ended(started)).type).toBe('agent_completed');
    expect(house.told(1)).toEqual(['user hi', 'assistant a', 'user faster']);
  });
});
