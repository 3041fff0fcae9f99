import { describe, expect, it } from '@jest/globals';
import { META } from '../../../../test/support/journal-fixture.js';
import { SessionTape, completed } from '../../../../test/support/session-tape.js';
import { RunWriter } from './run-writer.js';

const claimed = (worker: string, epoch: number) =>
  new SessionTape()
    .addRun('a', 'hi')
    .add('a', { type: 'run_claimed', data: { worker, epoch, requested: 0 } });

describe('the writer of a run', () => {
  const make = () => {
    const reasons: Error[] = [];
    return {
      reasons,
      writer: new RunWriter({ run: 'a', worker: 'w1', epoch: 2 }, META, (e) => reasons.push(e)),
    };
  };

  it('holds its claim while the session says so: this run, this worker, this epoch', () => {
    const { writer } = make();
    expect(writer.holdsClaim(claimed('w1', 2).state)).toBe(true);
    expect(writer.holdsClaim(claimed('w2', 2).state)).toBe(false);
    expect(writer.holdsClaim(claimed('w1', 3).state)).toBe(false);
    expect(writer.holdsClaim(claimed('w1', 2).add('a', completed).state)).toBe(false);
    expect(writer.holdsClaim(claimed('w1', 2).add('a', completed).addRun('b', 'hi').state)).toBe(false);
  });

  it('fails once, with the first reason', () => {
    const { writer, reasons } = make();
    writer.fail(new Error('first'));
    writer.fail(new Error('second'));
    expect(writer.lost?.message).toBe('first');
    expect(reasons.map((e) => e.message)).toEqual(['first']);
    expect(writer.again().lost).toBeNull();
  });
});
