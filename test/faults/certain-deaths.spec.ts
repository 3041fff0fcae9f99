import { afterEach, expect, it } from '@jest/globals';
import { Cluster } from '../support/cluster.js';
import { Gate, before, say } from '../support/scripted-model.js';
import type { ServiceProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

let cluster: Cluster | null = null;
afterEach(async () => {
  await cluster?.close();
  cluster = null;
});

async function open(replicas: number): Promise<{ cluster: Cluster; services: readonly ServiceProcess[] }> {
  cluster = await Cluster.open({ replicas });
  return { cluster, services: cluster.services };
}

const statusOf = async (service: ServiceProcess, run: string) =>
  (await service.client().get(`/runs/${run}`)).json<{ status: string; error: { code: string } | null }>();

/** A run in the middle of its first turn. */
async function busy({ book }: Cluster, service: ServiceProcess, more: object = {}) {
  const gate = new Gate();
  const message = book.on('busy', say('first ', before(gate), 'then'));
  const stream = await service.client().run({ message, streaming_tokens: true, ...more });
  await stream.untilType('agent_response');
  return { run: stream.run, message, gate };
}

it('the runs of a replica that was killed go on elsewhere without waiting for its silence', async () => {
  const { cluster, services } = await open(2);
  const [one, other] = services as [ServiceProcess, ServiceProcess];
  const { run, message, gate } = await busy(cluster, one);
  await one.kill('SIGKILL');
  await until(() => cluster.book.asksOf(message, 0) >= 2);
  gate.open();
  await until(async () => (await statusOf(other, run)).status === 'completed');
});

it('the only one that was killed goes on with its runs when it is back, and ends those whose servers are lost', async () => {
  const { cluster, services } = await open(1);
  const [service] = services as [ServiceProcess];
  const { run, message, gate } = await busy(cluster, service);
  const servers = { mcp_servers: [{ serverName: 'shop', serverUrl: 'http://127.0.0.1:9/mcp' }] };
  const lost = await busy(cluster, service, servers);
  await service.kill('SIGKILL');
  await service.launch();
  await until(() => cluster.book.asksOf(message, 0) >= 2);
  gate.open();
  lost.gate.open();
  await until(async () => (await statusOf(service, run)).status === 'completed');
  await until(async () => (await statusOf(service, lost.run)).status === 'failed');
  expect((await statusOf(service, lost.run)).error).toMatchObject({ code: 'tool_servers_lost' });
});
