import { describe, expect, it } from '@jest/globals';
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
  toolUse,
  toolUseStart,
  turn,
  turnFailed,
} from '../../../test/support/session-tape.js';
import type { Content, RecordedSessionEvent } from '#domain';
import { HistoryFold, type HistoryMessage } from './history.js';

const textOf = (content: Content): string => (typeof content === 'string' ? content : content.$file);

/** The history as lines `type run@revision pieces`, as a reader would have it. */
class Lines {
  readonly lines: string[] = [];
  readonly fold = new HistoryFold({
    add: ({ type, run, revision, pieces }: HistoryMessage) =>
      this.lines.push(`${type} ${run}@${revision} ${pieces.map(textOf).join('|')}`),
    addRequest: (run, revision, requested) =>
      this.lines.push(`request of ${run}@${revision} at ${requested}`),
    clear: (revision) => this.lines.splice(0, this.lines.length, `cleared@${revision}`),
  });
}

function historyOf(events: readonly RecordedSessionEvent[]): string[] {
  const history = new Lines();
  for (const event of events) history.fold.push(event);
  history.fold.finish();
  return history.lines;
}

const session = () => new SessionTape().add(undefined, opened);

describe('the history of a run', () => {
  it('holds its message, each block as one message, and its tool uses', () => {
    const tape = session().addRun(
      'a',
      'hi',
      thinkingStart,
      thinking('hm'),
      thinking('m'),
      responseStart,
      response('one'),
      turn('c1'),
      toolUseStart,
      toolUse('{"tool":"t","input":{}}'),
      result('c1', 'x'),
      toolResponse('{"tool":"t","content":"x"}'),
      step(1),
      responseStart,
      response('two'),
      turn(),
      step(2),
      completed,
    );
    expect(historyOf(tape.events)).toEqual([
      'user_message a@3 hi',
      'agent_thinking a@4 hm|m',
      'agent_response a@7 one',
      'agent_tool_use a@11 {"tool":"t","input":{}}',
      'agent_response a@15 two',
    ]);
  });

  it('holds of a workflow step its tool uses alone, and nothing of the final output', () => {
    const of = attemptOf('a');
    const tape = session().addRun('a', 'hi', turn('c1'), toolUseStart, toolUse('{"tool":"run_workflow"}'));
    tape.add('a', stepTurn(of, 'step', 'c1'), toolUseStart, toolUse('{"tool":"t"}'));
    tape.add('a', stepResult(of, 'c1', 'x'), ...stepResponse(of, 'c1', '{}'), stepTurn(of, 'output'));
    tape.add('a', result('c1', 'w'), toolResponse('{}'), step(1), responseStart, response('done'), turn());
    tape.add('a', step(2), finalTurn('{}'), finalOutput('{}'), completed);
    expect(historyOf(tape.events).map((line) => line.replace(/@\d+/, ''))).toEqual([
      'user_message a hi',
      'agent_tool_use a {"tool":"run_workflow"}',
      'agent_tool_use a {"tool":"t"}',
      'agent_response a done',
    ]);
  });

  it('shows a block that is still being written with the text so far', () => {
    const tape = session().addRun('a', 'hi', responseStart, response('6 x'), response(' 7'));
    expect(historyOf(tape.events)).toEqual(['user_message a@3 hi', 'agent_response a@4 6 x| 7']);
  });

  it('has no message for a block without text', () => {
    expect(historyOf(session().addRun('a', 'hi', responseStart).events)).toEqual(['user_message a@3 hi']);
  });

  it('keeps a block that a fault cut off as a message of its own', () => {
    const tape = session().addRun(
      'a',
      'hi',
      responseStart,
      response('6'),
      turnFailed,
      responseStart,
      response('6 x 7'),
    );
    expect(historyOf(tape.events).slice(1)).toEqual(['agent_response a@4 6', 'agent_response a@7 6 x 7']);
  });

  it('keeps a block that a crash cut off, closed by the next start', () => {
    const tape = session().addRun('a', 'hi', responseStart, response('6'));
    tape.add('a', { type: 'run_claimed', data: { worker: 'w2', epoch: 2, requested: 1 } });
    tape.add('a', responseStart, response('6 x 7'), turn(), step(1), completed);
    expect(historyOf(tape.events).slice(1)).toEqual(['agent_response a@4 6', 'agent_response a@7 6 x 7']);
  });

  it('is not torn by commands that come while a block is written', () => {
    const tape = session().addRun('a', 'hi', responseStart, response('6'));
    tape.add('b', requested('later')).add('b', cancelRequested).add('a', cancelRequested);
    tape.add('a', response(' x 7'));
    expect(historyOf(tape.events).slice(1)).toEqual(['agent_response a@4 6| x 7']);
  });
});

