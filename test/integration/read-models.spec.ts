import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  answer,
  append,
  type Fixture,
  newSession,
  openFixture,
  opening,
  PROJECT,
} from './read-models-fixture.js';

let fixture: Fixture;
beforeAll(async () => void (fixture = await openFixture()));
afterAll(() => fixture.close());

describe('read models', () => {
  it('shows a run, its session and its messages', async () => {
    const session = newSession();
    const run = `run_${session}_1`;
    await append(fixture.log, session, [
      ...opening(run, 'What is 6 x 7?'),
      ...answer(run, ['6 x 7', ' is 42.']),
    ]);
    expect(await fixture.models.history.messages(PROJECT, session)).toEqual([
      { type: 'user_message', content: 'What is 6 x 7?' },
      { type: 'agent_response', content: '6 x 7 is 42.' },
    ]);
    expect(await fixture.models.runs.get(PROJECT, run)).toEqual({
      run_id: run,
      session,
      status: 'completed',
      mode: 'base',
      model: 'demo',
      trigger: 'request',
      actor: 'key_1',
      created_at: '2025-11-21T09:00:00.001Z',
      started_at: '2025-11-21T09:00:00.003Z',
      ended_at: '2025-11-21T09:00:00.010Z',
      cost: '0.001',
      usage: { input_tokens: 10, output_tokens: 5 },
      error: null,
      last_event_id: '10',
    });
    expect(await fixture.models.sessions.get(PROJECT, session)).toEqual({
      session,
      title: 'What is 6 x 7?',
      message_count: 2,
      last_status: 'completed',
      cost: '0.001',
      created_at: '2025-11-21T09:00:00.000Z',
    });
    expect(await fixture.models.history.messages(PROJECT, session)).toHaveLength(2);
  });
});
