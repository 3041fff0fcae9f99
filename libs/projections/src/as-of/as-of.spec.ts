import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { historyOnLog } from '../../../../test/support/log-history.js';
import {
  SessionTape,
  cancelled,
  cleared,
  completed,
  opened,
  requested,
  response,
  responseStart,
  result,
  step,
  thinking,
  thinkingStart,
  toolUse,
  toolUseStart,
  turn,
  turnFailed,
} from '../../../../test/support/session-tape.js';
import { steered } from '../../../../test/support/waiting-tape.js';
import type { ContextMessage, Draft } from '#domain';
import { asOf } from './as-of.js';
import { chatMessage } from './chat-message.js';

const SESSION = 'ses_1';
const [first, second] = ['run_ses_1_a', 'run_ses_1_b'];
const start = () => new SessionTape().add(undefined, opened);
const told = (messages: readonly ContextMessage[]): string[] =>
  messages.map(({ role, content }) => `${role} ${content as string}`);
const at = ({ events }: SessionTape, revision = Infinity) => asOf(SESSION, events, revision);

const MOVES: readonly (readonly Draft[])[] = [
  [responseStart, response('a')],
  [response('b')],
  [thinkingStart, thinking('c')],
  [toolUseStart, toolUse('{}')],
  [turn()],
  [turn('c1', 'c2')],
  [result('c1', 'done')],
  [step(1)],
  [turnFailed],
  [steered('and this')],
  [cleared],
];

/** Runs one after the other that do whatever comes. */
function tapeOf(runs: readonly { readonly moves: readonly number[]; readonly end: Draft }[]): SessionTape {
  const tape = start();
  for (const [n, { moves, end }] of runs.entries())
    tape.addRun(`run_ses_1_${n}`, `m${n}`, ...moves.flatMap((move) => MOVES[move]!), end);
  return tape;
}

const runs = fc.array(
  fc.record({
    moves: fc.array(fc.nat(MOVES.length - 1), { maxLength: 12 }),
    end: fc.constantFrom(completed, cancelled),
  }),
  { minLength: 1, maxLength: 4 },
);

describe('a session as of an event', () => {
  it('is what its events up to there are as a whole', () => {
    fc.assert(
      fc.property(runs, (played) => {
        const { events } = tapeOf(played);
        for (let revision = 0; revision < events.length; revision++) {
          const prefix = events.slice(0, revision + 1);
          const seen = asOf(SESSION, events, revision);
          expect(seen).toEqual(asOf(SESSION, prefix));
          const history = historyOnLog(prefix).filter(({ pieces }) => pieces.length > 0);
          expect(seen.messages).toEqual(history);
          expect(seen.summary?.messageCount).toBe(history.length);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('tells of a run under way its message and the steps that it has closed', () => {
    const tape = start().addRun(first, 'hi', responseStart, response('One'), turn('c1'), result('c1', 'r'));
    const open = tape.next - 1;
    tape.add(first, step(1), responseStart, response('Two'), turn());
    const half = tape.next - 1;
    tape.add(first, step(2), completed);
    expect(told(at(tape, 0).context)).toEqual([]);
    expect(told(at(tape, open).context)).toEqual(['user hi']);
    const closed = ['user hi', 'assistant One', 'tool r'];
    expect(told(at(tape, half).context)).toEqual(closed);
    expect(told(at(tape).context)).toEqual([...closed, 'assistant Two']);
  });

  it('tells what steered it, and not the half turn that stands before that', () => {
    const tape = start().addRun(first, 'hi', turn('c1'), result('c1', 'r'), step(1), steered('more'));
    expect(told(at(tape).context)).toEqual(['user hi', 'assistant ', 'tool r', 'user more']);
    tape.add(first, responseStart, response('Tw'), steered('stop'));
    expect(told(at(tape).context)).toEqual(['user hi', 'assistant ', 'tool r', 'user more', 'user stop']);
    tape.add(first, cancelled);
    expect(told(at(tape).context).slice(-2)).toEqual(['assistant Tw', 'user stop']);
  });

  it('tells of a run that takes up another the steps that the other had closed', () => {
    const tape = start().addRun(first, 'hi', turn('c1'), result('c1', 'r'), step(1));
    tape.add(first, responseStart, response('Half'), turn('c2'), cancelled);
    expect(told(at(tape).context)).toContain('assistant Half');
    const claim = { worker: 'w', epoch: 1, requested: tape.next, isRetry: true as const };
    tape.add(
      second,
      requested('hi'),
      { type: 'run_claimed', data: claim },
      { type: 'agent_started', data: {} },
    );
    const closed = ['user hi', 'assistant ', 'tool r'];
    expect(told(at(tape).context)).toEqual(closed);
    tape.add(second, result('c2', 'late'), step(1), completed);
    expect(told(at(tape).context)).toEqual([...closed, 'assistant Half', 'tool late']);
  });

  it('knows nothing of a clear that comes later', () => {
    const tape = start().addRun(first, 'hi', responseStart, response('One'), turn(), step(1), completed);
    const before = tape.next - 1;
    tape.add(undefined, cleared).addRun(second, 'new');
    expect(at(tape, before)).toMatchObject({ summary: { titleFrom: { message: 'hi' }, messageCount: 2 } });
    expect(told(at(tape, before).context)).toEqual(['user hi', 'assistant One']);
    expect(at(tape, before + 1)).toMatchObject({
      messages: [],
      context: [],
      summary: { titleFrom: null, messageCount: 0, lastStatus: 'completed', cost: 1_000_000_000n },
    });
    expect(at(tape)).toMatchObject({ summary: { titleFrom: { message: 'new' }, lastStatus: 'running' } });
    expect(told(at(tape).context)).toEqual(['user new']);
  });

  it('keeps the title of its first message, also of a run that waits', () => {
    const tape = start().add(first, requested('first'));
    for (let n = 0; n < 300; n++) tape.add(`run_ses_1_${n}`, requested(`later ${n}`));
    expect(at(tape).summary).toMatchObject({
      titleFrom: { message: 'first' },
      messageCount: 0,
      lastStatus: 'queued',
    });
  });
});

describe('a message for Chat Completions', () => {
  it('has the fields that the interface names', () => {
    const call = { id: 'c1', name: 'look', arguments: '{"q":1}', needs: 'approval' as const };
    const inline = (content: unknown) => content as string;
    expect(chatMessage({ role: 'user', content: 'hi' }, inline)).toEqual({ role: 'user', content: 'hi' });
    expect(chatMessage({ role: 'tool', callId: 'c1', content: 'r' }, inline)).toEqual({
      role: 'tool',
      tool_call_id: 'c1',
      content: 'r',
    });
    expect(chatMessage({ role: 'assistant', content: '', provider: '{}' }, inline)).toEqual({
      role: 'assistant',
      content: '',
    });
    expect(chatMessage({ role: 'assistant', content: '', toolCalls: [call] }, inline)).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"q":1}' } }],
    });
  });
});
