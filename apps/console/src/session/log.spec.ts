import { describe, expect, test } from '@jest/globals';
import { parseDollars } from '#domain/browser';
import { findIn } from './find.js';
import { SHOW_ALL } from './lanes.js';
import { logEvent } from './log-event.js';
import { Marks } from './marks.js';
import { LogRows, type Row, type Told, rowsOf } from './rows.js';
import { type RunStory, Story, neighbours } from './story.js';
import { summaryOf, toldText } from './summary.js';
import { logOf, storyOf, twoRuns } from './tape.js';

const events = twoRuns();
const story = storyOf(events);
const blocks = rowsOf(events, story, 'blocks', SHOW_ALL);

describe('the story of a log', () => {
  test('knows who took a run over, and that one that waited was not', () => {
    expect([...story.takeOvers.values()]).toEqual([
      { run: 'r1', crash: 9, claim: 10, silentMs: 11_000, before: 'a', worker: 'b' },
    ]);
    expect(story.errors).toEqual([10, 11]);
  });

  test('knows where runs and turns begin', () => {
    expect(story.runStarts).toEqual([1, 15]);
    expect(story.turnStarts).toEqual([4, 13, 22]);
    expect([3, 4, 12, 13, 18].map((at) => story.turns[at])).toEqual([0, 1, 1, 2, 2]);
  });

  test('counts no turn behind the last one, whatever stands there before the end', () => {
    const told = storyOf(
      logOf(
        [
          0,
          'run_requested',
          'r',
          { message: 'hi', mode: 'base', model: 'm', config: {}, trigger: 'request' },
        ],
        [0, 'agent_started', 'r'],
        [0, 'agent_response', 'r', { content: 'Hello' }],
        [0, 'agent_step', 'r', { step: '1' }],
        [0, 'run_cancel_requested', 'r'],
        [0, 'agent_cost', 'r', { cost: '0.01' }],
        [0, 'agent_completed', 'r'],
      ),
    );
    expect(told.turns).toEqual([0, 0, 1, 1, 1, 1, 1]);
    expect(told.turnStarts).toEqual([2]);
  });

  test('knows what a run has cost so far, also of an earlier version, whose turns had their calls with them', () => {
    const calls = storyOf(
      logOf(
        [
          0,
          'run_requested',
          'r',
          { message: 'hi', mode: 'base', model: 'm', config: {}, trigger: 'request' },
        ],
        [0, 'agent_started', 'r'],
        [0, 'model_turn_completed', 'r', { finish_reason: 'stop', cost: '0.01' }],
        [0, 'model_called', 'r', { cost: '0.002' }],
        [0, 'model_turn_completed', 'r', { finish_reason: 'stop' }],
      ),
    );
    expect(calls.runs.get('r')?.cost).toBe(parseDollars('0.012'));
  });

  test('has neighbours of each place', () => {
    const places = [1, 15];
    expect(neighbours(places, 0)).toEqual({ before: null, after: 1 });
    expect(neighbours(places, 1)).toEqual({ before: null, after: 15 });
    expect(neighbours(places, 7)).toEqual({ before: 1, after: 15 });
    expect(neighbours(places, 20)).toEqual({ before: 15, after: null });
  });
});

