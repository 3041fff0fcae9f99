import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Draft } from '#domain';
import { type FoldedMessage, asOf } from '#projections';
import {
  SessionTape,
  cancelled,
  cleared,
  completed,
  finalOutput,
  opened,
  requested,
  response,
  responseStart,
  result,
  step,
  stepResponse,
  stepResult,
  stepTurn,
  attemptOf,
  thinking,
  thinkingStart,
  toolResponse,
  toolUse,
  toolUseStart,
  turn,
  turnFailed,
} from '../../../../test/support/session-tape.js';
import {
  askingTurn,
  asks,
  parked,
  resolves,
  steered,
  steers,
} from '../../../../test/support/waiting-tape.js';
import { ConversationFold } from './conversation-fold.js';
import { conversationOf } from './conversation-of.js';
import { type ConversationEvent, type Item, loadedText, nameOf } from './items.js';

const run = 'run_1';
const use = (tool: string, input = '{}') => toolUse(`{"tool":"${tool}","input":${input}}`);

const events = (tape: SessionTape): readonly ConversationEvent[] =>
  tape.events.map(({ revision, type, time, meta, data }) => ({
    id: revision,
    type,
    time,
    actor: meta.actor,
    run: meta.run,
    data,
  }));
const at = (tape: SessionTape, upTo?: number) => conversationOf(events(tape), upTo).items;
const start = () => new SessionTape().add(undefined, opened);
const names = (items: readonly Item[]) => items.map(nameOf);

/** Items as the answer of `POST /get-messages` tells them. */
const messagesOf = (items: readonly Item[]) =>
  items.flatMap((item) => {
    switch (item.kind) {
      case 'user':
        return [{ type: 'user_message', content: loadedText(item.text) }];
      case 'thinking':
      case 'response':
        return [{ type: `agent_${item.kind}`, content: loadedText(item.text) }];
      case 'tool':
        return [
          { type: 'agent_tool_use', content: `{"tool":"${item.tool}","input":${loadedText(item.input)}}` },
        ];
      default:
        return [];
    }
  });
const answered = (messages: readonly FoldedMessage[]) =>
  messages.map(({ type, pieces }) => ({ type, content: (pieces as readonly string[]).join('') }));

const MOVES: readonly (readonly Draft[])[] = [
  [responseStart, response('a'), response('b')],
  [responseStart],
  [thinkingStart, thinking('c')],
  [turn('c1', 'c2'), toolUseStart, use('t'), toolUseStart, use('u', '{"n":1.10}')],
  [result('c2', 'done')],
  [result('c1', 'done'), toolResponse('{"tool":"t","content":"done"}')],
  [step(1)],
  [turnFailed],
  [steers('run_s', 'and this'), steered('and this')],
  [askingTurn({ c3: 'approval' }), toolUseStart, use('v'), asks(run, 0), parked],
  [resolves(run, 0)],
  [cleared],
];
const stories = fc.array(
  fc.record({
    moves: fc.array(fc.nat(MOVES.length - 1), { maxLength: 12 }),
    end: fc.constantFrom(completed, cancelled),
  }),
  { minLength: 1, maxLength: 4 },
);

