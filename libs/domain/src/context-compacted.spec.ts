import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  SessionTape,
  called,
  cancelled,
  cleared,
  compacted,
  completed,
  opened,
  response,
  responseStart,
  result,
  step,
  turn,
} from '../../../test/support/session-tape.js';
import { steered, steers } from '../../../test/support/waiting-tape.js';
import { ContextFold } from './context.js';
import type { Draft } from './draft.js';
import type { RecordedSessionEvent } from './session-events.js';
import { sizeOfAll } from './context-message.js';

const session = () => new SessionTape().add(undefined, opened);
const foldOf = (events: readonly RecordedSessionEvent[]): ContextFold => {
  const fold = new ContextFold();
  for (const event of events) fold.push(event);
  return fold;
};
const told = (fold: ContextFold): string[] =>
  fold.messages.map(({ role, content }) => `${role} ${content as string}`);
const toldOf = ({ events }: SessionTape): string[] => told(foldOf(events));

/** A turn that says this and calls a tool, which returns this. */
const calls = (said: string, returned: string, n: number): readonly Draft[] => [
  responseStart,
  response(said),
  turn('c'),
  result('c', returned),
  step(n),
];
const says = (said: string, n = 1): readonly Draft[] => [responseStart, response(said), turn(), step(n)];
const lastOf = (tape: SessionTape): number => tape.next - 1;

describe('a compaction', () => {
  it('tells a summary instead of all up to its last event, but for the message of the run', () => {
    const tape = session().addRun('a', 'first', ...says('one'), completed);
    tape.addRun('b', 'second', ...calls('two', 'r', 1));
    const through = lastOf(tape);
    tape.add('b', ...calls('three', 's', 2), compacted('in short', 3, through));
    expect(toldOf(tape)).toEqual(['user in short', 'user second', 'assistant three', 'tool s']);
    expect(foldOf(tape.events).leftOut).toMatchObject({ from: '3', through: String(through) });
    tape.add('b', ...says('four', 3), completed).addRun('c', 'third');
    expect(toldOf(tape).slice(-3)).toEqual(['tool s', 'assistant four', 'user third']);
  });

  it('without a summary leaves out what it stands for', () => {
    const tape = session().addRun('a', 'first', ...says('one'), completed);
    const through = lastOf(tape) - 1;
    tape.addRun('b', 'second', compacted('', 3, through));
    expect(toldOf(tape)).toEqual(['user second']);
  });

  it('takes in an earlier one, and what stayed then', () => {
    const tape = session().addRun('a', 'first', ...says('one'), completed);
    tape.addRun('b', 'second', compacted('in short', 3, 8), ...says('two'), completed);
    const through = lastOf(tape);
    tape.addRun('c', 'third', compacted('shorter', 3, through));
    expect(toldOf(tape)).toEqual(['user shorter', 'user third']);
  });

  it('that leaves out only the message that another one kept stands for as much as that did, at least', () => {
    const message = 'x'.repeat(200);
    const tape = session().addRun('a', message, ...calls('one', 'r', 1));
    const through = lastOf(tape);
    tape.add('a', compacted('in short', 3, through), ...says('two', 2), completed).addRun('b', 'second');
    expect(toldOf(tape)).toEqual(['user in short', `user ${message}`, 'assistant two', 'user second']);
    const plan = foldOf(tape.events).planned({ budget: 40, isSummed: true });
    expect(plan).toEqual({ from: '3', through: String(through) });
    tape.add('b', compacted('shorter', plan!.from, plan!.through));
    expect(toldOf(tape)).toEqual(['user shorter', 'assistant two', 'user second']);
  });

  it('keeps the message of a run that goes on where another had ended, and takes back what that said last', () => {
    const tape = session().addRun('a', 'first', ...calls('one', 'r', 1));
    const through = lastOf(tape);
    tape.add('a', compacted('in short', 3, through), responseStart, response('half'), cancelled);
    expect(toldOf(tape)).toEqual(['user in short', 'user first', 'assistant half']);
    tape.add('b', { type: 'run_claimed', data: { worker: 'w', epoch: 1, requested: 1, isRetry: true } });
    tape.add('b', { type: 'agent_started', data: {} }, ...calls('two', 's', 1));
    const second = lastOf(tape);
    tape.add('b', compacted('shorter', 3, second), ...says('three'), completed);
    expect(toldOf(tape)).toEqual(['user shorter', 'user first', 'assistant three']);
  });

  it('begins a turn anew that had said something', () => {
    const tape = session().addRun('a', 'first', ...calls('one', 'r', 1));
    const through = lastOf(tape);
    tape.add('a', responseStart, response('bro'), compacted('in short', 3, through), ...says('two', 2));
    expect(toldOf(tape)).toEqual(['user in short', 'user first', 'assistant two']);
  });

  it('leaves in what steered the run behind it, and tells a fork only of closed steps', () => {
    const tape = session().addRun('a', 'first', ...calls('one', 'r', 1));
    const through = lastOf(tape);
    tape.add('a', steers('run_x', 'and this'), steered('and this'), compacted('in short', 3, through));
    tape.add('a', responseStart, response('half'), turn('d'));
    const fold = foldOf(tape.events);
    expect(fold.settled().map(({ content }) => content)).toEqual(['in short', 'first', 'and this']);
  });

  it('of a run whose session was cleared tells nothing to later ones', () => {
    const tape = session().addRun('a', 'first', ...says('one'), cleared);
    tape.add('a', compacted('in short', 3, 8), ...says('two', 2), completed).addRun('b', 'second');
    expect(toldOf(tape)).toEqual(['user second']);
    expect(foldOf(tape.events).leftOut).toBeNull();
  });

  it('that cannot be read changes nothing', () => {
    const tape = session().addRun('a', 'first', ...says('one'), completed);
    tape.addRun('b', 'second', compacted('', '', ''));
    expect(toldOf(tape)).toEqual(['user first', 'assistant one', 'user second']);
  });

  it('in a fork names what it stands for with the session that it lies in', () => {
    const parent = session().addRun('a', 'first', ...says('one'), ...calls('two', 'r', 2), completed);
    const forked = { forked_from: { session: 'ses_p', at: lastOf(parent) }, depth: 1 };
    const own = new SessionTape().add(undefined, {
      type: 'session_opened',
      data: { ...forked, shared: { messages: 1 } },
    });
    own.addRun('b', 'second');
    const fold = foldOf([...parent.events, ...own.events]);
    const plan = fold.planned({ budget: 20, isSummed: true });
    expect(plan).toEqual({ from: 'ses_p@3', through: `ses_p@${lastOf(parent) - 1}` });
    own.add('b', { type: 'agent_compacted', data: { content: 'in short', ...plan! } });
    expect(told(foldOf([...parent.events, ...own.events]))).toEqual(['user in short', 'user second']);
    // An event of the fork itself with the same number is another one.
    own.add('b', ...says('three'), compacted('', 3, 3));
    expect(told(foldOf([...parent.events, ...own.events]))).toEqual(['user second', 'assistant three']);
  });
});

