import { describe, expect, it } from '@jest/globals';
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
  stepTurn,
  attemptOf,
  turn,
} from '../../../test/support/session-tape.js';
import {
  askingTurn,
  asks,
  begun,
  parked,
  resolves,
  steered,
  steers,
} from '../../../test/support/waiting-tape.js';
import { NOT_MADE, OUTCOME_UNKNOWN, ContextFold, type Draft } from '#domain';
import { HistoryFold } from './history.js';

const run = 'run_ses_1_a';
const tapeOf = (...more: readonly Draft[]) =>
  new SessionTape().add(undefined, opened).addRun(run, 'hi', ...more);

function contextOf({ events }: Pick<SessionTape, 'events'>): string[] {
  const fold = new ContextFold();
  for (const event of events) fold.push(event);
  return fold.messages.map(
    (m) => `${m.role} ${m.role === 'tool' ? `${m.callId} ` : ''}${m.content as string}`,
  );
}

const asked = [askingTurn({ c1: 'approval', c2: undefined }), asks(run, 0)];

describe('what the model is told of a call that needs somebody', () => {
  it.each<[string, readonly Draft[], string]>([
    ['nobody has decided', [], NOT_MADE],
    ['it is parked', [parked], NOT_MADE],
    ['it is released and not begun', [resolves(run, 0)], NOT_MADE],
    ['it is begun', [resolves(run, 0), begun('c1')], OUTCOME_UNKNOWN],
    ['it has a result', [resolves(run, 0), begun('c1'), result('c1', 'done')], 'done'],
    ['its run was cancelled before anybody decided', [cancelled], NOT_MADE],
  ])('where %s', (_, more, content) => {
    expect(contextOf(tapeOf(...asked, ...more))).toEqual([
      'user hi',
      'assistant ',
      `tool c1 ${content}`,
      `tool c2 ${OUTCOME_UNKNOWN}`,
    ]);
  });

  it('is one result after any prefix', () => {
    const rest = [resolves(run, 0), begun('c1'), result('c1', 'a'), result('c2', 'b'), step(1), turn()];
    const tape = tapeOf(...asked, parked, ...rest);
    for (let length = 1; length <= tape.events.length; length++) {
      const results = contextOf({ events: tape.events.slice(0, length) }).filter((m) => m.startsWith('tool'));
      expect(results.map((m) => m.slice(0, 7))).toEqual(results.length === 0 ? [] : ['tool c1', 'tool c2']);
    }
  });

  it("says nothing of a step's call of the same id", () => {
    const at = attemptOf('a', 1, 'c2');
    const tape = tapeOf(...asked, stepTurn(at, '', 'c1'), begun('c1', at));
    expect(contextOf(tape)[2]).toBe(`tool c1 ${NOT_MADE}`);
  });
});

describe('a message that came in', () => {
  it('is told where it was taken in, not where it came', () => {
    const tape = tapeOf(
      turn('c1'),
      steers('s', 'faster'),
      result('c1', 'x'),
      step(1),
      steered('faster'),
      responseStart,
      response('ok'),
      turn(),
    );
    expect(contextOf(tape)).toEqual(['user hi', 'assistant ', 'tool c1 x', 'user faster', 'assistant ok']);
  });

  it('stands behind what was said to the last, where the run ended with it', () => {
    const tape = tapeOf(responseStart, response('half'), steers('s', 'faster'), steered('faster'), cancelled);
    expect(contextOf(tape)).toEqual(['user hi', 'assistant half', 'user faster']);
  });

  it('is a message of the history, and ends the block that is being written', () => {
    const lines: string[] = [];
    const fold = new HistoryFold({
      add: ({ type, revision, pieces }) => lines.push(`${revision} ${type} ${pieces.map(String).join('')}`),
      addRequest: () => lines.push('?'),
      clear: () => lines.splice(0),
    });
    const tape = tapeOf(responseStart, response('half'), steers('s', 'faster'), steered('faster'), completed);
    for (const event of tape.events) fold.push(event);
    expect(lines).toEqual(['3 user_message hi', '4 agent_response half', '7 user_message faster']);
    for (const event of new SessionTape().add(run, cleared, steered('lost')).events) fold.push(event);
    expect(lines).toEqual([]);
  });
});