describe('the rows of a log', () => {
  test('are one for each event, or one for a block and its pieces, whatever others write between them', () => {
    expect(rowsOf(events, story, 'every', SHOW_ALL).rows).toHaveLength(events.length);
    const rows = blocks.rows.flatMap((row) => (row.kind === 'event' ? [row] : []));
    expect(rows.find(({ type }) => type === 'agent_thinking')).toMatchObject({ from: 4, to: 6, pieces: 2 });
    expect(rows.find(({ type }) => type === 'agent_response')).toMatchObject({ from: 13, to: 16, pieces: 2 });
    expect(rows.find(({ type }) => type === 'agent_tool_use')).toMatchObject({ from: 8, to: 9, pieces: 0 });
    expect(rows).toHaveLength(events.length - 5);
    expect(blocks.rowOf[16]).toBe(blocks.rowOf[13]);
    expect(blocks.rowOf).toHaveLength(events.length);
  });

  test('have the head of a run where it begins, of one that waited where it is claimed', () => {
    expect(blocks.heads.map(({ run, at }) => [run, blocks.rowOf.indexOf(at)])).toEqual([
      ['r1', 1],
      ['r2', 20],
    ]);
  });

  test('are replaced where they grow, as runs are: what is drawn compares what it is given', () => {
    const [grown, told] = [new LogRows('blocks', SHOW_ALL), new Story()];
    const seen: (readonly [Row | undefined, RunStory | undefined])[] = [];
    for (const [index, event] of events.slice(0, 7).entries()) {
      told.push(event);
      grown.push(event, index, told);
      seen.push([grown.rows[grown.rowOf[4] ?? -1], told.runs.get('r1')]);
    }
    expect(seen.slice(4).map(([row]) => row)).toMatchObject([
      { to: 4, pieces: 0 },
      { to: 5, pieces: 1 },
      { to: 6, pieces: 2 },
    ]);
    expect(seen.slice(1, 4).map(([, run]) => run)).toMatchObject([
      { to: 1, status: 'queued' },
      { to: 2, status: 'running' },
      { to: 3, status: 'running' },
    ]);
  });

  test('are quiet without what is internal, and never without errors, waits and take-overs', () => {
    const quiet = rowsOf(events, story, 'every', { hidden: new Set(), isQuiet: true });
    const types = quiet.rows.map((row) => (row.kind === 'event' ? row.type : 'told'));
    expect(types).toEqual([
      'agent_started',
      'agent_thinking_start',
      'agent_tool_use_start',
      'agent_tool_use',
      'run_claimed',
      'tool_call_completed',
      'agent_response_start',
      'agent_completed',
      'agent_started',
      'agent_action_required',
      'agent_action_resolved',
      'run_claimed',
      'agent_completed',
    ]);
    expect(quiet.rowOf[5]).toBe(1);
  });

  test('of a lane can be hidden, and deliveries stand among them by their times', () => {
    const told: Told = {
      id: 'd',
      run: 'r1',
      event: 3,
      time: events[4]!.time + 1,
      target: 'https://a.example',
      status: 'delivered',
      attempts: 1,
      answer: '200',
    };
    const kinds = (hidden: Parameters<typeof rowsOf>[3]['hidden']) =>
      rowsOf(events, story, 'blocks', { hidden, isQuiet: false }, [told]).rows.map((row) =>
        row.kind === 'told' ? 'told' : row.type,
      );
    expect(kinds(new Set()).slice(3, 7)).toEqual([
      'agent_started',
      'agent_thinking',
      'told',
      'model_turn_completed',
    ]);
    expect(kinds(new Set(['Told', 'Model'] as const))).not.toContain('told');
    expect(kinds(new Set(['Told', 'Model'] as const))).not.toContain('agent_thinking');
  });
});

describe('a row of what was told', () => {
  test('stands under the head of a run, and names its own where that is another one', () => {
    const told = (run: string, at: number): Told => {
      const time = events[at]!.time;
      return {
        id: run,
        run,
        event: 9,
        time,
        target: 'https://a',
        status: 'failed',
        attempts: 1,
        answer: '410',
      };
    };
    const all = [told('r1', 8), told('r1', 24)];
    const { rows } = rowsOf(events, story, 'blocks', SHOW_ALL, all);
    const words = rows.flatMap((row) => (row.kind === 'told' ? [[row.under, toldText(row, story)]] : []));
    expect(words).toEqual([
      ['r1', 'event 9 to https://a, failed, 410'],
      ['r2', 'run 1, event 9 to https://a, failed, 410'],
    ]);
    expect(rows[0]).toMatchObject({ under: null });
  });
});