describe('what a compaction would leave out', () => {
  const long = (n: number): string => String(n).padEnd(100, '.');
  const turns = (count: number) => {
    const tape = session().addRun('a', 'first');
    for (let n = 1; n <= count; n++) tape.add('a', ...calls(long(n), long(n), n));
    return tape;
  };
  const planOf = (tape: SessionTape, budget: number, isSummed: boolean) =>
    foldOf(tape.events).planned({ budget, isSummed });
  const endOfTurn = (tape: SessionTape, n: number): string =>
    String(tape.events.find((e) => e.type === 'agent_step' && e.data.step === String(n))!.revision);

  it('is all but the newest turns that fit a quarter of the budget beside a summary', () => {
    const tape = turns(10);
    expect(planOf(tape, 1_700, true)).toEqual({ from: '3', through: endOfTurn(tape, 8) });
    expect(planOf(tape, 1_590, true)?.through).toBe(endOfTurn(tape, 9));
    expect(planOf(tape, 700, true)?.through).toBe(endOfTurn(tape, 10));
  });

  it('is nothing where it is less than a quarter', () => {
    expect(planOf(turns(3), 1_700, true)).toBeNull();
    expect(planOf(turns(1), 1_700, false)).toBeNull();
  });

  it('is a quarter of the oldest turns where there is no summary, more where that is not enough', () => {
    const tape = turns(10);
    expect(planOf(tape, 2_400, false)?.through).toBe(endOfTurn(tape, 3));
    expect(planOf(tape, 1_000, false)?.through).toBe(endOfTurn(tape, 8));
    expect(planOf(tape, 100, false)?.through).toBe(endOfTurn(tape, 9));
  });

  it('without a summary begins with what somebody asked', () => {
    const tape = session();
    for (let n = 1; n <= 6; n++) tape.addRun(`r${n}`, long(n), ...calls(long(n), long(n), 1), completed);
    tape.addRun('last', 'now');
    const through = planOf(tape, 2_000, false)!.through;
    const fold = foldOf(tape.add('last', compacted('', 3, through)).events);
    expect(fold.messages[0]).toEqual({ role: 'user', content: long(3) });
  });

  it.each([true, false])('is what runs asked that nothing was said to (with a summary: %s)', (isSummed) => {
    const tape = session().addRun('a', 'first', ...says('one'), completed);
    for (let n = 1; n <= 6; n++) tape.addRun(`r${n}`, long(n), cancelled);
    tape.addRun('last', 'now');
    const plan = planOf(tape, 400, isSummed)!;
    const fold = foldOf(tape.add('last', compacted(isSummed ? 's' : '', plan.from, plan.through)).events);
    expect(told(fold).at(-1)).toBe('user now');
    expect(fold.messages.length).toBeLessThanOrEqual(4);
  });

  it.each([true, false])('is what an earlier run said last, where that is too long (%s)', (isSummed) => {
    const tape = session().addRun('a', 'first', ...calls('one', 'r'.repeat(10_000), 1), completed);
    tape.addRun('last', 'now');
    const plan = planOf(tape, 1_000, isSummed)!;
    const fold = foldOf(tape.add('last', compacted('', plan.from, plan.through)).events);
    expect(told(fold)).toEqual(['user now']);
  });

  it('is never what a user has said to the run behind the last turn', () => {
    const tape = turns(4).add('a', steers('run_x', long(5)), steered(long(5)));
    const plan = planOf(tape, 200, true)!;
    const fold = foldOf(tape.add('a', compacted('in short', plan.from, plan.through)).events);
    expect(told(fold)).toEqual(['user in short', 'user first', `user ${long(5)}`]);
  });

  it('begins where the one before began', () => {
    const tape = turns(6).add('a', compacted('in short', 3, 8));
    for (let n = 7; n <= 9; n++) tape.add('a', ...calls(long(n), long(n), n));
    expect(planOf(tape, 1_200, true)?.from).toBe('3');
  });
});

