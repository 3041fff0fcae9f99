import { describe, expect, test } from '@jest/globals';
import {
  SessionTape,
  attemptOf,
  cancelled,
  compacted,
  completed,
  opened,
  response,
  responseStart,
  result,
  step,
  stepTurn,
  thinking,
  thinkingStart,
  turn,
  turnFailed,
} from '../../../../test/support/session-tape.js';
import { askingTurn, asks, parked, resolves } from '../../../../test/support/waiting-tape.js';
import { OUTCOME_UNKNOWN, type RecordedSessionEvent } from '#domain/browser';
import { type WaterfallRow, tookMs, waterfallOf } from './waterfall.js';

const RUN = 'run_1';
type Draft = Parameters<SessionTape['add']>[1];

/** Drafts that are written at a moment, in ms. */
type Moment = readonly [number, ...Draft[]];

/** The events of one run, asked for at 0. */
function tape(...moments: readonly Moment[]): RecordedSessionEvent[] {
  const made = new SessionTape().add(undefined, opened).addRun(RUN, 'hi');
  const times = made.events.map(() => 0);
  for (const [time, ...drafts] of moments)
    for (const draft of drafts) {
      made.add(RUN, draft);
      times.push(time);
    }
  return made.events.map((event, n) => ({ ...event, time: times[n] ?? 0 }));
}

const rows = (...moments: readonly Moment[]): readonly WaterfallRow[] => waterfallOf(RUN, tape(...moments));
const named = (from: readonly WaterfallRow[]): string[] =>
  from.map(({ name, depth }) => '  '.repeat(depth) + name);
const find = (from: readonly WaterfallRow[], name: string): WaterfallRow => {
  const row = from.find((candidate) => candidate.name === name);
  if (row === undefined) throw new Error(`no row ${name} in ${named(from).join(', ')}`);
  return row;
};
const called = (cost: string, output = 100): Draft => ({
  type: 'model_called',
  data: {
    kind: 'turn',
    mode: 'base',
    model: 'm',
    input_tokens: 1,
    output_tokens: output,
    reported: {},
    price: null,
    cost,
  },
});
const claim = (epoch: number, worker: string): Draft => ({
  type: 'run_claimed',
  data: { worker, epoch, requested: 1 },
});

