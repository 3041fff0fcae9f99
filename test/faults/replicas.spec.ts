import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CallbackReceiver } from '../support/callback-receiver.js';
import { Cluster } from '../support/cluster.js';
import { verdictOf } from '../support/proof/verified.js';
import { Gate, before, say } from '../support/scripted-model.js';
import type { ServiceClient, SseStream } from '../support/service-client.js';
import { ADMIN_KEY, type ServiceProcess } from '../support/service-process.js';
import { until } from '../support/until.js';
import { quiet } from '../support/quiet.js';

let cluster: Cluster;
let receiver: CallbackReceiver;
let counted = 0;

beforeAll(async () => {
  receiver = await CallbackReceiver.start();
  // Parts and runs of the dead and the frozen are taken over after this; more than a busy machine makes the living wait.
  cluster = await Cluster.open({ replicas: 3, env: { TAKEOVER_S: '5' } });
});
afterAll(async () => {
  await cluster.close();
  await receiver.close();
});

const replica = (n: number): ServiceProcess => cluster.services[n] as ServiceProcess;
const client = (n: number): ServiceClient => replica(n).client();
const named = (name: string): string => `${name} #${++counted}`;

/** A run on a replica that has said something, and goes on when the gate is opened. */
async function busyOn(
  n: number,
  more: object = {},
): Promise<{ stream: SseStream; gate: Gate; message: string }> {
  const gate = new Gate();
  const message = cluster.book.on(named('busy'), say('first ', before(gate), 'then'));
  const stream = await client(n).run({ message, streaming_tokens: true, ...more });
  await stream.untilType('agent_response');
  return { stream, gate, message };
}

const runOf = async (n: number, run: string) =>
  (await client(n).get(`/runs/${run}`)).json<{ status: string; error: { code: string } | null }>();

async function statusIs(n: number, run: string, ...wanted: string[]): Promise<void> {
  await until(async () => wanted.includes((await runOf(n, run)).status));
}

const textOf = (stream: SseStream): string =>
  stream.records
    .filter(({ event }) => event.type === 'agent_response')
    .map(({ event }) => (event as unknown as { content: string }).content)
    .join('');

describe('with several replicas', () => {
  it('a run is followed live on another one, from its beginning', async () => {
    const { stream, gate } = await busyOn(0);
    const elsewhere = await client(1).follow(`/runs/${stream.run}`);
    await elsewhere.untilType('agent_response');
    gate.open();
    await Promise.all([stream.closed(), elsewhere.closed()]);
    expect(elsewhere.records).toEqual(stream.records);
    expect(elsewhere.lines.at(-1)).toBe('agent_completed');
  });

  it('a key that is revoked on one is no key on the others, and its streams end there, too', async () => {
    const issued = await client(0).post('/api-keys', { name: 'r', scopes: ['run', 'read'] });
    const { id, key } = issued.json<{ id: string; key: string }>();
    const elsewhere = client(1).with(key);
    await until(async () => (await elsewhere.get('/runs')).status === 200);
    const { stream, gate } = await busyOn(0);
    const body = { message: named('later'), background: true, schedules: [{ schedule: 3600, message: 'x' }] };
    const { task_ids } = (await elsewhere.post('/', body)).json<{ task_ids: string[] }>();
    const followed = await elsewhere.follow(`/runs/${stream.run}`);
    await followed.untilType('agent_response');
    expect((await client(2).call('DELETE', `/api-keys/${id}`)).status).toBe(204);
    await followed.closed();
    expect(followed.isOver).toBe(false);
    expect((await elsewhere.get('/runs')).status).toBe(401);
    await until(
      async () =>
        (await client(0).get(`/tasks/${task_ids[0]}`)).json<{ status: string }>().status === 'paused',
    );
    gate.open();
    await stream.closed();
    expect(stream.lines.at(-1)).toBe('agent_completed');
  });

  it('a run is cancelled on another one while its model hangs', async () => {
    const { stream } = await busyOn(0);
    const answer = await client(1).post(`/runs/${stream.run}/cancel`);
    expect(answer.status).toBe(202);
    await stream.closed();
    expect(stream.lines.at(-1)).toBe('agent_cancelled');
  });

  it('runs that other replicas accept wait their turn, in their order, and start there', async () => {
    const { stream, gate } = await busyOn(0);
    const { session } = stream;
    const queued: SseStream[] = [];
    for (const n of [1, 2, 0, 1]) queued.push(await client(n).run(named(`queued ${n}`), { session }));
    gate.open();
    await Promise.all([stream, ...queued].map((one) => one.closed()));
    const starts = queued.map(({ ids }) => ids[0] ?? 0);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    expect(queued.map(({ lines }) => lines.at(-1))).toEqual(Array(4).fill('agent_completed'));
  });

  it('a run is interrupted, and messages are cleared, on another one', async () => {
    const { stream } = await busyOn(0);
    const { session } = stream;
    await client(2).post(`/clear-messages?session=${session}`);
    const urgent = await client(1).run({ message: named('urgent'), on_busy: 'interrupt' }, { session });
    await Promise.all([stream.closed(), urgent.closed()]);
    expect(stream.lines.at(-1)).toBe('agent_cancelled');
    expect(urgent.lines.at(-1)).toBe('agent_completed');
    expect((await client(0).history(session)).map(({ type }) => type)).toEqual([
      'user_message',
      'agent_response',
    ]);
  });
});

