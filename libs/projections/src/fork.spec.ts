import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  SessionTape,
  cancelled,
  cleared,
  completed,
  opened,
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
} from '../../../test/support/session-tape.js';
import { asks, askingTurn, parked, steered, steers } from '../../../test/support/waiting-tape.js';
import { type SessionAsOf, asOf } from './as-of/as-of.js';
import { sharedPart } from './as-of/session-record.js';
import { type ContextMessage, type Draft, type RecordedSessionEvent, forkOf, inLine } from '#domain';

const [PARENT, FORK] = ['ses_1', 'ses_2'];
const run = 'run_ses_1_0';
const told = (messages: readonly ContextMessage[]): string[] =>
  messages.map(({ role, content }) => `${role} ${content as string}`);

const openedAs = (at: number): Draft => ({
  type: 'session_opened',
  data: { forked_from: { session: PARENT, at }, depth: 1, shared: { messages: 0 } },
});

/** A fork of the parent at an event, with what it goes on with. */
const forkAt = (events: readonly RecordedSessionEvent[], at: number, own = new SessionTape()): SessionAsOf =>
  asOf(FORK, own.add(undefined, openedAs(at)).events, Infinity, events.slice(0, at + 1));

/** What may come; a call is one of the session that made it. */
const movesOf = (session: string): readonly (readonly Draft[])[] => [
  [responseStart, response('a')],
  [response('b')],
  [thinkingStart, thinking('c')],
  [toolUseStart, toolUse('{}')],
  [turn()],
  [turn(`${session}c1`, `${session}c2`)],
  [result(`${session}c1`, 'done')],
  [step(1)],
  [turnFailed],
  [steers('run_ses_1_s', 'and this'), steered('and this')],
  [askingTurn({ c3: 'approval' }), asks(run, 0), parked],
  [{ type: 'agent_handoff', data: { agent: 'poet' } }],
  [{ type: 'session_forked', data: { session: 'ses_9', at: 0 } }],
  [cleared],
];

const runs = fc.array(
  fc.record({
    moves: fc.array(fc.nat(movesOf(PARENT).length - 1), { maxLength: 12 }),
    end: fc.constantFrom(completed, cancelled),
  }),
  { minLength: 1, maxLength: 4 },
);
type Played = readonly { readonly moves: readonly number[]; readonly end: Draft }[];

function tapeOf(played: Played, tape: SessionTape, session: string): SessionTape {
  const all = movesOf(session);
  for (const [n, { moves, end }] of played.entries())
    tape.addRun(`run_${session}_${n}`, `m${n}`, ...moves.flatMap((move) => all[move]!), end);
  return tape;
}
const parentOf = (played: Played) => tapeOf(played, new SessionTape().add(undefined, opened), PARENT).events;

describe('a fork at any event', () => {
  it('has the context and the history of its parent as of there', () => {
    fc.assert(
      fc.property(runs, (played) => {
        const events = parentOf(played);
        for (let at = 0; at < events.length; at++) {
          const seen = asOf(PARENT, events, at);
          const fork = forkAt(events, at);
          expect(fork.context).toEqual(seen.context);
          expect(fork.messages).toEqual(seen.messages);
          expect(fork.summary).toMatchObject({
            messageCount: 0,
            lastStatus: null,
            cost: 0n,
            titleFrom: null,
          });
          expect(sharedPart(seen.summary!).messages).toBe(seen.messages.length);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('goes on as if what it shares had been said before, and its parent as if there were no fork', () => {
    fc.assert(
      fc.property(runs, runs, fc.nat(), (played, more, place) => {
        const events = parentOf(played);
        const at = place % events.length;
        const seen = asOf(PARENT, events, at);
        const own = tapeOf(more, new SessionTape().add(undefined, openedAs(at)), FORK);
        const alone = asOf(FORK, own.events);
        const fork = asOf(FORK, own.events, Infinity, events.slice(0, at + 1));
        const isCleared = own.events.some(({ type }) => type === 'messages_cleared');
        const before = isCleared ? { context: [], messages: [] } : seen;
        expect(fork.context).toEqual([...before.context, ...alone.context]);
        expect(fork.messages).toEqual([...before.messages, ...alone.messages]);
        expect(fork.summary).toEqual(alone.summary);
      }),
      { numRuns: 300 },
    );
  });

  it('has no half turn, no open call and nothing of who is asked', () => {
    const { events } = new SessionTape()
      .add(undefined, opened)
      .addRun(run, 'hi', responseStart, response('One'), turn('c1'), result('c1', 'r'), step(1))
      .add(run, askingTurn({ c2: 'approval' }), asks(run, 0), parked);
    const closed = ['user hi', 'assistant One', 'tool r'];
    expect(told(forkAt(events, events.length - 1).context)).toEqual(closed);
  });

  it('has the half sentences of a run that was cancelled', () => {
    const { events } = new SessionTape()
      .add(undefined, opened)
      .addRun(run, 'hi', responseStart, response('Half a sen'), cancelled);
    const fork = forkAt(events, events.length - 1);
    expect(told(fork.context)).toEqual(['user hi', 'assistant Half a sen']);
    expect(fork.messages.at(-1)).toEqual({ type: 'agent_response', pieces: ['Half a sen'] });
  });

  it('is empty behind a clear, and knows nothing of one that came later', () => {
    const tape = new SessionTape().add(undefined, opened).addRun(run, 'hi', completed);
    const before = tape.next - 1;
    const { events } = tape.add(undefined, cleared);
    expect(forkAt(events, before + 1)).toMatchObject({ context: [], messages: [] });
    expect(told(forkAt(events, before).context)).toEqual(['user hi']);
  });
});

describe('an event of a line', () => {
  it('names the session in which its files lie, however deep, and is otherwise itself', () => {
    const file = { $file: 'f1', bytes: 9 };
    const { events } = new SessionTape().add(
      run,
      { type: 'agent_response', data: { content: file } },
      {
        type: 'model_turn_completed',
        data: { usage: {}, cost: '0', finish_reason: 'stop', provider: file },
      } as Draft,
      response('here'),
    );
    const [said, turned, plain] = events as [
      RecordedSessionEvent,
      RecordedSessionEvent,
      RecordedSessionEvent,
    ];
    expect(inLine(said, PARENT).data).toEqual({ content: { ...file, session: PARENT } });
    expect(inLine(turned, PARENT).data).toMatchObject({ provider: { ...file, session: PARENT }, usage: {} });
    expect(inLine(said, PARENT)).toMatchObject({ type: said.type, revision: said.revision, meta: said.meta });
    expect(inLine(plain, PARENT)).toBe(plain);
    expect(said.data).toEqual({ content: file });
  });

  it('says that a session is a fork, or that it is none', () => {
    const fork = { forked_from: { session: PARENT, at: 3 }, depth: 1, shared: { messages: 2 } };
    expect(forkOf({})).toBeNull();
    expect(forkOf(fork)).toEqual(fork);
  });
});