describe('the waterfall of a run', () => {
  test('has the wait, the turns with their pieces, and the calls under their turn', () => {
    const found = rows(
      [1200, thinkingStart, thinking('hm')],
      [2000, responseStart, response('x')],
      [2200, called('0.0041'), turn('c1')],
      [2610, result('c1', 'x'.repeat(2100))],
      [2610, step(1)],
      [3000, responseStart],
      [4000, response('done'), turn()],
      [4000, step(2), completed],
    );
    expect(named(found)).toEqual(['queued', 'turn 1', '  t', 'turn 2']);
    expect(find(found, 'queued').notes).toEqual(['nobody before it']);
    expect(find(found, 'turn 1')).toMatchObject({ start: 0, end: 2200, event: 3 });
    expect(find(found, 'turn 1').bars).toEqual([
      { kind: 'thinking', start: 1200, end: 2000 },
      { kind: 'answer', start: 2000, end: 2200 },
    ]);
    expect(find(found, 'turn 1').notes).toEqual(['first token 1.2 s', '100 tokens/s', { cost: '0.0041' }]);
    expect(tookMs(find(found, 't'))).toBe(410);
    expect(find(found, 't').notes).toEqual(['2.1 KB']);
  });

  test('shows what is under way as open, and the turn that has said nothing yet', () => {
    const found = rows([100, thinkingStart], [500, turn('c1', 'c2')], [700, result('c2', 'r')]);
    expect(named(found)).toEqual(['queued', 'turn 1', '  t', '  t']);
    expect(found.map(({ end }) => end)).toEqual([0, 500, null, 700]);
    expect(named(rows([1, turn('c1')], [2, result('c1', ''), step(1)]))).toContain('turn 2');
  });

  test('has a row for each attempt of a turn that failed, and goes on from there', () => {
    const found = rows(
      [10, responseStart],
      [40, called('0.002'), turnFailed],
      [60, responseStart],
      [90, turn()],
    );
    expect(named(found)).toEqual(['queued', 'turn 1, attempt 1', 'turn 1']);
    expect(find(found, 'turn 1, attempt 1')).toMatchObject({
      tone: 'bad',
      end: 40,
      notes: ['failed: reset', { cost: '0.002' }],
    });
    expect(find(found, 'turn 1').start).toBe(40);
  });

  test('has a row for the last attempt, too, of which the end of the run tells alone', () => {
    const broke = (code: 'model_unavailable' | 'timeout' | 'max_steps', content: string): Draft => ({
      type: 'agent_error',
      data: { content, code, retryable: true },
    });
    const thrice = rows(
      [1000, called('0.001'), turnFailed],
      [3000, turnFailed],
      [8000, called('0.002'), broke('model_unavailable', '500')],
    );
    expect(named(thrice)).toEqual(['queued', 'turn 1, attempt 1', 'turn 1, attempt 2', 'turn 1, attempt 3']);
    expect(thrice.at(-1)).toMatchObject({
      tone: 'bad',
      start: 3000,
      end: 8000,
      bars: [{ kind: 'failed', start: 3000, end: 8000 }],
      notes: ['failed: 500', { cost: '0.002' }],
    });
    const once = rows([40, broke('model_unavailable', '400')]);
    expect(named(once)).toEqual(['queued', 'turn 1']);
    expect(once[1]).toMatchObject({ start: 0, end: 40, notes: ['failed: 400'] });
    const begun = rows([10, responseStart, response('ha')], [90, broke('timeout', 'too long')]);
    expect(begun[1]).toMatchObject({ name: 'turn 1', end: 90, notes: ['failed: too long'] });
    // Nothing was asked for.
    expect(named(rows([10, broke('max_steps', 'enough')]))).toEqual(['queued']);
  });

  test('has a row for an attempt that failed in a step of a workflow, under the step, and not one of the run', () => {
    const [gather, weigh] = [attemptOf('gather'), attemptOf('weigh')];
    const started = (data: typeof gather): Draft => ({ type: 'workflow_attempt_started', data });
    const one = rows([10, turn('c1')], [20, started(gather)], [60, turnFailed], [90, stepTurn(gather, 'a')]);
    expect(named(one)).toEqual(['queued', 'turn 1', '  t', '    gather', '      model, attempt 1']);
    expect(one.at(-1)).toMatchObject({ tone: 'bad', start: 20, end: 60, notes: ['failed: reset'] });
    const two = rows([10, turn('c1')], [20, started(gather), started(weigh)], [60, turnFailed]);
    expect(named(two).slice(2)).toEqual(['  t', '    gather', '    weigh', '    model, attempt 1']);
  });

  test('has a row for a compaction, with the time and the cost of its summary, and goes on with the turn', () => {
    const summed = called('0.002') as Extract<Draft, { type: 'model_called' }>;
    const found = rows(
      [100, turn('c1'), result('c1', 'r'), step(1)],
      [400, compacted('in short', 3, 8), { ...summed, data: { ...summed.data, kind: 'compaction' } }],
      [500, responseStart],
      [600, called('0.003'), turn()],
    );
    expect(named(found)).toEqual(['queued', 'turn 1', '  t', 'compaction', 'turn 2']);
    expect(find(found, 'compaction')).toMatchObject({
      start: 100,
      end: 400,
      notes: ['summed up', 'through 8', { cost: '0.002' }],
    });
    expect(find(found, 'turn 2')).toMatchObject({ start: 400 });
    expect(find(found, 'turn 2').notes).toContainEqual({ cost: '0.003' });
  });

  test('tells who took over, of how long a silence, and what nobody knows the outcome of', () => {
    const found = rows(
      [100, turn('c1')],
      [12_000, claim(2, 'b7:boot')],
      [
        12_001,
        { type: 'tool_call_completed', data: { call_id: 'c1', content: OUTCOME_UNKNOWN, is_error: true } },
      ],
      [12_002, step(1)],
    );
    const over = find(found, 'taken over');
    expect(named(found)).toEqual(['queued', 'turn 1', '  t', 'taken over', 'turn 2']);
    expect(over).toMatchObject({ start: 100, end: 12_000, notes: ['replica w silent; b7, 2nd claim'] });
    expect(tookMs(find(found, 't'))).toBeNull();
    expect(find(found, 't').notes).toEqual(['outcome unknown']);
  });

  test('cuts a turn off where its process was last heard of, and begins it anew', () => {
    const found = rows([50, responseStart, response('ha')], [9000, claim(2, 'w:2')], [9100, turn()]);
    expect(named(found)).toEqual(['queued', 'turn 1', 'taken over', 'turn 1']);
    expect(found[1]).toMatchObject({ end: 50, notes: ['cut off'] });
    expect(found[3]).toMatchObject({ start: 9000, end: 9100 });
  });

  test('a call that waits says for whom, and is no take-over when it is gone on with', () => {
    const asking: readonly Moment[] = [[100, askingTurn({ c1: 'approval' }), asks(RUN, 0), parked]];
    const open = find(rows(...asking), 't');
    expect(open).toMatchObject({ end: null, tone: 'warn', bars: [{ kind: 'wait', start: 100, end: null }] });
    expect(open.notes[0]).toMatch(/^waits for approval, expires 1970-01-01 00:16 UTC$/);
    const decided = rows(
      ...asking,
      [5000, resolves(RUN, 0)],
      [5010, claim(2, 'x:1'), { type: 'tool_call_begun', data: { call_id: 'c1' } }],
      [6000, result('c1', 'ok')],
    );
    expect(named(decided)).toEqual(['queued', 'turn 1', '  t']);
    expect(find(decided, 't').bars).toEqual([
      { kind: 'wait', start: 100, end: 5000 },
      { kind: 'tool', start: 5010, end: 6000 },
    ]);
  });

  test('a wait for money is a row of its own, and the turn comes behind it', () => {
    const found = rows(
      [100, asks(RUN, 0, 'budget'), parked],
      [900, resolves(RUN, 0, 'raise')],
      [950, claim(2, 'w:1')],
    );
    expect(named(found)).toEqual(['queued', 'waiting', 'turn 1']);
    expect(find(found, 'waiting')).toMatchObject({ start: 100, end: 900 });
    expect(find(found, 'turn 1').start).toBe(950);
  });

  test('steps of a workflow stand under its call, each attempt a row', () => {
    const [first, second] = [attemptOf('gather'), attemptOf('gather', 2)];
    const failedAt = { ...first, errors: ['no price'], next_at: null };
    const found = rows(
      [10, turn('c1')],
      [20, { type: 'workflow_attempt_started', data: first }],
      [30, stepTurn(first, 'a', 's1')],
      [40, { type: 'tool_call_completed', data: { call_id: 's1', content: 'r', step: first } }],
      [60, { type: 'workflow_attempt_failed', data: failedAt }],
      [70, { type: 'workflow_attempt_started', data: second }],
      [80, stepTurn(second, 'b'), { type: 'workflow_step_completed', data: { ...second, output: '{}' } }],
      [90, result('c1', 'all')],
    );
    expect(named(found)).toEqual([
      'queued',
      'turn 1',
      '  t',
      '    gather, attempt 1',
      '      t',
      '    gather',
    ]);
    expect(find(found, 'gather, attempt 1')).toMatchObject({ end: 60, tone: 'bad' });
    expect(find(found, 'gather')).toMatchObject({ start: 70, end: 80, notes: ['1 turn'] });
  });

  test('closes everything where the run ends, and shows no turn that was never asked for', () => {
    const found = rows([10, turn('c1')], [50, cancelled]);
    expect(found.map(({ end }) => end)).toEqual([0, 10, 50]);
    expect(find(found, 't').notes).toEqual(['cancelled']);
    expect(named(rows([10, cancelled]))).toEqual(['queued']);
  });

  test('a run that goes on with another one begins with the calls of that one', () => {
    const found = rows([30, result('c9', 'r')], [31, step(1)]);
    expect(named(found)).toEqual(['queued', 'earlier turn', '  call c9', 'turn 1']);
  });

  test('passes over the events of other runs', () => {
    const other = new SessionTape().add(undefined, opened).addRun('run_2', 'x', turn('c1'));
    expect(waterfallOf(RUN, other.events)).toEqual([]);
  });
});
