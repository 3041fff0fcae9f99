import { expect, test } from '@jest/globals';
import { Clock, SystemRandom } from '#platform';
import { appendUntilDefinite } from './append-until-definite.js';
import { newEvent } from './envelope.js';
import {
  AppendOutcomeUnknown,
  type AppendResult,
  type EventLog,
  EventTooLarge,
  LogUnavailable,
} from './event-log.js';

/** Waits for nothing, and remembers for how long it would have. */
class ImpatientClock extends Clock {
  readonly waits: number[] = [];
  override now(): number {
    return 0;
  }
  override soon(fire: () => void): void {
    queueMicrotask(fire);
  }
  override timer(ms: number, fire: () => void): () => void {
    this.waits.push(ms);
    queueMicrotask(fire);
    return () => {};
  }
}

const appended: AppendResult = { kind: 'appended', first: 0, last: 0, position: 1 };
const events = [
  newEvent({ id: 'i', type: 't', time: 0, data: {} }, { schemaVersion: 1, project: 'p', actor: 'k' }),
];

function attempt(answers: (AppendResult | Error)[], signal?: AbortSignal) {
  const calls: unknown[][] = [];
  const append: EventLog['append'] = async (...call) => {
    calls.push(call);
    const answer = answers[calls.length - 1] ?? new Error('asked too often');
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const clock = new ImpatientClock();
  const log = { append } as EventLog;
  const options = { expected: 4, ...(signal && { signal }) };
  return { calls, clock, result: appendUntilDefinite(log, clock, new SystemRandom(), 's', events, options) };
}

test('repeats the identical batch until the outcome is known', async () => {
  const unknown = Array.from({ length: 12 }, () => new AppendOutcomeUnknown('?'));
  const { calls, clock, result } = attempt([...unknown, appended]);
  expect(await result).toBe(appended);
  expect(calls).toHaveLength(13);
  for (const call of calls) expect(call).toEqual(['s', events, { expected: 4 }]);
  expect(Math.max(...clock.waits)).toBeLessThanOrEqual(5_000);
  expect(clock.waits[0]).toBeLessThanOrEqual(50);
});

test('a conflict is an answer', async () => {
  const { result } = attempt([new AppendOutcomeUnknown('?'), { kind: 'conflict', actual: 9 }]);
  expect(await result).toEqual({ kind: 'conflict', actual: 9 });
});

test('a refusal is passed on when nothing was tried, and waited out when something was', async () => {
  await expect(attempt([new LogUnavailable('no')]).result).rejects.toBeInstanceOf(LogUnavailable);
  const { result } = attempt([new AppendOutcomeUnknown('?'), new LogUnavailable('no'), appended]);
  expect(await result).toBe(appended);
});

test('any other error is passed on', async () => {
  await expect(attempt([new EventTooLarge('!')]).result).rejects.toBeInstanceOf(EventTooLarge);
});

test('gives up with the unknown outcome when aborted', async () => {
  const { result, calls } = attempt([new AppendOutcomeUnknown('?')], AbortSignal.abort());
  await expect(result).rejects.toBeInstanceOf(AppendOutcomeUnknown);
  expect(calls).toHaveLength(1);
});
