import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sessionStream } from '#domain';
import { newEvent } from '#event-log';
import { CountingRandom } from '../../../../test/support/counting-random.js';
import { CALLER } from '../../../../test/support/house.js';
import { TempLog } from '../../../../test/support/temp-log.js';
import { usageKept } from './kept-calls.js';

let temp: TempLog;
beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

const random = new CountingRandom('kept');
const DAY = 86_400_000;

it('sums up the turns of earlier versions by run, model and day; later ones have events of their own', async () => {
  const session = 'ses_kept';
  const event = (run: string, type: string, time: number, data: object) =>
    newEvent({ id: random.uuid(), type, time, data }, { schemaVersion: 1, run, ...CALLER });
  const request = (run: string, model: string) =>
    event(run, 'run_requested', 1, {
      message: 'm',
      mode: 'base',
      model,
      config: {},
      trigger: 'request',
      replica: '',
    });
  const turn = (run: string, time: number, cost: string, more: object = {}) =>
    event(run, 'model_turn_completed', time, {
      usage: { input_tokens: 10, output_tokens: 5 },
      cost,
      finish_reason: 'stop',
      ...more,
    });
  const events = [
    event('run_a', 'session_opened', 0, {}),
    request('run_a', 'm1'),
    turn('run_a', 5, '0.001'),
    turn('run_a', 6, '0.000000000001', { usage: { input_tokens: 1, output_tokens: 2, estimated: true } }),
    turn('run_a', DAY, '0.5', { final_output: true, text: '{}' }),
    request('run_b', 'm2'),
    turn('run_b', DAY + 1, '0'),
    event('run_b', 'model_turn_completed', DAY + 2, { finish_reason: 'stop' }),
  ];
  await temp.log.append(sessionStream(session), events, { expected: 'no_stream' });
  const common = {
    key: CALLER.actor,
    mode: 'base',
    cachedInputTokens: null,
    cacheWriteTokens: null,
    reasoningTokens: null,
  };
  expect(await usageKept(temp.log, session)).toEqual([
    {
      type: 'usage_kept',
      data: {
        calls: [
          {
            ...common,
            run: 'run_a',
            model: 'm1',
            time: 5,
            inputTokens: 11,
            outputTokens: 7,
            modelCalls: 2,
            estimatedCalls: 1,
            unpricedCalls: 0,
            cost: '1000000001',
          },
          {
            ...common,
            run: 'run_a',
            model: 'm1',
            time: DAY,
            inputTokens: 10,
            outputTokens: 5,
            modelCalls: 1,
            estimatedCalls: 0,
            unpricedCalls: 0,
            cost: '500000000000',
          },
          {
            ...common,
            run: 'run_b',
            model: 'm2',
            time: DAY + 1,
            inputTokens: 10,
            outputTokens: 5,
            modelCalls: 1,
            estimatedCalls: 0,
            unpricedCalls: 1,
            cost: '0',
          },
        ],
      },
    },
  ]);
});
