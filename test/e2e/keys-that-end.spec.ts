import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CallbackReceiver } from '../support/callback-receiver.js';
import { Gate, before, say } from '../support/scripted-model.js';
import type { ServiceClient } from '../support/service-client.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';
import { quiet } from '../support/quiet.js';

interface Key extends ServiceClient {
  readonly id: string;
  readonly secret: string;
}
interface Task {
  readonly task_id: string;
  readonly status: string;
  readonly next_run_at: string | null;
}

let stage: Stage;
let receiver: CallbackReceiver;
beforeAll(async () => {
  receiver = await CallbackReceiver.start();
  stage = await Stage.open({ env: { EGRESS_ALLOW: '127.0.0.1' } });
});
afterAll(async () => {
  await stage.close();
  await receiver.close();
});

async function keyFor(scopes: readonly string[], more: object = {}): Promise<Key> {
  const answer = await stage.client.post('/api-keys', { name: 'ends', scopes, ...more });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  const { id, key, webhook_secret: secret } = answer.json<Record<string, string>>();
  return Object.assign(stage.client.with(key ?? ''), { id: id ?? '', secret: secret ?? '' });
}

async function revoke({ id }: Key, query = ''): Promise<void> {
  expect((await stage.client.call('DELETE', `/api-keys/${id}${query}`)).status).toBe(204);
}

/** A message whose run says something and then waits. */
function waiting(name: string): { message: string; gate: Gate } {
  const gate = new Gate();
  return { gate, message: stage.book.on(stage.message(name), say('first ', before(gate), 'then')) };
}

const taskOf = async (id: string): Promise<Task> => (await stage.client.get(`/tasks/${id}`)).json<Task>();

/** Schedules in the project of the first admin key, which looks on. */
async function schedule(key: Key, ...schedules: readonly object[]): Promise<readonly string[]> {
  const body = { message: stage.message('schedules'), background: true, schedules };
  const answer = await key.post('/', body);
  expect(answer.status).toBe(202);
  return answer.json<{ task_ids: string[] }>().task_ids;
}

const EVERY_MINUTE = { schedule: '* * * * *', message: 'tick' };

