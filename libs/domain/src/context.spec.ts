import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  SessionTape,
  attemptOf,
  cancelRequested,
  cancelled,
  cleared,
  completed,
  finalOutput,
  finalTurn,
  opened,
  requested,
  response,
  responseStart,
  result,
  step,
  stepResponse,
  stepResult,
  stepTurn,
  thinking,
  thinkingStart,
  toolResponse,
  turn,
  turnFailed,
} from '../../../test/support/session-tape.js';
import { type ContextMessage, OUTCOME_UNKNOWN } from './context-message.js';
import { ContextFold } from './context.js';
import type { RecordedSessionEvent } from './session-events.js';
import type { Draft } from './draft.js';

const session = () => new SessionTape().add(undefined, opened);

function contextOf(events: readonly RecordedSessionEvent[]): readonly ContextMessage[] {
  const fold = new ContextFold();
  for (const event of events) fold.push(event);
  return fold.messages;
}

const claimedAgain: Draft = { type: 'run_claimed', data: { worker: 'w2', epoch: 2, requested: 1 } };
const failed: Draft = { type: 'agent_error', data: { content: 'x', code: 'timeout', retryable: true } };

const answer = (text: string): readonly Draft[] => [
  responseStart,
  response(text),
  turn(),
  step(1),
  completed,
];

