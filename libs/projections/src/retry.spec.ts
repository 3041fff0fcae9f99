import { describe, expect, it } from '@jest/globals';
import {
  NO_CALLS,
  ContextFold,
  type Draft,
  evolveRun,
  newRun,
  retried,
  decideCancel,
  decideClaimNext,
  decideRetry,
  decideTakeOver,
  NO_SESSION,
  type SessionState,
  evolveSession,
} from '#domain';
import {
  SessionTape,
  cancelRequested,
  cancelled,
  cleared,
  completed,
  opened,
  requested,
  response,
  result,
  runRequest,
  step,
  turn,
} from '../../../test/support/session-tape.js';
import { askingTurn, asks, resolves } from '../../../test/support/waiting-tape.js';
import { HistoryFold } from './history.js';

const failed: Draft = {
  type: 'agent_error',
  data: { content: 'gone', code: 'timeout', retryable: true },
};
const again = runRequest('b', { retry_of: { run: 'a', requested: 1 }, message: '' });
const terms = (next: number) => ({ project: 'default', actor: 'key_1', worker: 'w', next, hasRoom: true });
const tapeOf = (...drafts: readonly Draft[]) =>
  new SessionTape().add(undefined, opened).addRun('a', 'hi', ...drafts);

function outcomeOf(state: SessionState): string {
  try {
    return decideRetry(state, again, terms(9)).kind;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

/** The tape with a retry of `a`, as it is decided. */
function retryOf(tape: SessionTape): SessionTape {
  const decision = decideRetry(tape.state, again, terms(tape.next));
  return decision.kind === 'start' ? tape.add('b', ...decision.events) : tape;
}

/** The same tape, read from its last claim on. */
function fromLastClaim({ events }: SessionTape): SessionState {
  const at = events.findLastIndex(({ type }) => type === 'run_claimed');
  return events.slice(Math.max(at, 0)).reduce(evolveSession, NO_SESSION);
}

function takenOver(tape: SessionTape): SessionTape {
  return tape.add('a', ...(decideTakeOver(tape.state, 'a', 1, 'w2') ?? []));
}

function queuedAndCancelled(): SessionTape {
  const tape = tapeOf().add('c', requested('later'));
  tape.add('c', ...decideCancel(tape.state, 'c')).add('a', completed);
  return tape.add('c', ...(decideClaimNext(tape.state, 'c', 'w') ?? []));
}

describe('whether a run can be retried', () => {
  it.each<[string, SessionTape, string]>([
    ['one that failed', tapeOf(failed), 'start'],
    ['one that was cancelled', tapeOf(cancelRequested, cancelled), 'start'],
    ['one that was taken over, and failed', takenOver(tapeOf()).add('a', failed), 'start'],
    ['one that completed', tapeOf(completed), 'conflict'],
    ['one under way', tapeOf(), 'conflict'],
    ['one after which another ran', tapeOf(failed).addRun('c', 'x', completed), 'conflict'],
    ['one after which another failed', tapeOf(failed).addRun('c', 'x', failed), 'conflict'],
    ['one behind which another waits', tapeOf(failed).add('c', requested('x')), 'conflict'],
    ['one that was cleared after its end', tapeOf(failed).add(undefined, cleared), 'conflict'],
    ['one that was cleared while under way', tapeOf(cleared, failed), 'conflict'],
    ['one that was cleared, then taken over', takenOver(tapeOf(cleared)).add('a', failed), 'conflict'],
    [
      'one of an erased session',
      tapeOf(failed).add(undefined, { type: 'session_erased', data: { events: 9 } }),
      'not_found',
    ],
    ['one that was retried', retryOf(tapeOf(failed)), 'known'],
  ])('%s', (_, tape, outcome) => {
    expect(outcomeOf(tape.state)).toBe(outcome);
    expect(fromLastClaim(tape).broken).toEqual(tape.state.broken);
  });

  it('not where it was cancelled before its turn', () => {
    const tape = queuedAndCancelled();
    const request = runRequest('b', { retry_of: { run: 'c', requested: 4 } });
    expect(tape.events.at(-1)?.type).toBe('agent_cancelled');
    expect(() => decideRetry(tape.state, request, terms(9))).toThrow('only the last run');
  });

  it('and its retry where that failed', () => {
    const tape = retryOf(tapeOf(failed)).add('b', failed);
    const request = runRequest('d', { retry_of: { run: 'b', requested: 5 } });
    expect(decideRetry(tape.state, request, terms(9)).kind).toBe('start');
    expect(() => decideRetry(tape.state, { ...again, run: 'd' }, terms(9))).toThrow('only the last run');
  });
});

describe('a run that goes on where another ended', () => {
  const request = { mode: 'max', model: 'm2', config: {} } as const;
  const fold = (...drafts: readonly Draft[]) =>
    drafts.reduce(evolveRun, newRun({ mode: 'base', model: 'm', message: 'hi', config: {} }));

  it('counts steps, cost and tokens anew, and is neither cancelled nor over', () => {
    const state = retried(fold(turn('c1'), result('c1', 'r'), step(1), cancelRequested, cancelled), request);
    expect(state).toMatchObject({ mode: 'max', model: 'm2', message: 'hi', steps: 0, spent: NO_CALLS });
    expect(state).toMatchObject({ isCancelRequested: false, end: null });
    expect(state).toMatchObject({ hasTurn: true, isStepOpen: false });
  });

  it('keeps its specialist, results and releases, and forgets what nobody decided', () => {
    const asking = askingTurn({ c1: undefined, c2: 'approval', c3: 'caller' });
    const broken = fold(
      { type: 'agent_handoff', data: { agent: 'poet' } },
      asking,
      asks('a', 0),
      asks('a', 1, 'tool'),
      result('c1', 'r'),
      resolves('a', 0),
      failed,
    );
    const { calls, agent, asked, openActions } = retried(broken, request);
    expect({ agent, asked, openActions }).toEqual({ agent: 'poet', asked: 0, openActions: [] });
    expect(calls.map(({ result: r, action }) => [r?.content, action?.decided?.decision])).toEqual([
      ['r', undefined],
      [undefined, 'approve'],
      [undefined, undefined],
    ]);
    expect(calls[2]).not.toHaveProperty('action');
  });
});

describe('final output of a run that goes on', () => {
  const request = { mode: 'max', model: 'm2', config: {} } as const;
  const fold = (...drafts: readonly Draft[]) =>
    drafts.reduce(evolveRun, newRun({ mode: 'base', model: 'm', message: 'hi', config: {} }));
  const answer = (text: string): Draft => {
    const { type, data } = turn() as Extract<Draft, { type: 'model_turn_completed' }>;
    return { type, data: { ...data, text, final_output: true } };
  };
  const given: Draft = { type: 'agent_final_output', data: { name: 'n', content: '{}' } };

  it('is not asked for again, and given as its own', () => {
    const state = retried(fold(turn(), step(1), answer('{'), answer('{}'), given, failed), request);
    expect(state.finalAnswers).toEqual(['{', '{}']);
    expect(state.hasFinalOutput).toBeUndefined();
  });

  it('is asked for anew where the run ended for want of a right one', () => {
    const data = { content: 'none', code: 'final_output_invalid', retryable: true } as const;
    const state = retried(fold(turn(), step(1), answer('{'), { type: 'agent_error', data }), request);
    expect(state).not.toHaveProperty('finalAnswers');
  });
});

describe('what is told of a retry', () => {
  const broken = () => tapeOf(response('let me see'), turn('c1'), response('half a'), failed);
  const whole = () => retryOf(broken()).add('b', result('c1', 'r'), response('a whole'), turn(), completed);

  it('the model is given one message of the user, and nothing of the turn that broke', () => {
    const fold = new ContextFold();
    for (const event of whole().events) fold.push(event);
    expect(fold.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'hi'],
      ['assistant', 'let me see'],
      ['tool', 'r'],
      ['assistant', 'a whole'],
    ]);
  });

  it('nothing of the turn that broke, also where messages came in it that only its end showed', () => {
    const steered = { type: 'agent_steered', data: { content: 'faster' } } as const;
    const tape = () =>
      tapeOf(response('let me see'), turn('c1'), result('c1', 'r'), response('half a'), steered);
    const told = ({ events }: SessionTape) => {
      const fold = new ContextFold();
      for (const event of events) fold.push(event);
      return fold.messages.slice(3).map(({ role, content }) => `${role} ${JSON.stringify(content)}`);
    };
    // The next run is told what the client saw last.
    expect(told(tape().add('a', failed))).toEqual(['assistant "half a"', 'user "faster"']);
    const retry = retryOf(tape().add('a', failed));
    expect(told(retry)).toEqual(['user "faster"']);
    expect(told(takenOver(tape()))).toEqual(['user "faster"']);
    const whole = ['user "faster"', 'assistant "a whole"'];
    expect(told(retry.add('b', response('a whole'), turn()))).toEqual(whole);
    expect(told(takenOver(tape()).add('a', response('a whole'), turn(), completed))).toEqual(whole);
    expect(told(takenOver(tape()).add('a', failed))).toEqual(['assistant "half a"', 'user "faster"']);
  });

  it('the history has one message of the user', () => {
    const lines: string[] = [];
    const fold = new HistoryFold({
      add: ({ type }) => lines.push(type),
      addRequest: () => lines.push('?'),
      clear: () => lines.splice(0),
    });
    for (const event of whole().events) fold.push(event);
    expect(lines.filter((line) => line === 'user_message' || line === '?')).toEqual(['user_message']);
  });
});