describe('a block that others write into', () => {
  const refused = { type: 'run_refused', data: { code: 'session_busy' } } as const;
  const warning = { type: 'agent_warning', data: { content: '{"code":"c","reason":"r"}' } } as const;

  it('is whole, whatever stands between its pieces', () => {
    for (const [run, event] of [
      ['b', refused],
      ['a', refused],
      ['b', requested('later')],
      ['a', cancelRequested],
      ['a', warning],
      ['b', step(1)],
      ['b', completed],
    ] as const) {
      const tape = session().addRun('a', 'hi', responseStart, response('6'));
      tape.add(run, event).add('a', response(' x 7'), turn(), step(1), completed);
      expect(historyOf(tape.events).slice(1)).toEqual(['agent_response a@4 6| x 7']);
    }
  });

  it('is there in block mode, too, where the refusal stands between its start and its text', () => {
    const tape = session().addRun('a', 'hi', responseStart).add('b', refused);
    tape.add('a', response('6 x 7'), turn(), step(1), completed);
    expect(historyOf(tape.events).slice(1)).toEqual(['agent_response a@4 6 x 7']);
  });
});

describe('the history of several runs', () => {
  it("has a queued run's message where the run starts", () => {
    const tape = session().addRun('a', 'first', responseStart, response('one'));
    tape.add('b', requested('second')).add('a', response(' and'), completed);
    tape.startRun('b', responseStart, response('two'), completed);
    expect(historyOf(tape.events)).toEqual([
      'user_message a@3 first',
      'agent_response a@4 one| and',
      'user_message b@10 second',
      'agent_response b@11 two',
    ]);
  });

  it('has no message of a queued run that was cancelled before its turn', () => {
    const tape = session()
      .addRun('a', 'first')
      .add('b', requested('second'), cancelRequested)
      .add('a', completed);
    tape.add('b', { type: 'run_claimed', data: { worker: 'w', epoch: 1, requested: 4, isCancelled: true } });
    tape.add('b', { type: 'agent_started', data: {} }, cancelled);
    expect(historyOf(tape.events)).toEqual(['user_message a@3 first']);
  });

  it('is empty after a clear, and hides what the run under way still writes, until the next run starts', () => {
    const tape = session().addRun('a', 'first', responseStart, response('one'));
    tape.add(undefined, cleared);
    tape.add('a', response(' more'), responseStart, response('late'), toolUseStart, toolUse('{}'), completed);
    expect(historyOf(tape.events)).toEqual(['cleared@6']);
    tape.addRun('b', 'second', responseStart, response('two'), completed);
    expect(historyOf(tape.events)).toEqual([
      'cleared@6',
      'user_message b@15 second',
      'agent_response b@16 two',
    ]);
  });

  it('shows after a clear the message of a run that waited before it', () => {
    const tape = session().addRun('a', 'first').add('b', requested('second')).add(undefined, cleared);
    tape.add('a', completed).startRun('b', completed);
    expect(historyOf(tape.events)).toEqual(['cleared@5', 'user_message b@8 second']);
  });
});

describe('a fold that starts in the middle', () => {
  it("asks for a run's message that was requested before it", () => {
    const tape = session().addRun('a', 'first').add('b', requested('second')).add('a', completed);
    const from = tape.next;
    tape.startRun('b', responseStart, response('two'), completed);
    expect(historyOf(tape.events.slice(from))).toEqual(['request of b@7 at 4', 'agent_response b@8 two']);
  });

  it('hides what it is told was hidden, until the next run starts', () => {
    const tape = session().addRun('a', 'first').add(undefined, cleared);
    const from = tape.next;
    tape.add('a', responseStart, response('late'), completed).addRun('b', 'second', completed);
    const lines: string[] = [];
    const fold = new HistoryFold(
      { add: (m) => lines.push(m.type), addRequest: () => lines.push('request'), clear: () => {} },
      { isHidden: true },
    );
    const hides = tape.events.slice(from).map((event) => {
      fold.push(event);
      return fold.hides;
    });
    expect(lines).toEqual(['user_message']);
    expect(hides).toEqual([true, true, true, true, true, false, false]);
  });

  it('goes on as if it had folded everything, from after any revision at which no block is open', () => {
    const tape = session()
      .addRun('a', 'first', thinkingStart, thinking('hm'), responseStart, response('one'), turn('c'))
      .add('a', toolUseStart, toolUse('{}'), result('c', 'x'), toolResponse('{}'), step(1), completed)
      .addRun('b', 'second', responseStart, response('two'), turn(), step(1), completed);
    const whole = historyOf(tape.events);
    const probe = new Lines();
    for (const [i, event] of tape.events.entries()) {
      probe.fold.push(event);
      const isBetweenClaimAndStart = event.type === 'run_claimed';
      if (probe.fold.openSince !== null || isBetweenClaimAndStart) continue;
      const rest = historyOf(tape.events.slice(i + 1)).map((line) =>
        line.replace(/^request of (\w)@(\d+) at (\d+)$/, (_, run, at, requested) => {
          const request = tape.events[Number(requested)];
          return `user_message ${run}@${at} ${request?.type === 'run_requested' ? textOf(request.data.message) : ''}`;
        }),
      );
      expect([...probe.lines, ...rest]).toEqual(whole);
    }
  });
});