describe('the context of the model', () => {
  it('holds with a turn what its server sent besides', () => {
    const told = (draft: Draft, provider: string): Draft =>
      ({ ...draft, data: { ...draft.data, provider } }) as Draft;
    const tape = session().addRun(
      'a',
      'hi',
      told(turn('c1'), '{"n":1}'),
      result('c1', 'one'),
      toolResponse('{}'),
    );
    tape.add('a', step(1), responseStart, response('done'), told(turn(), '{"n":2}'), step(2), completed);
    expect(contextOf(tape.events).filter(({ role }) => role === 'assistant')).toMatchObject([
      { toolCalls: [{ id: 'c1' }], provider: '{"n":1}' },
      { content: 'done', provider: '{"n":2}' },
    ]);
  });

  it('holds messages, answers and calls with their results, each in its role', () => {
    const tape = session().addRun('a', 'hi', thinkingStart, thinking('hm'), responseStart, response('let '));
    tape.add('a', response('me see'), turn('c1', 'c2'), result('c2', 'two'), result('c1', 'one'));
    tape.add('a', toolResponse('{}'), toolResponse('{}'), step(1), ...answer('done'));
    expect(contextOf(tape.events)).toEqual([
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: 'let me see',
        toolCalls: [
          { id: 'c1', name: 't', arguments: '{}' },
          { id: 'c2', name: 't', arguments: '{}' },
        ],
      },
      { role: 'tool', callId: 'c1', content: 'one' },
      { role: 'tool', callId: 'c2', content: 'two' },
      { role: 'assistant', content: 'done' },
    ]);
  });

  it('answers a call without a result with "outcome unknown"', () => {
    const tape = session().addRun('a', 'hi', turn('c1'), cancelled);
    expect(contextOf(tape.events).slice(1)).toEqual([
      { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 't', arguments: '{}' }] },
      { role: 'tool', callId: 'c1', content: OUTCOME_UNKNOWN },
    ]);
  });

  it('gives a result to the latest call with its id, where a server uses one id in every turn', () => {
    const tape = session().addRun('a', 'hi', turn('c'), result('c', 'one'), turn('c'), result('c', 'two'));
    const results = contextOf(tape.events).filter((m) => m.role === 'tool');
    expect(results.map((m) => m.content)).toEqual(['one', 'two']);
  });

  it('knows nothing of what a turn wrote that broke or was cut off by a crash, and was taken again', () => {
    const tape = session().addRun('a', 'hi', responseStart, response('bro'), turnFailed);
    tape.add('a', responseStart, response('cra'), claimedAgain, responseStart, response('stop'));
    expect(contextOf(tape.add('a', turn(), step(1), completed).events).slice(1)).toEqual([
      { role: 'assistant', content: 'stop' },
    ]);
    const calls = session().addRun('a', 'hi', responseStart, response('bro'), turnFailed, turn('c1'));
    expect(contextOf(calls.events)[1]).toMatchObject({ role: 'assistant', content: '' });
  });

  it.each([
    ['was cancelled in the middle', [responseStart, response('as fa'), response('r as')], cancelled],
    ['was cancelled while it waited to be asked again', [response('as far as'), turnFailed], cancelled],
    ['broke for the last time', [response('bro'), turnFailed, response('as far as')], failed],
    ['was taken over and not asked again', [response('as far as'), claimedAgain], failed],
  ])('holds the last that a client saw of a turn that %s', (_, drafts, end) => {
    const tape = session()
      .addRun('a', 'hi', ...drafts, end)
      .addRun('b', 'go on', ...answer('ok'));
    expect(contextOf(tape.events)).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'as far as' },
      { role: 'user', content: 'go on' },
      { role: 'assistant', content: 'ok' },
    ]);
  });

  it('holds nothing of a turn that was cut off after a clear', () => {
    const tape = session().addRun('a', 'hi', responseStart, response('no')).add(undefined, cleared);
    expect(contextOf(tape.add('a', response('thing'), cancelled).events)).toEqual([]);
  });

  it("has a queued run's message where it starts, and none of one that was cancelled before", () => {
    const tape = session().addRun('a', 'first').add('b', requested('second')).add('c', requested('third'));
    tape.add('b', cancelRequested).add('a', ...answer('one'));
    tape.add('b', { type: 'run_claimed', data: { worker: 'w', epoch: 1, requested: 4, isCancelled: true } });
    tape.add('b', { type: 'agent_started', data: {} }, cancelled).startRun('c');
    expect(contextOf(tape.events)).toEqual([
      { role: 'user', content: 'first' },
      { role: 'assistant', content: 'one' },
      { role: 'user', content: 'third' },
    ]);
  });

  it('begins after a clear at the next run: what the one under way still says is in no later context', () => {
    const tape = session().addRun('a', 'first', turn('c1')).add(undefined, cleared);
    tape.add('a', result('c1', 'x'), step(1), ...answer('late'));
    expect(contextOf(tape.events)).toEqual([]);
    expect(contextOf(tape.addRun('b', 'second', ...answer('two')).events)).toEqual([
      { role: 'user', content: 'second' },
      { role: 'assistant', content: 'two' },
    ]);
  });

  it('holds nothing of workflow steps and of the final output', () => {
    const of = attemptOf('a');
    const tape = session().addRun('a', 'hi', responseStart, response('so'), turn('c1'));
    tape.add('a', stepTurn(of, 'step', 'c1'), stepResult(of, 'c1', 'inner'), ...stepResponse(of, 'c1', '{}'));
    tape.add('a', stepTurn(of, 'output'), result('c1', 'outer'), toolResponse('{}'), step(1));
    tape.add('a', responseStart, response('done'), turn(), step(2));
    tape.add('a', finalTurn('{}'), finalOutput('{}'), completed);
    expect(contextOf(tape.events)).toMatchObject([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'so' },
      { role: 'tool', content: 'outer' },
      { role: 'assistant', content: 'done' },
    ]);
  });

  it('keeps text that lies in a file as a message of its own', () => {
    const file = { $file: 'f', bytes: 200_000 };
    const tape = session().addRun('a', 'hi', responseStart, response('a'), response('b'), responseStart);
    tape.add(
      'a',
      { type: 'agent_response', data: { content: file } },
      responseStart,
      response('c'),
      turn('c1'),
    );
    expect(contextOf(tape.events).slice(1)).toMatchObject([
      { role: 'assistant', content: 'ab' },
      { role: 'assistant', content: file },
      { role: 'assistant', content: 'c', toolCalls: [{ id: 'c1' }] },
      { role: 'tool' },
    ]);
  });

  it('goes on with the message that a run begins with', () => {
    const fold = new ContextFold();
    for (const event of session().addRun('a', 'first', responseStart, response('bro')).events)
      fold.push(event);
    fold.begin({ message: 'second' }, 9);
    for (const event of session().add('b', ...answer('two')).events) fold.push(event);
    expect(fold.messages.slice(1)).toEqual([
      { role: 'user', content: 'second' },
      { role: 'assistant', content: 'two' },
    ]);
  });
});

