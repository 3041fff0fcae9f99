import { describe, expect, it } from '@jest/globals';
import { Gate, before, say } from '../support/scripted-model.js';
import type { ServiceClient } from '../support/service-client.js';
import { Stage } from '../support/stage.js';

async function clientOf(admin: ServiceClient, project: string): Promise<ServiceClient> {
  const scopes = ['run', 'read', 'datastores'];
  const answer = await admin.post('/api-keys', { name: project, project, scopes });
  return admin.with(answer.json<{ key: string }>().key);
}

async function onStage(env: Record<string, string>, play: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await Stage.open({ env: { RATE_LIMIT_RPM: '100000', ...env } });
  try {
    await play(stage);
  } finally {
    await stage.close();
  }
}

describe('turns by project', () => {
  it(
    'a run of one project waits for one place of another, however many of that wait',
    () =>
      onStage({ MAX_RUNS: '1' }, async ({ client, book, model }) => {
        const [a, b] = [await clientOf(client, 'a'), await clientOf(client, 'b')];
        const gate = new Gate();
        const first = await a.run({
          message: book.on('first', say('1', before(gate), '2')),
          streaming_tokens: true,
        });
        await model.requested(1);
        // Behind it in its session, and as many as may wait for room.
        const later = { background: true };
        for (let n = 0; n < 40; n++) {
          const message = book.on(`later ${n}`, say('a'));
          expect((await a.post(`/?session=${first.session}`, { message, ...later })).status).toBe(202);
        }
        for (let n = 0; n < 4; n++)
          expect((await a.post('/', { message: book.on(`a${n}`, say('a')), ...later })).status).toBe(202);
        const refused = await a.post('/', { message: 'one too many' });
        expect([refused.status, refused.json()['code']]).toEqual([429, 'rate_limited']);
        const one = b.runToEnd(book.on('the only one of b', say('b')));
        while ((await b.all('/runs')).length === 0) await new Promise((resolve) => setImmediate(resolve));
        gate.open();
        expect((await one).status).toBe('completed');
        await first.closed();
        const asked = model.requests.map(({ body }) => JSON.stringify(body));
        expect(asked.findIndex((body) => body.includes('the only one of b'))).toBe(1);
        while ((await a.all<{ ended_at: string | null }>('/runs')).some((run) => run.ended_at === null))
          await new Promise((resolve) => setTimeout(resolve, 50));
      }),
    60_000,
  );
});
