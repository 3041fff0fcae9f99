import { describe, expect, it } from '@jest/globals';
import { PROJECT, SessionTape, completed, opened, response } from '../../../../test/support/session-tape.js';
import { NO_SESSION } from '../session-state.js';
import { MAX_FORK_DEPTH, decideFork, depthOfFork, requireMoment } from './decide-fork.js';

const tape = new SessionTape().add(undefined, opened).addRun('run_1', 'hi', response('Hello'), completed);
const last = tape.next - 1;
const fork = (at: number, project = PROJECT) =>
  decideFork(tape.state, project, { session: 'ses_fork', at }, last);
const code = (expected: string): unknown => expect.objectContaining({ code: expected });

describe('a fork', () => {
  it('is of any event of its parent, shown or not', () => {
    for (let at = 0; at <= last; at++)
      expect(fork(at)).toEqual([{ type: 'session_forked', data: { session: 'ses_fork', at } }]);
  });

  it('is of no event that is not there yet', () => {
    expect(() => fork(last + 1)).toThrow(code('unprocessable'));
    expect(() => requireMoment(last + 1, last)).toThrow(`the last event of the session is ${last}`);
    expect(() => requireMoment(last, last)).not.toThrow();
  });

  it('is made of no session that is not there, of another project, or erased', () => {
    expect(() => fork(0, 'other')).toThrow(code('not_found'));
    expect(() => decideFork(NO_SESSION, PROJECT, { session: 'ses_fork', at: 0 }, -1)).toThrow(
      code('not_found'),
    );
    const erased = new SessionTape().add(undefined, opened, { type: 'session_erased', data: { events: 1 } });
    const decided = () => decideFork(erased.state, PROJECT, { session: 'ses_fork', at: 0 }, 1);
    expect(decided).toThrow(code('not_found'));
  });

  it('leaves the run of its parent under way, and is counted', () => {
    const busy = new SessionTape().add(undefined, opened).addRun('run_1', 'hi', response('Hel'));
    const before = busy.state;
    busy.add(undefined, ...decideFork(before, PROJECT, { session: 'ses_fork', at: 2 }, busy.next - 1));
    expect(busy.state).toEqual({ ...before, forks: before.forks + 1 });
  });

  it('is one deeper than its parent, and the hundredth at the most', () => {
    const at = (depth: number) => ({
      forked_from: { session: 'ses_1', at: 0 },
      depth,
      shared: { messages: 0 },
    });
    expect(depthOfFork(null)).toBe(1);
    expect(depthOfFork(at(MAX_FORK_DEPTH - 1))).toBe(100);
    expect(() => depthOfFork(at(MAX_FORK_DEPTH))).toThrow(code('unprocessable'));
  });
});
