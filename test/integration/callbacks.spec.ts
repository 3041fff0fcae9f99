import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { CallbackReceiver } from '../support/callback-receiver.js';
import type { ServiceClient } from '../support/service-client.js';
import { ServiceProcess } from '../support/service-process.js';

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
  }, 60_000);
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
    expect((await client.post(`/runs/${run}/deliveries/dlv_x_1/resend`)).status).toBe(404);
  });
});
