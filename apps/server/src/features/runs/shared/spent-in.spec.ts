import { expect, it } from '@jest/globals';
import { NO_CALLS, usageView } from '#domain';
import type { RecordedEvent } from '#event-log';
import { withSpent } from './spent-in.js';

const event = (type: string, data: object, more: Partial<RecordedEvent> = {}): RecordedEvent =>
  ({ type, data, revision: 1, time: 0, meta: { run: 'run_1' }, ...more }) as unknown as RecordedEvent;

const counts = { input_tokens: 7, output_tokens: 3 };
const called = {
  ...counts,
  kind: 'turn',
  mode: 'base',
  model: 'm',
  reported: counts,
  price: null,
  cost: '0',
};

const usageOf = (...events: RecordedEvent[]): object => {
  const { input_tokens, output_tokens, model_calls } = usageView(events.reduce(withSpent, NO_CALLS));
  return { input_tokens, output_tokens, model_calls };
};

it('sums up the calls of a run, and those that stood in the turns of an earlier version', () => {
  const turn = { finish_reason: 'stop', text: 'hi' };
  expect(usageOf(event('model_called', called), event('model_turn_completed', turn))).toEqual({
    ...counts,
    model_calls: 1,
  });
  const earlier = event('model_turn_completed', { ...turn, usage: counts, cost: '0.000053' });
  expect(usageOf(earlier, earlier, event('model_called', called))).toEqual({
    input_tokens: 21,
    output_tokens: 9,
    model_calls: 3,
  });
});

it('takes nothing of what cannot be read, or is no call', () => {
  const nothing = { input_tokens: 0, output_tokens: 0, model_calls: 0 };
  expect(usageOf(event('model_called', {}, { isUnreadable: true }))).toEqual(nothing);
  expect(usageOf(event('model_turn_completed', {}, { isUnreadable: true }))).toEqual(nothing);
  expect(usageOf(event('agent_step', { step: '1' }))).toEqual(nothing);
});
