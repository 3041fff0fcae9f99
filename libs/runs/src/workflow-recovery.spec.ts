import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OUTCOME_UNKNOWN, isEndType } from '#domain';
import type { RecordedEvent } from '#event-log';
import { LedgerTool } from '../../../test/support/ledger-tool.js';
import { RecordedRun, passing, written } from '../../../test/support/recorded-run.js';
import { lastUserOf, publicLines, resultsIn } from '../../../test/support/run-script.js';
import { done, text, toolCall } from '../../../test/support/scripted-client.js';
import { TempLog } from '../../../test/support/temp-log.js';
import { type InStep, WorkflowHouse, configOf, stepLines } from '../../../test/support/workflow-house.js';
import { stepOf } from '../../../test/support/workflows.js';

let temp: TempLog;
let recorded: RecordedRun;

/** `a` pays and `b` looks, at the same time; the first answer of `c`, which needs both, does not validate. */
const CONFIG = configOf([
  stepOf('a'),
  stepOf('b'),
  stepOf('c', ['a', 'b'], {
    output_schema: { type: 'object', required: ['n'] },
    retry_policy: { max_attempts: 2, backoff: 'fixed' },
  }),
]);
const TURNS = 8;
const STEPS = [
  'started a 1',
  'started b 1',
  'started c 1',
  'started c 2',
  'completed a 1',
  'completed b 1',
  'completed c 2',
];

/** @param isSlow what is said and done has appends of its own, `b` behind `a` */
function openHouse(boot: string, isSlow = false) {
  const pauses = (n: number) => async () => {
    if (!isSlow) return;
    for (let i = 0; i < n; i++) await written(work.house);
  };
  const slowly = (name: string, n: number) => async (input: unknown) => {
    await pauses(n)();
    return `${name} did ${JSON.stringify(input)}`;
  };
  const pay = new LedgerTool('pay', { act: slowly('pay', 5) });
  const look = new LedgerTool('look', { isRepeatable: true, act: slowly('look', 2) });
  const inStep: InStep = (step, _n, request) => {
    const pause = pauses(step === 'b' ? 3 : 1);
    if (step === 'c') {
      const isSecond = lastUserOf(request).includes('An earlier attempt');
      return [text(isSecond ? '{"n":1}' : 'nonsense'), pause, done()];
    }
    if (resultsIn(request).length > 0) return [text(`output of ${step}`), pause, done()];
    return [text('so'), pause, done(toolCall('x', step === 'a' ? 'pay' : 'look', { of: step }))];
  };
  const work = new WorkflowHouse(temp, boot, inStep, { tools: [pay, look] });
  return { work, pay, look };
}

beforeAll(async () => {
  temp = await TempLog.open();
  const { house } = openHouse('recorded', true).work;
  const started = await house.start('hi', { config: CONFIG });
  await passing(house, house.ended(started));
  recorded = await RecordedRun.of(temp, started);
});
afterAll(() => temp.close());

const of = (events: readonly RecordedEvent[], type: string) => events.filter((event) => event.type === type);
/** Results of the calls that a step made. */
const resultsOf = (events: readonly RecordedEvent[], step: string): unknown[] =>
  of(events, 'tool_call_completed')
    .map(({ data }) => data as { content: unknown; step?: { step_id: string } })
    .filter((data) => data.step?.step_id === step)
    .map(({ content }) => content);
const turnsOf = (events: readonly RecordedEvent[], step: string) =>
  of(events, 'model_turn_completed').filter(
    ({ data }) => (data as { step?: { step_id: string } }).step?.step_id === step,
  );
const sorted = (lines: readonly string[]) => lines.filter((line) => !line.startsWith('response')).toSorted();
/** Whether each start of a tool use stands directly before its event. */
const areTogether = (events: readonly RecordedEvent[]): boolean =>
  events.every(
    ({ type }, at) => type !== 'agent_tool_use_start' || events[at + 1]?.type === 'agent_tool_use',
  );

describe('a workflow without a fault', () => {
  it('is what the recovered ones are compared with', () => {
    const lines = publicLines(recorded.events, recorded.started.run);
    expect(stepLines(lines).toSorted()).toEqual(STEPS.toSorted());
    expect(of(recorded.events, 'model_turn_completed')).toHaveLength(TURNS);
    expect(recorded.boundaries.length).toBeGreaterThanOrEqual(24);
  });
});

