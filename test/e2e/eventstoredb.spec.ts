import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { EsdbServer } from '../support/esdb-server/esdb-server.js';
import { type Answer, ServiceClient } from '../support/service-client.js';
import { ADMIN_KEY, ServiceProcess } from '../support/service-process.js';
import { until } from '../support/until.js';
import { freePort } from '../support/free-port.js';

/** The service on an EventStoreDB (the protocol server) that comes late, goes, and comes back. */

const FAIL_IN_THREAD = resolve('test/e2e/hooks/fail-in-thread.ts');
let end: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of end.reverse()) await close();
  end = [];
});

/** The first answer that is as it should be. A port that nobody listens on is no answer. */
async function answers(
  client: ServiceClient,
  path: string,
  status: number,
  isMeant: (answer: Answer) => boolean = () => true,
): Promise<Answer> {
  const seen: (Answer | null)[] = [];
  await until(
    async () => {
      const answer = await client.get(path).catch(() => null);
      seen.push(answer);
      return answer !== null && answer.status === status && isMeant(answer);
    },
    () => ({ path, last: seen.at(-1) }),
  );
  const answer = seen.at(-1);
  if (!answer) throw new Error(`no answer of ${path}`);
  return answer;
}

const logOf = (answer: Answer) => answer.json<{ checks: { log: { status: string } } }>().checks.log;
const isLogFailing = (answer: Answer): boolean => logOf(answer).status === 'failing';

describe('with EVENTSTORE_URL', () => {
  it('readyz says that the server is missing; it is waited for, lost and found again without a restart', async () => {
    const [port, serverPort] = [await freePort(), await freePort()];
    const service = await ServiceProcess.prepare({
      env: {
        HOST: '127.0.0.1',
        PORT: String(port),
        EVENTSTORE_URL: `esdb://annals:hunter2@127.0.0.1:${serverPort}?tls=false`,
        ANNALS_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      },
    });
    end.push(() => service.dispose());
    const client = new ServiceClient(() => `http://127.0.0.1:${port}`, ADMIN_KEY);
    service.spawn();

    const missing = {
      status: 'failing',
      detail: expect.stringContaining(`waiting for EventStoreDB at 127.0.0.1:${serverPort}: `),
    };
    expect(logOf(await answers(client, '/readyz', 503))).toEqual(missing);
    const { checks } = (await client.get('/readyz')).json<{ checks: object }>();
    expect(Object.keys(checks)).toEqual(['log', 'database', 'projections']);
    expect((await client.get('/healthz')).json()).toEqual({ status: 'ok' });
    const refused = await client.post('/', { message: 'hello' });
    expect(refused.status).toBe(503);
    expect(refused.json()).toMatchObject({ code: 'log_unavailable', status: 503 });

    const server = await EsdbServer.start({ port: serverPort });
    end.push(() => server.stop());
    await answers(client, '/readyz', 200);
    const { session } = await client.runToEnd('before');

    server.stop();
    expect(logOf(await answers(client, '/readyz', 503, isLogFailing))).toMatchObject({
      status: 'failing',
      detail: expect.stringContaining(`:${serverPort}`),
    });
    expect((await client.post('/', { message: 'meanwhile' })).json()).toMatchObject({
      code: 'log_unavailable',
    });
    expect(server.store.all.map(({ data }) => Buffer.from(data).toString()).join()).not.toContain(
      'meanwhile',
    );

    await server.start();
    await answers(client, '/readyz', 200);
    expect(await client.runToEnd('after', { session })).toMatchObject({ status: 'completed' });
    const history = await client.history(session);
    expect(history.filter(({ type }) => type === 'user_message').map(({ content }) => content)).toEqual([
      'before',
      'after',
    ]);
    expect(service.output).toContain('waiting for EventStoreDB');
    expect(service.output).not.toContain('hunter2');
    expect(await service.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('a bug in the thread of the log ends the process, which says so; the next one goes on with what was stored', async () => {
    const server = await EsdbServer.start();
    end.push(() => server.stop());
    const service = await ServiceProcess.start({
      env: { EVENTSTORE_URL: server.url, ANNALS_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') },
    });
    end.push(() => service.dispose());
    const client = service.client();
    const { session } = await client.runToEnd('before');

    await service.restart('SIGTERM', { imports: [FAIL_IN_THREAD], env: { FAIL_AT: 'agent_completed' } });
    // Whoever waits for its end is cut off.
    await client.run('the last words', { session }).then(
      (stream) => stream.closed(),
      () => undefined,
    );
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(service.output).toContain('the thread of EventStoreDB ended: a bug of the thread');

    await service.launch();
    const { items } = (await client.get(`/runs?session=${session}`)).json<{ items: { run_id: string }[] }>();
    for (const { run_id } of items)
      await answers(client, `/runs/${run_id}`, 200, (answer) => answer.json()['status'] === 'completed');
    const asked = (await client.history(session)).filter(({ type }) => type === 'user_message');
    expect(asked.map(({ content }) => content)).toEqual(['before', 'the last words']);
  });
});
