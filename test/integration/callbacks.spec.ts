import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { CallbackReceiver } from '../support/callback-receiver.js';
import type { ServiceClient } from '../support/service-client.js';
import { ServiceProcess } from '../support/service-process.js';
import { until } from '../support/until.js';
import { quiet } from '../support/quiet.js';

interface Delivery {
  readonly delivery_id: string;
  readonly sequence: number;
  readonly type: string;
  readonly status: string;
  readonly attempts: number;
  readonly last_status: number | null;
  readonly next_attempt_at: string | null;
}

interface Accepted {
  readonly session: string;
  readonly run_id: string;
  readonly status: string;
  readonly task_ids: readonly string[];
}

describe('callbacks', () => {
  let service: ServiceProcess;
  let client: ServiceClient;
  let secret: string;
  let receiver: CallbackReceiver;
  beforeAll(async () => {
    service = await ServiceProcess.start({ env: { EGRESS_ALLOW: '127.0.0.1' } });
    const issued = await service.client().post('/api-keys', { name: 'k', scopes: ['run', 'read'] });
    const { key, webhook_secret } = issued.json<{ key: string; webhook_secret: string }>();
    secret = webhook_secret;
    client = service.client(key);
    receiver = await CallbackReceiver.start();
  });
  afterAll(async () => {
    await receiver.close();
    await service.dispose();
  });

  const start = async (more: object = {}): Promise<Accepted> => {
    const headers = { authorization: 'Bearer the-callers-own-token', 'X-Mark': 'a' };
    const callback = { url: receiver.url, headers };
    const body = { message: 'What is 6 x 7?', background: true, callback, ...more };
    const answer = await client.post('/', body);
    expect(answer.status).toBe(202);
    return answer.json<Accepted>();
  };
  const deliveries = (run: string): Promise<Delivery[]> => client.all<Delivery>(`/runs/${run}/deliveries`);

  it('brings every event in order, with the bytes that a client of the stream gets', async () => {
    const accepted = await start();
    expect(accepted).toEqual({
      session: accepted.session,
      run_id: accepted.run_id,
      status: 'queued',
      task_ids: [],
    });
    await receiver.ended(accepted.run_id);
    const received = receiver.of(accepted.run_id);
    const stream = await client.follow(`/runs/${accepted.run_id}`);
    await stream.closed();
    expect(received.map((r) => r.body)).toEqual(stream.records.map((r) => r.json));
    expect(received.map((r) => r.sequence)).toEqual(received.map((_, i) => i + 1));
    expect(new Set(received.map((r) => r.id)).size).toBe(received.length);
    for (const { headers } of received)
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        authorization: 'Bearer the-callers-own-token',
        'x-mark': 'a',
        'annals-run': accepted.run_id,
      });
  });

  it('signs as Standard Webhooks says, with the secret of the key that started the run', async () => {
    const { run_id: run } = await start();
    await receiver.ended(run);
    for (const { body, headers } of receiver.of(run))
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
  });

  it('lists deliveries in pages, and sends one again under the same id', async () => {
    const { run_id: run } = await start();
    await receiver.ended(run);
    const count = receiver.of(run).length;
    const page = (await client.get(`/runs/${run}/deliveries?limit=2`)).json<{
      items: Delivery[];
      next_cursor: string | null;
    }>();
    expect(page.items.map((d) => d.sequence)).toEqual([1, 2]);
    const all = await deliveries(run);
    expect(all.map((d) => d.sequence)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
    const [first] = all;
    const answer = await client.post(`/runs/${run}/deliveries/${first!.delivery_id}/resend`);
    expect(answer.status).toBe(202);
    await receiver.until((received) => received.filter((r) => r.run === run).length > count);
    const again = receiver.of(run).at(-1)!;
    expect(again.id).toBe(receiver.of(run)[0]!.id);
    expect(again.body).toBe(receiver.of(run)[0]!.body);
    const unknown = await client.post(`/runs/${run}/deliveries/dlv_x_1/resend`);
    expect([unknown.status, unknown.headers['location']]).toEqual([404, undefined]);
  });

  it('goes on where it was after a death in the middle: nothing missing, in order, under the same ids', async () => {
    const slow = await CallbackReceiver.start(async (_, response) => {
      await quiet(30);
      response.writeHead(200).end();
    });
    const callback = { url: slow.url };
    const { run_id: run } = await start({ callback, streaming_tokens: true });
    for (const count of [1, 3, 6]) {
      await slow.until((received) => received.length >= count);
      await service.restart();
    }
    await slow.ended(run);
    const stream = await client.follow(`/runs/${run}`);
    await stream.closed();
    const bodies = new Map<number, string>();
    let highest = 0;
    for (const { sequence, id, body } of slow.received) {
      expect(sequence).toBeLessThanOrEqual(highest + 1);
      highest = Math.max(highest, sequence);
      expect(bodies.get(sequence) ?? id + body).toBe(id + body);
      bodies.set(sequence, id + body);
    }
    expect(highest).toBe(stream.records.length);
    await slow.close();
  });

  it('lets a run complete whose receiver cannot be reached, and says so', async () => {
    const { run_id: run } = await start({ callback: { url: 'http://127.0.0.1:9/' } });
    const stream = await client.follow(`/runs/${run}`);
    await stream.closed();
    expect(stream.isOver).toBe(true);
    await until(async () => (await deliveries(run))[0]?.status === 'retrying');
    const [first, second] = await deliveries(run);
    expect(first).toMatchObject({ sequence: 1, last_status: null, type: 'agent_started' });
    expect(Date.parse(first?.next_attempt_at ?? '') - Date.now()).toBeLessThan(5000);
    expect(second).toMatchObject({ status: 'pending', attempts: 0 });
  });

  it('keeps URL and headers out of everything under the data folder', async () => {
    const url = `${receiver.url}?token=the-token-in-the-url`;
    const headers = { 'X-Secret': 'the-secret-in-a-header' };
    const { run_id: run } = await start({ callback: { url, headers } });
    await receiver.ended(run);
    await quiet(600);
    for (const secret of ['the-token-in-the-url', 'the-secret-in-a-header', 'the-callers-own-token'])
      expect(filesWith(service.dataDir, secret)).toEqual([]);
  });

  const bad: readonly (readonly [object, string])[] = [
    [{ callback: { url: 'ftp://example.org/' } }, 'callback.url'],
    [{ callback: { url: 'example.org' } }, 'callback.url'],
    [{ callback: { url: 'https://user:pass@example.org/' } }, 'callback.url'],
    [{ callback: { url: 'http://169.254.169.254/latest/' } }, 'callback.url'],
    [{ callback: { url: 'http://metadata.google.internal/' } }, 'callback.url'],
    [{ callback: { url: 'http://10.1.2.3/' } }, 'callback.url'],
    [{ callback: { url: 'http://[::1]/' } }, 'callback.url'],
    [{ callback: { url: 'http://2130706434/' } }, 'callback.url'],
    [{ callback: {} }, 'callback.url'],
    [
      { callback: { url: 'https://example.org/', headers: { 'X-A': 'a\r\nX-B: b' } } },
      'callback.headers.X-A',
    ],
    [{ callback: { url: 'https://example.org/', headers: { Host: 'x' } } }, 'callback.headers.Host'],
    [
      { callback: { url: 'https://example.org/', headers: { Connection: 'x' } } },
      'callback.headers.Connection',
    ],
    [{ schedules: [{ schedule: '61 * * * *', message: 'm' }] }, 'schedules[0].schedule'],
    [{ schedules: [{ schedule: '* * * * * *', message: 'm' }] }, 'schedules[0].schedule'],
    [{ schedules: [{ schedule: '2020-01-01', message: 'm' }] }, 'schedules[0].schedule'],
    [{ schedules: [{ schedule: -1, message: 'm' }] }, 'schedules[0].schedule'],
    [{ schedules: [{ schedule: 1.5, message: 'm' }] }, 'schedules[0].schedule'],
    [{ schedules: [{ schedule: 1e9, message: 'm' }] }, 'schedules[0].schedule'],
    [{ schedules: [{ schedule: null, message: 'm' }] }, 'schedules[0].schedule'],
    [{ schedules: [{ schedule: 60, message: '' }] }, 'schedules[0].message'],
    [
      {
        schedules: [
          { schedule: 60, message: 'm' },
          { schedule: '* * * * *', timezone: 'Mars', message: 'm' },
        ],
      },
      'schedules[1].timezone',
    ],
    [{ schedules: Array.from({ length: 101 }, () => ({ schedule: 60, message: 'm' })) }, 'schedules'],
  ];
  it.each(bad)('refuses %j, naming the field, and starts nothing', async (wrong, path) => {
    const before = (await client.all('/runs')).length;
    const answer = await client.post('/', { message: 'm', background: true, ...wrong });
    expect(answer.status).toBe(400);
    const { code, errors } = answer.json<{ code: string; errors: { path: string }[] }>();
    expect(code).toBe('invalid_request');
    expect(errors.map((error) => error.path)).toContain(path);
    expect(await client.all('/runs')).toHaveLength(before);
  });

  it('takes a hundred schedules with long messages, and answers a repeat without looking at the clock', async () => {
    const schedules = Array.from({ length: 100 }, (_, i) => ({
      schedule: 1 + i * 1000,
      message: `${i} `.repeat(2000),
    }));
    const body = {
      message: 'm',
      background: true,
      schedules: schedules.with(0, {
        schedule: new Date(Date.now() + 1500).toISOString(),
        message: 'm',
      } as never),
    };
    const options = { headers: { 'idempotency-key': 'a-key' } };
    const first = (await client.post('/', body, options)).json<Accepted>();
    expect(first.task_ids).toHaveLength(100);
    await quiet(1600);
    const again = await client.post('/', body, options);
    expect(again.status).toBe(202);
    expect(again.json<Accepted>().task_ids).toEqual(first.task_ids);
    const task = (await client.get(`/tasks/${first.task_ids[7]}`)).json<{ message: string }>();
    expect(task.message).toBe(schedules[7]?.message);
  });
});

function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}
