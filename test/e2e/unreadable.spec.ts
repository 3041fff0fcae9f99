import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CallbackReceiver, answers } from '../support/callback-receiver.js';
import { damageEvents, loseKey } from '../support/damaged-log.js';
import type { ServiceClient } from '../support/service-client.js';
import { ServiceProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

const unreadable = (type: string, session: string): string =>
  `{"type":"${type}","session":"${session}","unreadable":true}`;

let service: ServiceProcess;
let client: ServiceClient;
let receiver: CallbackReceiver;
beforeAll(async () => {
  service = await ServiceProcess.start({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  client = service.client();
});
afterAll(() => service.dispose());
afterEach(() => receiver?.close().catch(() => undefined));

const counted = async (): Promise<number> => {
  const { text } = await client.get('/metrics');
  return Number(/^annals_events_unreadable_total(?:\{[^}]*\})? (\d+)$/m.exec(text)?.[1]);
};
const linesSaying = (words: string): number =>
  service.output.split('\n').filter((l) => l.includes(words)).length;

/** Everything that reads a session says the same of it, and comes to an end. */
async function expectTold(session: string, run: string, types: readonly string[]): Promise<void> {
  const stream = await client.follow(`/runs/${run}`);
  await stream.closed();
  const told = stream.records.map(({ json }) => json);
  for (const type of types) expect(told).toContain(unreadable(type, session));
  expect(told.filter((json) => json.includes('unreadable'))).toHaveLength(
    stream.records.filter(({ event }) => types.includes(event.type)).length,
  );
  for (const path of [`/runs/${run}/events`, `/sessions/${session}/events`]) {
    const page = await client.get(`${path}?limit=200`, { headers: { accept: 'application/json' } });
    const items = page.json<{ items: { id: string; data: object }[] }>().items;
    const here = items
      .filter(({ id }) => stream.ids.includes(Number(id)))
      .map(({ data }) => JSON.stringify(data));
    expect(here).toEqual(told);
  }
  // A client that comes back behind the last of them is told that nothing follows.
  expect((await client.follow(`/runs/${run}`, stream.ids.at(-1))).status).toBe(204);
}

describe('events whose data were damaged', () => {
  it('are told as such by SSE, pages and history, and the session goes on', async () => {
    const { session, run_id } = await client.runToEnd('What is 6 x 7?');
    await service.kill('SIGTERM');
    expect(damageEvents(service.dataDir, session, ['agent_response', 'agent_cost'])).toBeGreaterThan(1);
    const before = linesSaying('an event cannot be read');
    await service.launch();
    await expectTold(session, run_id, ['agent_response', 'agent_cost']);
    await expectTold(session, run_id, ['agent_response', 'agent_cost']);

    const history = await client.history(session);
    expect(history[0]).toEqual({ type: 'user_message', content: 'What is 6 x 7?' });
    const next = await client.runToEnd('What is 6 x 8?', { session });
    expect(next).toMatchObject({ status: 'completed', response: expect.stringContaining('48') });
    expect((await client.history(session)).at(-1)?.content).toContain('48');
    expect((await client.get(`/runs/${run_id}`)).json()).toMatchObject({ status: 'completed' });

    const count = await counted();
    expect(count).toBeGreaterThanOrEqual(2);
    expect(linesSaying('an event cannot be read') - before).toBe(count);
    expect(service.output).not.toContain('6 x 7');
  });

  it('end a run that cannot be read, and the next one has its turn', async () => {
    const { session, run, next } = await interrupted();
    expect(damageEvents(service.dataDir, session, ['run_requested'])).toBe(2);
    await service.launch();
    for (const id of [run, next]) {
      await until(
        async () => (await client.get(`/runs/${id}`)).json()['status'] === 'failed',
        async () => (await client.get(`/runs/${id}`)).text,
      );
      const { error } = (await client.get(`/runs/${id}`)).json();
      expect(error).toMatchObject({ code: 'internal', retryable: false });
    }
    expect((await client.runToEnd('What is 6 x 9?', { session })).response).toContain('54');
  });

  it('go to callbacks as what they are, signed and once', async () => {
    receiver = await CallbackReceiver.start(answers(503));
    const body = { message: 'What is 7 x 7?', background: true, callback: { url: receiver.url } };
    const { session, run_id } = (await client.post('/', body)).json<{ session: string; run_id: string }>();
    await (await client.follow(`/runs/${run_id}`)).closed();
    await receiver.until((all) => all.length > 0);
    await service.kill('SIGTERM');
    expect(damageEvents(service.dataDir, session, ['agent_response', 'agent_step'])).toBeGreaterThan(1);
    receiver.received.length = 0;
    receiver.react = answers(204);
    await service.launch();
    await receiver.ended(run_id);
    const sent = receiver.of(run_id);
    expect(sent.map(({ sequence }) => sequence)).toEqual(sent.map((_, i) => i + 1));
    for (const type of ['agent_response', 'agent_step'])
      expect(sent.map((request) => request.body)).toContain(unreadable(type, session));
    for (const { headers } of sent) expect(headers['webhook-signature']).toMatch(/^v1,/);
  });
});

describe('a session whose key is lost', () => {
  it('is told event by event, keeps nobody waiting, and takes nothing new', async () => {
    const { session, run_id } = await client.runToEnd('What is 8 x 8?');
    const other = await client.runToEnd('What is 8 x 9?');
    await service.kill('SIGTERM');
    loseKey(service.dataDir, session);
    await service.launch();
    const stream = await client.follow(`/runs/${run_id}`);
    await stream.closed();
    expect(stream.records.at(-1)?.json).toBe(unreadable('agent_completed', session));
    expect(stream.records.every(({ json }) => json.endsWith('"unreadable":true}'))).toBe(true);
    // What cannot be sealed is not begun.
    expect((await client.post(`/?session=${session}`, { message: 'and now?' })).status).toBe(503);
    const again = await client.runToEnd('What is 8 x 7?', { session: other.session });
    expect(again.response).toContain('56');
  });
});

/** A session with a run under way and one that waits, of a service that was killed. */
async function interrupted(): Promise<{ session: string; run: string; next: string }> {
  const first = await client.run({
    message: 'Count for a long time. '.repeat(2_000),
    streaming_tokens: true,
  });
  await until(() => first.records.length > 2);
  const session = first.session;
  const answer = await client.post(`/?session=${session}`, { message: 'and then?', background: true });
  await service.kill('SIGKILL');
  return { session, run: first.run, next: answer.json<{ run_id: string }>().run_id };
}
