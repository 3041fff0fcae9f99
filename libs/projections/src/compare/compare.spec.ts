import { describe, expect, it } from '@jest/globals';
import {
  SessionTape,
  attemptOf,
  cancelled,
  completed,
  finalOutput,
  finalTurn,
  requested,
  response,
  responseStart,
  result,
  step,
  stepResult,
  stepTurn,
  thinking,
  thinkingStart,
  toolResponse,
  toolUse,
  toolUseStart,
  turn,
  turnFailed,
} from '../../../../test/support/session-tape.js';
import { steered, steers } from '../../../../test/support/waiting-tape.js';
import type { Draft } from '#domain';
import { RunComparison, type ComparedTurn, comparedTurn } from './run-comparison.js';
import { isSameJson } from './same-json.js';
import { TurnsFold } from './turns-fold.js';

const said = (...pieces: readonly string[]): Draft[] => [responseStart, ...pieces.map(response)];

/** A finished turn with calls of these names and arguments. */
function calling(...calls: readonly (readonly [name: string, text: string])[]): Draft {
  const { type, data } = turn() as Extract<Draft, { type: 'model_turn_completed' }>;
  const tool_calls = calls.map(([name, text], n) => ({ id: `c${n}`, name, arguments: text }));
  return { type, data: { ...data, tool_calls } };
}

const claimedAgain: Draft = { type: 'run_claimed', data: { worker: 'w2', epoch: 2, requested: 0 } };

/** The turns of a run of which the log holds `drafts`, and its final output. */
function folded(...drafts: readonly Draft[]): { turns: ComparedTurn[]; finalOutput: unknown } {
  const fold = new TurnsFold();
  const { events } = new SessionTape().addRun('r', 'hello', ...drafts);
  const turns = [...events.map((event) => fold.push(event)), fold.finish()].filter((t) => t !== null);
  return {
    turns: turns.map((t) => comparedTurn(t.response.map(String).join(''), t.calls)),
    finalOutput: fold.finalOutput,
  };
}

const turnsOf = (...drafts: readonly Draft[]): ComparedTurn[] => folded(...drafts).turns;

const saying = (text: string): ComparedTurn => ({ response: text, tool_calls: [] });

describe('the turns of a run', () => {
  it('are what the main agent said and called, in order', () => {
    const turns = turnsOf(
      thinkingStart,
      thinking('hm'),
      ...said('Let me ', 'look.'),
      calling(['look', '{"n":1}'], ['look', '{"n":'], ['list', ' ']),
      toolUseStart,
      toolUse('{}'),
      result('c0', 'x'),
      toolResponse('x'),
      step(1),
      ...said('Done.'),
      turn(),
      step(2),
      completed,
    );
    expect(turns).toEqual([
      {
        response: 'Let me look.',
        tool_calls: [
          { tool: 'look', input: { n: 1 } },
          { tool: 'look', input: '{"n":' },
          { tool: 'list', input: {} },
        ],
      },
      saying('Done.'),
    ]);
  });

  it('are none where the model was never heard', () => {
    expect(turnsOf()).toEqual([]);
    expect(turnsOf(completed)).toEqual([]);
    const { events } = new SessionTape().add('r', requested('hello'));
    const fold = new TurnsFold();
    expect(events.map((event) => fold.push(event))).toEqual([null]);
    expect([fold.finish(), fold.finalOutput]).toEqual([null, null]);
  });

  it.each([
    ['the model failed', turnFailed],
    ['the process died', claimedAgain],
  ])('count one that broke because %s and was asked again once, as it was said in the end', (_, broke) => {
    expect(turnsOf(...said('Wro'), broke, ...said('Right', '.'), turn(), step(1), completed)).toEqual([
      saying('Right.'),
    ]);
    expect(turnsOf(...said('Wro'), broke, turn('c1'), step(1))).toEqual([
      { response: '', tool_calls: [{ tool: 't', input: {} }] },
    ]);
  });

  it('end with what was said of one that was never finished', () => {
    const first = [...said('One.'), turn('c1'), step(1)];
    expect(turnsOf(...first, ...said('Tw'), cancelled).at(-1)).toEqual(saying('Tw'));
    expect(turnsOf(...first, ...said('Tw'), turnFailed, cancelled).at(-1)).toEqual(saying('Tw'));
    // It still runs.
    expect(turnsOf(...first, ...said('Tw', 'o')).at(-1)).toEqual(saying('Two'));
    expect(turnsOf(...first, responseStart)).toHaveLength(1);
  });

  it('are not those of workflow steps, nor answers to the request for the final output', () => {
    const attempt = attemptOf('s');
    const { turns, finalOutput: output } = folded(
      turn('c1'),
      stepTurn(attempt, 'of the step', 'k1'),
      stepResult(attempt, 'k1', 'x'),
      stepTurn(attempt, 'done'),
      result('c1', 'all done'),
      step(1),
      ...said('Here.'),
      turn(),
      step(2),
      finalTurn('{"n":"1"}'),
      finalTurn('{"n":1}'),
      finalOutput('{"n":1}'),
      completed,
    );
    expect(turns).toEqual([{ response: '', tool_calls: [{ tool: 't', input: {} }] }, saying('Here.')]);
    expect(output).toBe('{"n":1}');
  });

  it('go on behind a message that steered the run', () => {
    const turns = turnsOf(
      ...said('One.'),
      turn('c1'),
      steers('run_s', 'stop'),
      result('c1', 'x'),
      step(1),
      steered('stop'),
      ...said('Stopped.'),
      turn(),
      step(2),
      completed,
    );
    expect(turns.map(({ response: text }) => text)).toEqual(['One.', 'Stopped.']);
  });
});