describe('a revoked key', () => {
  it('is shown nothing more: event streams, waiting answers and later requests end', async () => {
    const key = await keyFor(['run', 'read']);
    const { message, gate } = waiting('revoked');
    const run = await key.run({ message, streaming_tokens: true });
    await run.untilType('agent_response');
    const [ofRun, ofSession] = [
      await key.follow(`/runs/${run.run}`),
      await key.follow(`/sessions/${run.session}`),
    ];
    await ofRun.untilType('agent_response');
    const other = waiting('waits');
    const waits = key.post('/', { message: other.message }, { headers: { accept: 'application/json' } });
    await until(() => stage.book.asksOf(other.message, 0) > 0);
    const elsewhere = await stage.client.follow(`/runs/${run.run}`);
    await elsewhere.untilType('agent_response');
    await revoke(key);
    for (const stream of [run, ofRun, ofSession]) {
      await stream.closed();
      expect(stream.isOver).toBe(false);
      expect(stream.lines.at(-1)).toBe('agent_response first ');
    }
    expect((await waits).status).toBe(401);
    expect((await key.get('/runs')).status).toBe(401);
    // Its runs go on, and so do the streams of others.
    gate.open();
    other.gate.open();
    await elsewhere.closed();
    expect(elsewhere.lines.at(-1)).toBe('agent_completed');
  });

  it('gets no further byte of a long answer that it reads slowly', async () => {
    const key = await keyFor(['run', 'read']);
    const long = stage.book.on(stage.message('long'), say('x'.repeat(4_000_000)));
    // More than the buffers of a connection hold.
    const { session } = await key.runToEnd(long);
    for (let more = 0; more < 4; more++) await key.runToEnd(long, { session });
    const socket = key.socket();
    socket.on('error', () => undefined);
    socket.pause();
    const head = key.head(
      'POST',
      `/get-messages?session=${session}`,
      'Content-Length: 0',
      'Connection: close',
    );
    socket.write(`${head}\r\n\r\n`);
    await once(socket, 'readable');
    await revoke(key);
    // Reads nothing until the service has cut it off, which takes a second.
    await quiet(1_500);
    let bytes = 0;
    socket.on('data', (chunk) => void (bytes += chunk.length));
    socket.resume();
    await once(socket, 'close');
    expect(bytes).toBeLessThan(20_000_000);
  });

  it('may be the one that revokes itself, and is answered', async () => {
    const key = await keyFor(['admin']);
    expect((await key.call('DELETE', `/api-keys/${key.id}`)).status).toBe(204);
    expect((await key.get('/api-keys')).status).toBe(401);
  });

  it('has its tasks paused, and no others; whoever resumes one takes it over', async () => {
    const [key, other] = [await keyFor(['run']), await keyFor(['run'])];
    const [cron = '', far = ''] = await schedule(key, EVERY_MINUTE, { schedule: '2100-01-01', message: 'x' });
    const [others = ''] = await schedule(other, EVERY_MINUTE);
    await revoke(key);
    expect([(await taskOf(cron)).status, (await taskOf(far)).status]).toEqual(['paused', 'paused']);
    expect((await taskOf(cron)).next_run_at).toBeNull();
    expect((await taskOf(others)).status).toBe('scheduled');
    expect((await other.post(`/tasks/${cron}/resume`)).json<Task>().status).toBe('scheduled');
    await stage.service.restart('SIGKILL');
    // What looks for tasks of ended keys by itself has done so by then.
    await quiet(3_000);
    expect([(await taskOf(cron)).status, (await taskOf(far)).status]).toEqual(['scheduled', 'paused']);
    await revoke(other);
    expect([(await taskOf(cron)).status, (await taskOf(others)).status]).toEqual(['paused', 'paused']);
  });

  it('keeps its tasks where that is asked for', async () => {
    const key = await keyFor(['run']);
    const [soon = '', cron = ''] = await schedule(key, { schedule: 2, message: 'soon' }, EVERY_MINUTE);
    expect((await stage.client.call('DELETE', `/api-keys/${key.id}?tasks=some`)).status).toBe(400);
    await revoke(key, '?tasks=keep');
    expect((await taskOf(cron)).status).toBe('scheduled');
    await until(async () => (await taskOf(soon)).status === 'finished');
    expect((await taskOf(cron)).status).toBe('scheduled');
  });

  it('has the deliveries of its runs go on, signed as before', async () => {
    const key = await keyFor(['run']);
    const { message, gate } = waiting('called back');
    const body = { message, background: true, callback: { url: receiver.url } };
    const { run_id } = (await key.post('/', body)).json<{ run_id: string }>();
    await until(() => stage.book.asksOf(message, 0) > 0);
    await revoke(key);
    // Longer than an opened secret is kept.
    await quiet(1_200);
    gate.open();
    const of = () => receiver.received.filter(({ run }) => run === run_id);
    await until(() => of().some((one) => one.body.includes('agent_completed')));
    for (const { headers } of of()) expect(headers['webhook-signature']).toMatch(/^v1,/);
  });
});

describe('a key with an end', () => {
  it('is refused from then on, its streams end, its tasks are paused', async () => {
    const expires = new Date(Date.now() + 3_000).toISOString();
    const key = await keyFor(['run', 'read'], { expires_at: expires });
    const [task = ''] = await schedule(key, { schedule: 5, message: 'too late' });
    const { message, gate } = waiting('expires');
    const run = await key.run({ message, streaming_tokens: true });
    await run.untilType('agent_response');
    expect((await key.get('/runs')).status).toBe(200);
    await run.closed();
    expect(run.isOver).toBe(false);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires));
    expect((await key.get('/runs')).status).toBe(401);
    gate.open();
    await until(async () => (await taskOf(task)).status !== 'scheduled');
    expect((await taskOf(task)).status).toBe('paused');
    const listed = await stage.client.all<Record<string, unknown>>('/api-keys');
    expect(listed.find(({ id }) => id === key.id)).toMatchObject({ expires_at: expires });
  });
});

describe('the list of keys', () => {
  it('says to the hour when one was last used, also after a restart', async () => {
    const [used, unused] = [await keyFor(['read']), await keyFor(['read'])];
    await used.get('/runs');
    const shown = async () => {
      const keys = await stage.client.all<{ id: string; last_used_at: string | null }>('/api-keys');
      return [used, unused].map(({ id }) => keys.find((key) => key.id === id)?.last_used_at);
    };
    const hour = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/);
    expect(await shown()).toEqual([hour, null]);
    // Uses of a second are kept together.
    await quiet(1_500);
    await stage.service.restart('SIGKILL');
    expect(await shown()).toEqual([hour, null]);
  });
});
