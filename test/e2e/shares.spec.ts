import { describe, expect, it } from '@jest/globals';
import { Gate, before, say } from '../support/scripted-model.js';
import type { Answer, ServiceClient } from '../support/service-client.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

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
  it('a run of one project waits for one place of another, however many of that wait', () =>
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
      await until(async () =>
        (await a.all<{ ended_at: string | null }>('/runs')).every((run) => run.ended_at !== null),
      );
    }));
});

interface Refusal {
  readonly status: number;
  readonly code: unknown;
  readonly detail: unknown;
}

const refusalOf = (answer: Answer): Refusal => {
  const { code, detail } = answer.json();
  return { status: answer.status, code, detail };
};

describe('MAX_TASKS_PER_PROJECT', () => {
  it('bounds the tasks that may fire again, over a restart, and counts no other project and no repeat', () =>
    onStage({ MAX_TASKS_PER_PROJECT: '5' }, async ({ client, service, book }) => {
      const [a, b] = [await clientOf(client, 'a'), await clientOf(client, 'b')];
      const schedule = (by: ServiceClient, count: number, headers = {}): Promise<Answer> => {
        const schedules = Array.from({ length: count }, () => ({ schedule: 86_400, message: 'again' }));
        return by.post(
          '/',
          { message: book.on('with tasks', say('ok')), background: true, schedules },
          { headers },
        );
      };
      const key = { 'idempotency-key': 'three' };
      const first = await schedule(a, 3, key);
      expect(first.status).toBe(202);
      const refusal = {
        status: 422,
        code: 'unprocessable',
        detail: expect.stringContaining('MAX_TASKS_PER_PROJECT'),
      };
      expect(refusalOf(await schedule(a, 3))).toEqual(refusal);
      await service.kill();
      await service.launch();
      expect(refusalOf(await schedule(a, 3))).toEqual(refusal);
      expect((await schedule(a, 3, key)).json()).toEqual(first.json());
      expect((await schedule(b, 5)).status).toBe(202);
      expect((await schedule(a, 2)).status).toBe(202);
      expect(refusalOf(await schedule(a, 1))).toEqual(refusal);
      const [task] = first.json<{ task_ids: string[] }>().task_ids;
      // One that is paused may go on.
      expect((await a.post(`/tasks/${task}/pause`)).status).toBe(200);
      expect(refusalOf(await schedule(a, 1))).toEqual(refusal);
      expect((await a.post(`/tasks/${task}/cancel`)).status).toBe(200);
      // Many at the same time are no more than one after the other.
      const together = await Promise.all(Array.from({ length: 8 }, () => schedule(a, 1)));
      const taken = together.filter(({ status }) => status === 202).length;
      expect(taken).toBeLessThanOrEqual(1);
      expect((await schedule(a, 1)).status).toBe(taken === 1 ? 422 : 202);
      const standing = await a.all<{ status: string }>('/tasks');
      expect(standing.filter(({ status }) => status === 'scheduled')).toHaveLength(5);
    }));
});

describe('MAX_STORED_MB_PER_PROJECT', () => {
  it('bounds the files of all documents of a project, over a restart; what is deleted is given back', () =>
    onStage({ MAX_STORED_MB_PER_PROJECT: '1' }, async ({ client, service }) => {
      const keys = new Map<string, string>();
      for (const project of ['a', 'b']) {
        const made = await client.post('/api-keys', {
          name: project,
          project,
          scopes: ['datastores', 'read'],
        });
        keys.set(project, made.json<{ key: string }>().key);
      }
      const of = (project: string): ServiceClient => client.with(keys.get(project)!);
      const datastore = async (project: string): Promise<string> =>
        (await of(project).post('/create-datastore', { name: 'docs', type: 'documents' })).json<{
          datastore_id: string;
        }>().datastore_id;
      const upload = async (project: string, id: string, name: string, content: string) => {
        const form = new FormData();
        form.append('datastore_id', id);
        form.append('file', new Blob([content]), name);
        const headers = { authorization: `Bearer ${keys.get(project)}` };
        const answer = await fetch(`${service.origin}/index-document`, {
          method: 'POST',
          headers,
          body: form,
        });
        return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
      };
      const large = 'word '.repeat(125_000);
      const [one, other, ofB] = [await datastore('a'), await datastore('a'), await datastore('b')];
      const kept = await upload('a', one, 'kept.txt', large);
      expect(kept.status).toBe(201);
      const refused = async (): Promise<void> => {
        const { status, body } = await upload('a', other, 'more.txt', large);
        expect([status, body['code']]).toEqual([422, 'unprocessable']);
        expect(body['detail']).toContain('MAX_STORED_MB_PER_PROJECT');
      };
      await refused();
      await service.kill();
      await service.launch();
      await refused();
      // The same file again is the same document, and what cannot be read is said first.
      expect((await upload('a', one, 'kept.txt', large)).body['document_id']).toBe(kept.body['document_id']);
      expect((await upload('a', other, 'odd.bin', '\0\u0001\u0002'.repeat(200_000))).status).toBe(415);
      expect((await upload('b', ofB, 'kept.txt', large)).status).toBe(201);
      expect((await of('a').call('DELETE', `/documents/${String(kept.body['document_id'])}`)).status).toBe(
        204,
      );
      expect((await upload('a', other, 'more.txt', large)).status).toBe(201);
      expect((await of('a').call('DELETE', `/datastores/${other}`)).status).toBe(204);
      expect((await upload('a', one, 'kept.txt', large)).status).toBe(201);
    }));
});