function compare(a: readonly ComparedTurn[], b: readonly ComparedTurn[]) {
  const comparison = new RunComparison();
  const { length } = a.length > b.length ? a : b;
  const turns = Array.from({ length }, (_, at) => comparison.push(a[at] ?? null, b[at] ?? null));
  const { same_response, same_tool_calls } = comparison.verdictOn({ a: null, b: null });
  return { statuses: turns.map(({ status }) => status), same_response, same_tool_calls, turns };
}

const call = (input: unknown, text = ''): ComparedTurn => ({
  response: text,
  tool_calls: [{ tool: 't', input }],
});

describe('a comparison of two runs', () => {
  it('finds a run the same as itself', () => {
    const run = [call({ n: 1 }), saying('done')];
    expect(compare(run, run)).toMatchObject({
      statuses: ['same', 'same'],
      same_response: true,
      same_tool_calls: true,
    });
    expect(compare([], [])).toMatchObject({ statuses: [], same_response: true, same_tool_calls: true });
  });

  it('does not mind the order of keys', () => {
    const found = compare([call({ a: 1, b: { c: [1], d: null } })], [call({ b: { d: null, c: [1] }, a: 1 })]);
    expect(found).toMatchObject({ statuses: ['same'], same_tool_calls: true });
  });

  it('tells other words from other calls', () => {
    expect(compare([call({}, 'a'), saying('x')], [call({}, 'b'), saying('x')])).toMatchObject({
      statuses: ['changed', 'same'],
      same_response: true,
      same_tool_calls: true,
    });
    expect(compare([call({ n: 1 }), saying('x')], [call({ n: 2 }), saying('y')])).toMatchObject({
      statuses: ['changed', 'changed'],
      same_response: false,
      same_tool_calls: false,
    });
  });

  it('compares what each said last where one is longer', () => {
    const [one, two] = [[saying('x')], [call({}), saying('x')]];
    expect(compare(one, two)).toMatchObject({
      statuses: ['changed', 'only_b'],
      same_response: true,
      same_tool_calls: false,
    });
    const { statuses, turns, ...same } = compare([...two, saying('more')], two);
    expect(statuses).toEqual(['same', 'same', 'only_a']);
    expect(turns[2]).toEqual({ status: 'only_a', a: saying('more'), b: null });
    expect(same).toEqual({ same_response: false, same_tool_calls: true });
    expect(compare([], two)).toMatchObject({ statuses: ['only_b', 'only_b'], same_response: false });
  });
});

it('final outputs are compared as values', () => {
  const sameAs = (a: unknown, b: unknown): boolean =>
    new RunComparison().verdictOn({ a, b }).same_final_output;
  expect([sameAs({ a: 1, b: 2 }, { b: 2, a: 1 }), sameAs(null, null)]).toEqual([true, true]);
  expect([sameAs({ a: 1 }, { a: '1' }), sameAs({}, null)]).toEqual([false, false]);
});

describe('JSON values', () => {
  it.each([
    [1, 1, true],
    [1, '1', false],
    [null, null, true],
    [null, {}, false],
    [[], {}, false],
    [[1, 2], [2, 1], false],
    [[1], [1, 1], false],
    [{ a: 1 }, { b: 1 }, false],
    [{ a: 1 }, { a: 1, b: 1 }, false],
    [{ a: null }, {}, false],
    [JSON.parse('{"__proto__":{}}'), { x: {} }, false],
    [{ a: [{ b: 1, c: 2 }] }, { a: [{ c: 2, b: 1 }] }, true],
  ])('%j and %j: equal %j', (a, b, isSame) => {
    expect(isSameJson(a, b)).toBe(isSame);
    expect(isSameJson(b, a)).toBe(isSame);
  });

  it('may be nested deeply', () => {
    const deep = (end: string): unknown => JSON.parse(`${'['.repeat(50_000)}${end}${']'.repeat(50_000)}`);
    expect(isSameJson(deep('1'), deep('1'))).toBe(true);
    expect(isSameJson(deep('1'), deep('2'))).toBe(false);
  });
});
