import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServiceClient } from '../support/service-client.js';
import { ServiceProcess } from '../support/service-process.js';
import { until } from '../support/until.js';
import { quiet } from '../support/quiet.js';

interface Firing {
  readonly slot: string;
  readonly fired_at: string | null;
  readonly run_id: string | null;
  readonly late: boolean;
}

interface Task {
  readonly task_id: string;
  readonly session: string;
  readonly schedule: number | string;
  readonly timezone: string;
  readonly message: string;
  readonly status: string;
  readonly created_at: string;
  readonly next_run_at: string | null;
  readonly last_run_at: string | null;
  readonly firings: readonly Firing[];
}

interface Accepted {
  readonly session: string;
  readonly run_id: string;
  readonly task_ids: readonly string[];
}

interface Run {
  readonly run_id: string;
  readonly status: string;
  readonly trigger: string;
  readonly mode: string;
}

describe('tasks', () => {
  let service: ServiceProcess;
  let client: ServiceClient;
  beforeAll(async () => {
    service = await ServiceProcess.start({});
    client = service.client();
  });
  afterAll(() => service.dispose());

  const schedule = async (schedules: readonly object[], more: object = {}): Promise<Accepted> => {
    const answer = await client.post('/', { message: 'Hello', background: true, schedules, ...more });
    expect(answer.status).toBe(202);
    return answer.json<Accepted>();
  };
  const task = async (id: string): Promise<Task> => (await client.get(`/tasks/${id}`)).json<Task>();
  const taskOnce = async (id: string, isTrue: (task: Task) => boolean): Promise<Task> => {
    await until(
      async () => isTrue(await task(id)),
      () => task(id),
    );
    return task(id);
  };

  it('starts a run in the same session at its time, with the configuration of the request', async () => {
    const before = Date.now();
    const { session, task_ids } = await schedule([{ schedule: 1, message: 'And what is 2 + 3?' }], {
      mode: 'flash',
    });
    expect(task_ids).toHaveLength(1);
    const [id] = task_ids as [string];
    const known = await task(id);
    expect(known).toMatchObject({
      task_id: id,
      session,
      schedule: 1,
      timezone: 'UTC',
      message: 'And what is 2 + 3?',
      status: 'scheduled',
      last_run_at: null,
      firings: [],
    });
    const next = Date.parse(known.next_run_at ?? '');
    expect(next - before).toBeGreaterThanOrEqual(1000);
    const finished = await taskOnce(id, ({ status }) => status === 'finished');
    const [firing] = finished.firings;
    expect(firing).toMatchObject({ slot: known.next_run_at, late: false });
    expect(Date.parse(firing?.fired_at ?? '') - next).toBeLessThan(100);
    expect(finished.next_run_at).toBeNull();
    await until(async () => (await client.get(`/runs/${firing?.run_id}`)).status === 200);
    const run = (await client.get(`/runs/${firing?.run_id}`)).json<Run>();
    expect(run).toMatchObject({ trigger: 'task', mode: 'flash' });
    const stream = await client.follow(`/runs/${firing?.run_id}`);
    await stream.closed();
    expect(stream.records.at(-1)?.event.type).toBe('agent_completed');
    expect((await client.history(session)).map((m) => m.content)).toContain('And what is 2 + 3?');
  });

  it('says what is scheduled in the stream, after agent_started, and in every form of answer', async () => {
    const schedules = [
      { schedule: '0 9 * * 1-5', timezone: 'Europe/Berlin', message: 'Good morning' },
      { schedule: '2100-01-01', message: 'Happy new year' },
    ];
    const stream = await client.run({ message: 'Hi', schedules });
    await stream.closed();
    const told = stream.records.map(({ json }) => JSON.parse(json) as Record<string, string>);
    expect(told.slice(0, 3).map(({ type }) => type)).toEqual([
      'agent_started',
      'agent_task_scheduled',
      'agent_task_scheduled',
    ]);
    expect(told[2]).toEqual({
      type: 'agent_task_scheduled',
      session: stream.session,
      task_id: told[2]!['task_id'],
      schedule: '2100-01-01',
      message: 'Happy new year',
      next_run_at: '2100-01-01T00:00:00.000Z',
    });
    const ended = await client.runToEnd({ message: 'Hi', schedules });
    expect(ended.task_ids).toHaveLength(2);
    const listed = await client.all<Task>(`/tasks?session=${ended.session}`);
    expect(listed.map((t) => t.task_id).toSorted()).toEqual(ended.task_ids.toSorted());
    expect(await task(ended.task_ids[0]!)).toMatchObject({ timezone: 'Europe/Berlin' });
  });

  it('pauses, resumes and cancels, as often as it is told', async () => {
    const { task_ids } = await schedule([{ schedule: 2, message: 'Soon' }]);
    const [id] = task_ids as [string];
    const command = async (name: string): Promise<Task> => {
      const answer = await client.post(`/tasks/${id}/${name}`);
      expect(answer.status).toBe(200);
      return answer.json<Task>();
    };
    expect(await command('pause')).toMatchObject({ status: 'paused', next_run_at: null });
    expect(await command('pause')).toMatchObject({ status: 'paused' });
    await quiet(2_200);
    expect(await command('resume')).toMatchObject({ status: 'finished', firings: [] });
    expect(await command('cancel')).toMatchObject({ status: 'finished' });
    const [other] = (await schedule([{ schedule: '* * * * *', message: 'm' }])).task_ids;
    expect((await client.call('DELETE', `/tasks/${other}`)).json<Task>()).toMatchObject({
      status: 'cancelled',
      next_run_at: null,
    });
    expect((await client.get('/tasks/task_unknown')).status).toBe(404);
  });

  it('fires late, once, what was due while the service was down', async () => {
    const { task_ids } = await schedule([{ schedule: 2, message: 'While you were away' }]);
    const [id] = task_ids as [string];
    await service.kill();
    await quiet(3_500);
    await service.launch();
    const { firings } = await taskOnce(id, ({ status }) => status === 'finished');
    expect(firings).toHaveLength(1);
    expect(firings[0]).toMatchObject({ late: true });
    const run = (await client.get(`/runs/${firings[0]?.run_id}`)).json<Run>();
    expect(run.trigger).toBe('task');
  });
});