describe('a process that finds a workflow as a crash left it', () => {
  it('ends it, from any prefix of its appends, and repeats nothing that is known', async () => {
    for (const length of recorded.boundaries) await recoverFrom(length);
  });

  async function recoverFrom(length: number): Promise<void> {
    const prefix = recorded.events.slice(0, length);
    const at = await recorded.copy(length);
    const { work, pay, look } = openHouse(`after ${length}`);
    const { house } = work;
    await house.core.recovery.resume(at.session);
    await passing(house, house.ended(at));
    await house.settled();
    const { events, lines } = await work.read(at);
    const expectAt = (found: unknown) => expect({ length, last: prefix.at(-1)?.type, found });
    const same = (found: unknown) => ({ length, last: prefix.at(-1)?.type, found });

    // What was there stays, and the run ends once.
    expectAt(events.slice(0, length).map(({ type }) => type)).toEqual(same(prefix.map(({ type }) => type)));
    expectAt(events.filter(({ type }) => isEndType(type)).map(({ type }) => type)).toEqual(
      same(['agent_completed']),
    );
    expect(events.at(-1)?.type).toBe('agent_completed');

    // No turn that is known is asked for again, no attempt begins twice, no step ends twice.
    expectAt(of(events, 'model_turn_completed').length).toEqual(same(TURNS));
    const turnsLeft = TURNS - of(prefix, 'model_turn_completed').length;
    expectAt(house.model.requests.length).toEqual(same(turnsLeft));
    expectAt(stepLines(lines).toSorted()).toEqual(same(STEPS.toSorted()));
    expectAt(of(events, 'workflow_attempt_failed').length).toEqual(same(1));

    // A tool is called once for each intent, unless it only looks.
    const hadIntent = turnsOf(prefix, 'a').length > 0;
    const isUnknown = hadIntent && resultsOf(prefix, 'a').length === 0;
    expectAt(pay.calls.length).toEqual(same(hadIntent ? 0 : 1));
    expectAt(look.calls.length).toEqual(same(resultsOf(prefix, 'b').length > 0 ? 0 : 1));
    expectAt(resultsOf(events, 'a')).toEqual(same([isUnknown ? OUTCOME_UNKNOWN : 'pay did {"of":"a"}']));
    expectAt(resultsOf(events, 'b')).toEqual(same(['look did {"of":"b"}']));
    const [toldA] = work.requests('a').slice(-1).map(resultsIn);
    if (isUnknown) expectAt(toldA?.[0]?.content).toEqual(same(OUTCOME_UNKNOWN));

    // A client sees the same events, if not in the same order; a block that was cut off is closed by the next.
    const seen = publicLines(recorded.events, recorded.started.run);
    expectAt(sorted(lines)).toEqual(same(sorted(seen)));
    expectAt(lines.slice(-4)).toEqual(same(seen.slice(-4)));
    expectAt(areTogether(events)).toEqual(same(true));
    if (work.answer !== undefined)
      expectAt(work.answer).toMatchObject(
        same({ status: 'completed', steps: [{}, {}, { output: '{"n":1}' }] }),
      );
    expectAt(house.errors).toEqual(same([]));
    expect(house.core.admission.running).toBe(0);
  }

  it('waits between two attempts no longer than it would have', async () => {
    const failed = recorded.events.findIndex(({ type }) => type === 'workflow_attempt_failed');
    const length = recorded.boundaries.find((end) => end > failed) ?? 0;
    const at = await recorded.copy(length);
    const { house } = openHouse('waits').work;
    house.clock.advance(400);
    await house.core.recovery.resume(at.session);
    expect(await house.clock.timerWithin(5_000)).toBe(600);
    await passing(house, house.ended(at));
  });

  it('goes on from where a second one got, when that is killed, too', async () => {
    const [first] = recorded.boundaries.filter(
      (end) => turnsOf(recorded.events.slice(0, end), 'a').length > 0,
    );
    const at = await recorded.copy(first ?? 0);
    const second = openHouse('second').work;
    await second.house.core.recovery.resume(at.session);
    await second.house.heard(
      at.session,
      ({ type, revision }) => type === 'workflow_step_completed' && revision >= (first ?? 0),
    );
    for (const session of second.house.core.sessions.active()) session.stop();
    await second.house.settled();
    const third = openHouse('third');
    await third.work.house.core.recovery.resume(at.session);
    await passing(third.work.house, third.work.house.ended(at));
    const { events, lines } = await third.work.read(at);
    expect(of(events, 'run_claimed')).toHaveLength(3);
    expect(of(events, 'model_turn_completed')).toHaveLength(TURNS);
    expect(stepLines(lines).toSorted()).toEqual(STEPS.toSorted());
    expect(third.pay.calls).toEqual([]);
  });
});