describe('the summary of an event', () => {
  const of = (index: number) => summaryOf(events[index]!, index, story, (id) => `name of ${id}`);
  test('is one line in words', () => {
    expect(of(1)).toEqual({ text: '“hi”', note: 'base, m' });
    expect(of(2).text).toBe('replica a, first claim');
    expect(of(9).text).toBe('look  { order: "4711" }');
    expect(of(10)).toEqual({
      text: 'replica b took over: replica a was silent for 11.0 s',
      note: '2nd claim',
    });
    expect(of(12).text).toBe('turn 1');
    expect(of(22)).toEqual({ text: 'pay  { a: 1 }', note: 'until 2026-01-01 00:00 UTC' });
    expect(of(24).text).toBe('approve by name of key_2');
    expect(of(25).text).toBe('replica b goes on with it');
  });

  test('has money to four digits, and all of them beside it', () => {
    const [cost, said] = logOf(
      [0, 'agent_cost', 'r', { cost: '0.00127325' }],
      [0, 'agent_response', 'r', { content: 'refund \u202egnp\u2066 zero\u200bwidth \ufeff\r\nline' }],
    );
    expect(summaryOf(cost!, 0, story, String)).toEqual({ text: '', note: '$0.001273', hover: '$0.00127325' });
    expect(summaryOf(said!, 0, story, String).text).toBe(
      'refund U+202EgnpU+2066 zeroU+200Bwidth U+FEFF line',
    );
  });

  test('says of a decision that its input was changed', () => {
    const decision = { action_id: 'x', decision: 'approve', actor: '', content: '{"input":{}}' };
    const [resolved] = logOf([0, 'agent_action_resolved', 'r', decision]);
    expect(summaryOf(resolved!, 0, story, String)).toEqual({ text: 'approve', note: 'input changed' });
  });

  test('is there for what cannot be read', () => {
    const [event] = logOf([0, 'agent_response', 'r', { content: 'x' }]);
    const { text: _, ...line } = event!.line;
    expect(summaryOf(logEvent(line), 0, story, String).text).toBe('erased');
    const long = logEvent({ ...line, bytes: 20_000, head: '{"content":"abc' });
    expect(long.data).toBeNull();
    expect(summaryOf(long, 0, story, String)).toEqual({ text: '{"content":"abc', note: '20.0 KB' });
    expect(summaryOf(logEvent({ ...line, type: 'agent_new', text: '{}' }), 0, story, String).text).toBe(
      'an event of a newer version',
    );
  });
});

describe('find', () => {
  test('finds texts across their pieces, in tool calls, and types', () => {
    expect(findIn(events, 'look UP').matches).toEqual([5]);
    expect(findIn(events, '4711').matches).toEqual([9]);
    expect(findIn(events, 'it is here').matches).toEqual([14]);
    expect(findIn(events, 'agent_step').matches).toEqual([12, 18]);
    expect(findIn(events, ' ').matches).toEqual([]);
  });

  test('reads texts that stand in JSON as what they say', () => {
    const content = JSON.stringify({ tool: 't', content: 'he said "no"\nand left' });
    expect(findIn(logOf([0, 'agent_tool_response', 'r', { content }]), 'said "no"\nand').matches).toEqual([
      0,
    ]);
  });

  test('looks into what was read of long texts, and counts those that were not', () => {
    const file = (name: string) => ({ content: { $file: name, bytes: 200_000 } });
    const [cut] = logOf([0, 'agent_tool_use', 'r', {}]);
    const { text: _, ...line } = cut!.line;
    const log = [
      ...logOf([0, 'agent_response', 'r', file('a')], [0, 'tool_call_completed', 'r', file('a')]),
      ...logOf([0, 'agent_final_output', 'r', file('b')]).map((event) => ({ ...event, id: 2 })),
      logEvent({ ...line, revision: 3, bytes: 300_000, head: '{"content":"the begin' }),
    ];
    expect(findIn(log, 'needle')).toEqual({ matches: [], unsearched: 3 });
    expect(findIn(log, 'begin').matches).toEqual([3]);
    const read = new Map([[0, 'A Needle']]);
    expect(findIn(log, 'needle', read)).toEqual({ matches: [0, 1], unsearched: 2 });
    read.set(2, '').set(3, 'the beginning, and the needle');
    expect(findIn(log, 'needle', read)).toEqual({ matches: [0, 1, 3], unsearched: 0 });
    expect(findIn(log, ' ', read)).toEqual({ matches: [], unsearched: 0 });
  });
});

describe('the marks of a timeline', () => {
  const marks = new Marks();
  for (const [index, event] of events.entries()) marks.push(event, index, story);
  const of = (lane: string) =>
    marks
      .finish()
      .filter((mark) => mark.lane === lane)
      .map(({ kind, from, to }) => [kind, from, to]);

  test('are runs, turns, calls and waits from their beginning to their end', () => {
    expect(of('Runs')).toEqual([
      ['completed', 1, 19],
      ['completed', 15, 26],
    ]);
    expect(of('Model').slice(0, 2)).toEqual([
      ['think', 4, 7],
      ['say', 13, 17],
    ]);
    expect(of('Waits')).toEqual([['wait', 22, 24]]);
  });

  test('break off where a driver fell silent', () => {
    expect(of('Tools')).toEqual([['gone', 7, 9]]);
  });
});
