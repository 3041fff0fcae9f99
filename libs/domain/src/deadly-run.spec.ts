import { describe, expect, it } from '@jest/globals';
import {
  SessionTape,
  cancelRequested,
  completed,
  requested,
  response,
  responseStart,
  result,
  toolUse,
  toolUseStart,
  turn,
  turnFailed,
} from '../../../test/support/session-tape.js';
import { decideCancel, decideTakeOver } from './session-commands.js';
import type { SessionEvent } from './session-events.js';

/** Its worker's process ends, and another one claims it. Returns what that wrote. */
function takeOver(tape: SessionTape): string[] {
  const epoch = tape.state.current?.epoch ?? 0;
  const drafts = decideTakeOver(tape.state, 'a', epoch, `w${epoch + 1}`) ?? [];
  tape.add('a', ...drafts);
  return drafts.map(({ type }) => type);
}

/** How many claims it gets, each of which writes these before its process ends. */
function claimsOf(tape: SessionTape, ...events: readonly SessionEvent[]): number {
  for (let claims = 1; claims <= 40; claims++) {
    tape.add('a', ...events);
    if (takeOver(tape).length > 1) return claims;
  }
  return Infinity;
}

const run = () => new SessionTape().addRun('a', 'hi');
const ended = ['run_claimed', 'agent_cost', 'agent_error'];

describe('a run that ends its processes', () => {
  it('ends when its third claim in a row wrote nothing', () => {
    const tape = run();
    expect([takeOver(tape), takeOver(tape), takeOver(tape)]).toEqual([
      ['run_claimed'],
      ['run_claimed'],
      ended,
    ]);
    expect(tape.events.at(-1)).toMatchObject({
      type: 'agent_error',
      data: { code: 'internal', retryable: false },
    });
    expect(tape.state.current).toBeNull();
  });

  it('ends, too, where each claim says again what the one before said, after ten', () => {
    expect(claimsOf(run(), responseStart, response('6 x'))).toBe(10);
    expect(claimsOf(run(), turnFailed)).toBe(10);
  });

  it('goes on for ever where each claim brings it further', () => {
    expect(claimsOf(run(), turn('c'), toolUseStart, toolUse('{}'))).toBe(Infinity);
    expect(claimsOf(run(), result('c', 'x'))).toBe(Infinity);
  });

  it('is not blamed for what others write into its session', () => {
    const tape = run();
    tape.add('b', requested('later'));
    takeOver(tape);
    tape.add('b', cancelRequested);
    takeOver(tape);
    expect(takeOver(tape)).toEqual(ended);
  });

  it('begins to count anew when something was written', () => {
    const tape = run();
    takeOver(tape);
    takeOver(tape);
    tape.add('a', turn('c'), toolUseStart, toolUse('{}'));
    expect([takeOver(tape), takeOver(tape), takeOver(tape), takeOver(tape)]).toEqual([
      ['run_claimed'],
      ['run_claimed'],
      ['run_claimed'],
      ended,
    ]);
  });

  it('tells what it cost, of all its claims', () => {
    const tape = run();
    const costs = turn('c');
    tape.add('a', costs);
    for (let claims = 0; claims < 4; claims++) takeOver(tape);
    const cost = costs.type === 'model_turn_completed' ? costs.data.cost : '';
    expect(tape.events.find(({ type }) => type === 'agent_cost')?.data).toEqual({ cost });
  });

  it('is cancelled where that was asked for', () => {
    const tape = run();
    takeOver(tape);
    takeOver(tape);
    tape.add('a', ...decideCancel(tape.state, 'a'));
    expect(takeOver(tape)).toEqual(['run_claimed', 'agent_cost', 'agent_cancelled']);
  });

  it('lets the next run have its turn', () => {
    const tape = run();
    tape.add('b', requested('later'));
    for (let claims = 0; claims < 3; claims++) takeOver(tape);
    expect(tape.state).toMatchObject({ current: null, waiting: [{ run: 'b' }] });
    tape.add('b', completed);
  });
});
