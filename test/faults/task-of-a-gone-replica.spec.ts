import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Cluster } from '../support/cluster.js';
import { TaskServer, completed } from '../support/mcp-servers/task-server.js';
import { call, say } from '../support/scripted-turn.js';
import { until } from '../support/until.js';

interface ActionView {
  readonly action_id: string;
  readonly kind: string;
}
interface RunView {
  readonly run_id: string;
  readonly status: string;
  readonly error?: unknown;
}

let server: TaskServer;
let cluster: Cluster;
beforeAll(async () => {
  server = await TaskServer.start();
  cluster = await Cluster.open({ replicas: 2, env: { EGRESS_ALLOW: '127.0.0.1' } });
});
afterAll(async () => {
  await cluster.close();
  await server.close();
});

it('a run left to its tool server asks for its servers on another replica when its own is gone, and calls nothing again', async () => {
  const [first, second] = cluster.services;
  const client = second!.client();
  cluster.book.find = () => [{ steps: call(0, 'call_0', 'dig', {}) }, say('Done.')];
  const body = { message: 'dig', background: true, mcp_servers: [server.entry] };
  const { run_id: id } = (await first!.client().post('/', body)).json<RunView>();
  const run = async (): Promise<RunView> => (await client.get(`/runs/${id}`)).json<RunView>();
  await until(async () => (await run()).status === 'waiting');
  await first!.kill('SIGKILL');
  let action: ActionView | undefined;
  await until(async () => {
    [action] = await client.all<ActionView>('/actions');
    return action !== undefined;
  });
  expect(action?.kind).toBe('tool_servers');
  server.answerOf = () => completed('gold');
  const supplied = { decision: 'supply', mcp_servers: [server.entry] };
  expect((await client.post(`/actions/${action!.action_id}/resolve`, supplied)).status).toBe(200);
  await until(async () => ['completed', 'failed'].includes((await run()).status));
  expect(await run()).toMatchObject({ status: 'completed', error: null });
  expect(server.calls).toHaveLength(1);
});