describe('a context that is compacted anywhere between its turns', () => {
  const moves = fc.array(fc.record({ kind: fc.nat(3), size: fc.nat(60) }), { minLength: 1, maxLength: 12 });

  it('pairs each call with its result, keeps the message of the run, and is the same read from anywhere', () => {
    const plans = fc.record({ budget: fc.integer({ min: 20, max: 400 }), isSummed: fc.boolean() });
    fc.assert(
      fc.property(fc.array(moves, { minLength: 1, maxLength: 4 }), plans, (runs, room) => {
        const tape = session();
        for (const [n, played] of runs.entries()) {
          tape.addRun(`r${n}`, `m${n}`);
          for (const [at, { kind, size }] of played.entries()) {
            const text = 'x'.repeat(size + 1);
            if (kind === 0) tape.add(`r${n}`, steers(`run_${n}_${at}`, text), steered(text));
            else if (kind === 1) tape.add(`r${n}`, ...calls(text, text, at));
            else if (kind === 2) tape.add(`r${n}`, ...says(text, at));
            const fold = foldOf(tape.events);
            const size0 = sizeOfAll(fold.messages);
            const plan = fold.planned(room);
            if (kind !== 3 || plan === null) continue;
            tape.add(`r${n}`, compacted(room.isSummed ? 's' : '', plan.from, plan.through));
            const after = foldOf(tape.events);
            expect(sizeOfAll(after.messages)).toBeLessThanOrEqual(size0 - room.budget / 4 + 1);
            expect(after.messages).toContainEqual({ role: 'user', content: `m${n}` });
            requirePairs(after);
          }
          tape.add(`r${n}`, completed);
        }
      }),
      { numRuns: 300 },
    );
  });

  function requirePairs({ messages }: ContextFold): void {
    for (const [at, message] of messages.entries()) {
      if (message.role === 'tool') expect(messages[at - 1]).toMatchObject({ toolCalls: [{ id: 'c' }] });
      if (message.role === 'assistant' && message.toolCalls)
        expect(messages[at + 1]).toMatchObject({ callId: 'c' });
    }
  }
});

describe('the size of a context in tokens', () => {
  it('is four characters each before a model has counted, and then what it counted last, for each model', () => {
    const tape = session().addRun('a', 'hi');
    expect(foldOf(tape.events).scale.tokensOf('m', 400)).toBe(100);
    tape.add('a', called(100, 200), called(20, 200, { model: 'other' }));
    expect(foldOf(tape.events).scale.tokensOf('m', 400)).toBe(200);
    expect(foldOf(tape.events).scale.tokensOf('other', 400)).toBe(40);
    tape.add(
      'a',
      called(50, 200),
      called(9, 9, { estimated: true }),
      called(0, 9),
      called(1, 900),
      called(900, 1),
    );
    expect(foldOf(tape.events).scale.tokensOf('m', 400)).toBe(100);
    expect(foldOf(tape.events).scale.charsOf('m', 100)).toBe(400);
  });

  it('begins anew where nothing before is read any more', () => {
    const tape = session().addRun('a', 'hi', ...calls('one', 'r', 1), called(100, 200), compacted('', 3, 8));
    expect(foldOf(tape.events).scale.tokensOf('m', 400)).toBe(100);
    tape.add('a', called(100, 200), cleared);
    expect(foldOf(tape.events).scale.tokensOf('m', 400)).toBe(100);
  });
});

it('events that were taken in before the log held them get their places in their order', () => {
  const tape = session().addRun('a', 'first');
  for (let n = 1; n <= 3; n++) tape.add('a', ...calls('x'.repeat(50), 'y', n));
  const fold = new ContextFold();
  const places: number[] = [];
  for (const event of tape.events) {
    if (event.type === 'agent_step') places.push(event.revision);
    fold.push(event.type === 'agent_step' ? { ...event, revision: -1 } : event);
  }
  expect(fold.planned({ budget: 40, isSummed: true })).toBeNull();
  for (const revision of places) fold.placed(revision);
  expect(fold.planned({ budget: 40, isSummed: true })).toEqual({
    from: '3',
    through: String(places[2]),
  });
});
