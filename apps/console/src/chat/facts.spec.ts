import { describe, expect, test } from '@jest/globals';
import { SessionTape, completed, opened, requested, turn } from '../../../../test/support/session-tape.js';
import { ChatFactsFold, sendWord } from './facts.js';

describe('the head of a chat', () => {
  test('tells of the run under way, and of the last one when none is', () => {
    const tape = new SessionTape().add(undefined, opened);
    const facts = () => {
      const fold = new ChatFactsFold('s');
      for (const event of tape.events) fold.push(event);
      return fold.now;
    };
    expect(facts()).toMatchObject({ run: null, status: null, isBusy: false, cost: '0', outputTokens: 0 });
    tape.addRun('run_1', 'hi', turn());
    tape.add('run_2', requested('next'));
    expect(facts()).toMatchObject({
      run: 'run_1',
      status: 'running',
      isBusy: true,
      cost: '0.001',
      outputTokens: 5,
    });
    tape.add('run_1', completed);
    expect(facts()).toMatchObject({ run: 'run_2', status: 'queued', isBusy: true });
    tape.startRun('run_2', completed);
    expect(facts()).toMatchObject({ run: 'run_2', status: 'completed', isBusy: false });
  });

  test('says what becomes of a message', () => {
    expect(sendWord(false, 'steer')).toBe('Send');
    expect(sendWord(true, 'enqueue')).toBe('Queue');
    expect(sendWord(true, 'steer')).toBe('Steer');
    expect(sendWord(true, 'interrupt')).toBe('Send');
  });
});