describe('the conversation at an event', () => {
  test('says what the history says there, in its order, and knows nothing of what comes later', () => {
    fc.assert(
      fc.property(stories, (played) => {
        const tape = start();
        for (const [n, { moves, end }] of played.entries())
          tape.addRun(`run_${n}`, `m${n}`, ...moves.flatMap((move) => MOVES[move]!), end);
        const fold = new ConversationFold();
        for (const event of events(tape)) {
          fold.push(event);
          const { items } = conversationOf(events(tape), event.id);
          expect(messagesOf(items)).toEqual(answered(asOf('s', tape.events, event.id).messages));
          expect(new Set(items.map(({ key }) => key)).size).toBe(items.length);
          // Looked at in between, it is the same as folded anew.
          expect(fold.now.items).toEqual(items);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('knows how long a block took, whatever came after it', () => {
    const tape = start().addRun(run, 'hi', thinkingStart, thinking('hm'), thinking('m'), responseStart);
    tape.add(run, response('so'), turn('c1'), toolUseStart, use('t'), result('c1', 'r'), step(1));
    tape.add(run, thinkingStart, thinking('again'), turn('c2'), toolUseStart, use('t'));
    const took = at(tape).flatMap((item) =>
      item.kind === 'thinking' || item.kind === 'response' ? [[item.kind, item.tookMs]] : [],
    );
    // The clock of the tape goes on by 1 ms an event.
    expect(took).toEqual([
      ['thinking', 3],
      ['response', 3],
      ['thinking', 3],
    ]);
  });

  test('has the input that was carried out where that was changed, with all digits of its numbers', () => {
    const input = '{"amount":12345678901234567890.10}';
    const decided = (content: string, decision: 'approve' | 'deny' = 'approve') => {
      const tape = start().addRun(run, 'hi', askingTurn({ c1: 'approval' }), toolUseStart, use('t'));
      tape.add(run, asks(run, 0), parked, resolves(run, 0, decision, content));
      const action = at(tape).find((item) => item.kind === 'action');
      return action?.kind === 'action' ? action.carriedOut : undefined;
    };
    expect(decided(`{"reason":"less","input":${input}}`)).toBe(input);
    expect(decided('{"reason":"as it is"}')).toBeNull();
    expect(decided('{}', 'deny')).toBeNull();
  });

  test('has all kinds of articles by their names', () => {
    const tape = start().addRun(run, 'hi', thinkingStart, thinking('hm'), responseStart, response('so'));
    tape.add(
      run,
      askingTurn({ c1: 'approval' }),
      toolUseStart,
      use('t'),
      asks(run, 0),
      parked,
      resolves(run, 0),
    );
    tape.add(
      run,
      result('c1', 'r'),
      { type: 'agent_handoff', data: { agent: 'Ann' } },
      toolResponse('{}'),
      step(1),
    );
    tape.add(run, finalOutput('{"a":1}'), {
      type: 'agent_error',
      data: { code: 'timeout', content: 'too long', retryable: true },
    });
    expect(names(at(tape))).toEqual([
      'User message',
      'Agent thinking',
      'Agent response',
      'Tool call t',
      'Approval t',
      'Handoff Ann',
      'Final output answer',
      'Error timeout',
    ]);
  });

  test('tells of a block that it is being written, of a closed one how long it took', () => {
    const tape = start().addRun(run, 'hi', responseStart, response('a'));
    expect(at(tape).at(-1)).toMatchObject({ kind: 'response', isOpen: true, tookMs: null });
    tape.add(run, turn(), step(1));
    expect(at(tape).at(-1)).toMatchObject({ isOpen: false, tookMs: 3, time: 1004, event: 4 });
  });

  test('has what waits beside it until its turn comes', () => {
    const tape = start().addRun(run, 'hi', steers('run_s', 'and'));
    tape.add('run_2', requested('next'));
    const queued = (upTo?: number) =>
      conversationOf(events(tape), upTo).queued.map(({ text, isSteering }) => [text[0], isSteering]);
    expect(queued()).toEqual([
      ['and', true],
      ['next', false],
    ]);
    tape.add(run, steered('and'), completed).startRun('run_2');
    expect(queued()).toEqual([]);
    expect(at(tape).map((item) => (item.kind === 'user' ? item.text[0] : ''))).toEqual(['hi', 'and', 'next']);
  });
});

describe('a tool call', () => {
  const called = (items: readonly Item[]) =>
    items.flatMap((item) =>
      item.kind === 'tool' ? [[item.tool, item.state, item.result?.[0] ?? null]] : [],
    );

  test('has its own result, whichever comes first, and those of a step have theirs', () => {
    const tape = start().addRun(run, 'hi', turn('c1', 'c2'), toolUseStart, use('a'), toolUseStart, use('b'));
    tape.add(run, result('c2', 'two'));
    expect(called(at(tape))).toEqual([
      ['a', 'open', null],
      ['b', 'done', 'two'],
    ]);
    const attempt = attemptOf('s1', 1, 'c1');
    tape.add(run, stepTurn(attempt, '', 'c2'), toolUseStart, use('c'), stepResult(attempt, 'c2', 'three'));
    tape.add(run, ...stepResponse(attempt, 'c2', '{"tool":"c","content":"three"}'), result('c1', 'one'));
    expect(called(at(tape))).toEqual([
      ['a', 'done', 'one'],
      ['b', 'done', 'two'],
      ['c', 'done', 'three'],
    ]);
  });

  test('waits for somebody, and is told to have no result when its run is over', () => {
    const tape = start().addRun(
      run,
      'hi',
      askingTurn({ c1: 'approval' }),
      toolUseStart,
      use('a'),
      asks(run, 0),
    );
    expect(called(at(tape))).toEqual([['a', 'waiting', null]]);
    expect(at(tape).at(-1)).toMatchObject({ status: 'open', asks: 'approval', about: 't' });
    tape.add(run, cancelled);
    expect(called(at(tape))).toEqual([['a', 'unknown', null]]);
    expect(at(tape).at(-2)).toMatchObject({ status: 'cancelled' });
  });

  test('keeps its input as it was written, digit for digit', () => {
    const input = '{"amount":89.00,"order":12345678901234567890}';
    const tape = start().addRun(run, 'hi', turn('c1'), toolUseStart, use('pay', input));
    expect(at(tape).at(-1)).toMatchObject({ input: [input] });
  });
});

describe('what is not loaded', () => {
  test('is named with its event and size, in its place', () => {
    const tape = start().addRun(
      run,
      'hi',
      responseStart,
      response('a'),
      response('b'),
      response('c'),
      completed,
    );
    const large = events(tape).map((event) =>
      event.id === 6 ? { ...event, data: null, line: { bytes: 9000, head: '{"content":"b…' } } : event,
    );
    expect(conversationOf(large).items.at(-1)).toMatchObject({ text: ['a', { event: 6, bytes: 9000 }, 'c'] });
  });

  test('still tells which tool is called, and what is asked', () => {
    const tape = start().addRun(run, 'hi', turn('c1'), toolUseStart, use('pay', '{"a":"b"}'), asks(run, 0));
    const large = events(tape).map((event) => {
      if (event.type !== 'agent_tool_use' && event.type !== 'agent_action_required') return event;
      return { ...event, data: null, line: { bytes: 9000, head: JSON.stringify(event.data).slice(0, -6) } };
    });
    const items = conversationOf(large).items;
    expect(names(items)).toEqual(['User message', 'Tool call pay', 'Approval t']);
  });

  test('and what a fork has inherited stands before its own', () => {
    const parent = start().addRun(run, 'hi', responseStart, response('half'));
    const fork = start().addRun('run_f', 'more', completed);
    const inherited = events(parent).map((event) => ({ ...event, session: 'ses_p' }));
    const { items } = conversationOf(events(fork), Infinity, inherited);
    expect(items.map((item) => [nameOf(item), item.isInherited])).toEqual([
      ['User message', true],
      ['Agent response', true],
      ['User message', false],
    ]);
  });
});