interface TurnPlan {
  readonly breaks: 'no' | 'fault' | 'crash';
  readonly calls: number;
  readonly results: number;
  readonly clears: boolean;
}
interface RunPlan {
  readonly turns: readonly TurnPlan[];
  readonly end: 'completed' | 'cancelled' | 'cancelled while it waits';
}

const anyTurn: fc.Arbitrary<TurnPlan> = fc.record({
  breaks: fc.constantFrom('no', 'no', 'fault', 'crash'),
  calls: fc.nat(3),
  results: fc.nat(3),
  clears: fc.boolean(),
});
const anyRun: fc.Arbitrary<RunPlan> = fc.record({
  turns: fc.array(anyTurn, { maxLength: 4 }),
  end: fc.constantFrom('completed', 'cancelled', 'cancelled while it waits'),
});

function addTurn(tape: SessionTape, run: string, plan: TurnPlan, n: number): void {
  if (plan.breaks !== 'no') tape.add(run, responseStart, response('BROKEN'));
  if (plan.breaks === 'fault') tape.add(run, turnFailed);
  if (plan.breaks === 'crash')
    tape.add(run, { type: 'run_claimed', data: { worker: 'w', epoch: n + 2, requested: 0 } });
  if (plan.clears && plan.calls === 2) tape.add(undefined, cleared);
  const ids = Array.from({ length: plan.calls }, (_, i) => `call_${i}`);
  tape.add(run, responseStart, response('good'), turn(...ids));
  for (const id of ids.slice(0, plan.results).reverse()) tape.add(run, result(id, `result of ${id}`));
  tape.add(run, step(n + 1));
}

function tapeOf(runs: readonly RunPlan[]): SessionTape {
  const tape = session();
  for (const [i, { turns, end }] of runs.entries()) {
    const run = `r${i}`;
    tape.add(run, requested(`message ${i}`));
    const isCancelled = end === 'cancelled while it waits';
    const more = isCancelled ? ({ isCancelled: true } as const) : {};
    tape.add(run, {
      type: 'run_claimed',
      data: { worker: 'w', epoch: 1, requested: tape.next - 1, ...more },
    });
    tape.add(run, { type: 'agent_started', data: {} });
    if (!isCancelled) for (const [n, plan] of turns.entries()) addTurn(tape, run, plan, n);
    tape.add(run, end === 'completed' ? completed : cancelled);
  }
  return tape;
}

/** Whether each call is followed at once by exactly its results, in order, and no result stands alone. */
function isPaired(messages: readonly ContextMessage[]): boolean {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      if (open.shift() !== message.callId) return false;
      continue;
    }
    if (open.length > 0) return false;
    open = message.role === 'assistant' ? (message.toolCalls ?? []).map((c) => c.id) : [];
  }
  return open.length === 0;
}

describe('the context of any prefix of a log', () => {
  it('pairs every call with one result and holds nothing of a turn that was taken again', () => {
    fc.assert(
      fc.property(fc.array(anyRun, { maxLength: 5 }), (runs) => {
        const fold = new ContextFold();
        for (const event of tapeOf(runs).events) {
          fold.push(event);
          expect(isPaired(fold.messages)).toBe(true);
          expect(JSON.stringify(fold.messages)).not.toContain('BROKEN');
        }
      }),
      { numRuns: 300 },
    );
  });
});