describe('a replica that dies', () => {
  it('is followed by another: its run goes on, then those that it had accepted', async () => {
    const { stream, message, gate } = await busyOn(0);
    const { session, run } = stream;
    const waiting = await client(0).post(`/?session=${session}`, {
      message: named('waits'),
      background: true,
    });
    const { run_id } = waiting.json<{ run_id: string }>();
    const elsewhere = await client(1).follow(`/runs/${run}`);
    await replica(0).kill('SIGKILL');
    await until(() => cluster.book.asksOf(message, 0) >= 2);
    gate.open();
    await elsewhere.closed();
    expect(elsewhere.lines.at(-1)).toBe('agent_completed');
    await statusIs(1, run_id, 'completed');
    await replica(0).launch();
    expect((await runOf(0, run)).status).toBe('completed');
  });

  it('gives its schedules, callbacks and lists to another', async () => {
    const callback = { url: receiver.url };
    const message = named('with a task');
    const schedules = [1, 4].map((schedule) => ({ schedule, message: named('fired') }));
    const body = { message, callback, schedules, background: true };
    const { run_id, session, task_ids } = (await client(1).post('/', body)).json<{
      run_id: string;
      session: string;
      task_ids: string[];
    }>();
    for (const n of [0, 1]) await replica(n).kill('SIGKILL');
    await receiver.ended(run_id);
    const fired = async () =>
      (
        await client(2).all<{ run_id: string; trigger: string; status: string }>(`/runs?session=${session}`)
      ).filter((run) => run.trigger === 'task' && run.status === 'completed');
    await until(async () => (await fired()).length >= 2);
    for (const n of [0, 1]) await replica(n).launch();
    for (const { run_id: run } of await fired()) await receiver.ended(run);
    for (const task of task_ids) {
      const { status, firings } = (await client(0).get(`/tasks/${task}`)).json<{
        status: string;
        firings: object[];
      }>();
      expect({ status, firings: firings.length }).toEqual({ status: 'finished', firings: 1 });
    }
    expect(await fired()).toHaveLength(2);
  });

  it('hands its runs over when it is stopped in order', async () => {
    const { stream, message, gate } = await busyOn(2);
    const stopped = replica(2).kill('SIGTERM');
    await quiet(100);
    gate.open();
    expect(await stopped).toEqual({ code: 0, signal: null });
    await statusIs(0, stream.run, 'completed');
    expect(cluster.book.asksOf(message, 0)).toBe(1);
    await replica(2).launch();
  });
});

it('one of them seals the log; each hands out what proves it, also when that one is gone', async () => {
  const message = (): string => cluster.book.on(named('sealed'), say('said'));
  const ended = await Promise.all([0, 1, 2].map((n) => client(n).runToEnd(message())));
  const policy = (await client(1).get('/proof/keys')).text;
  const expectProved = async (n: number, session: string): Promise<void> => {
    const file = (await client(n).get(`/sessions/${session}/export`)).text;
    expect(verdictOf(file, { policy })).toMatchObject({ verdict: 'verified', level: 'signed' });
  };
  await Promise.all([0, 1, 2].map((n) => expectProved((n + 1) % 3, ended[n]!.session)));
  const sealing = [0, 1, 2].findLast((n) => /"lease":"sealer"[^\n]*does it now/.test(replica(n).output)) ?? 0;
  await replica(sealing).kill('SIGKILL');
  const others = [0, 1, 2].filter((n) => n !== sealing);
  const { session } = await client(others[0]!).runToEnd(message());
  await until(async () => {
    const file = (await client(others[1]!).get(`/sessions/${session}/export`)).text;
    return verdictOf(file, { policy }).level === 'signed';
  });
  await replica(sealing).launch();
  await expectProved(sealing, session);
});

describe('a replica that is frozen', () => {
  it('does no harm when it goes on after its runs were taken over', async () => {
    const { stream, message, gate } = await busyOn(0);
    replica(0).signal('SIGSTOP');
    await until(() => cluster.book.asksOf(message, 0) >= 2);
    gate.open();
    const elsewhere = await client(1).follow(`/runs/${stream.run}`);
    await elsewhere.closed();
    replica(0).signal('SIGCONT');
    await stream.closed();
    // What its client had seen before, then what the others wrote.
    expect(stream.ids).toEqual(elsewhere.ids);
    expect(textOf(stream)).toBe('first first then');
    expect(cluster.book.asksOf(message, 0)).toBe(2);
    expect((await client(0).runToEnd(named('afterwards'))).status).toBe('completed');
  });
});

it('a replica without the role api only says how it is, and does its part', async () => {
  const service = await cluster.prepare({ ROLES: 'projector,relay,clock' });
  // The PostgreSQL of the tests has connections for three replicas.
  await replica(2).kill('SIGTERM');
  try {
    await service.launch();
    // Not by the client, which holds answers against the description of the API.
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    const statusOf = async (path: string) => (await fetch(`${service.origin}${path}`, { headers })).status;
    expect(await Promise.all(['/healthz', '/readyz', '/runs', '/sessions'].map(statusOf))).toEqual([
      200, 200, 404, 404,
    ]);
  } finally {
    await service.dispose();
    await replica(2).launch();
  }
});
