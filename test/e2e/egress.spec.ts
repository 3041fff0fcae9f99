import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EgressGuard } from '#platform';
import { readEgressAllow } from '../../libs/platform/src/egress/allow-list.js';
import { egressTricks } from '../support/egress-tricks.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

/** The one address of this machine that the operator allows. */
const ALLOWED = '127.0.0.77';

let stage: Stage;
/** It listens on every address of this machine, and leads whoever comes to 127.0.0.1. */
let canary: Server;
let port: number;
/** To which address each connection came, and what was asked there. */
const connections: string[] = [];
const asked: string[] = [];

beforeAll(async () => {
  canary = createServer((request, response) => {
    asked.push(`${request.method} ${request.headers.host}`);
    response.writeHead(307, { location: `http://127.0.0.1:${port}/inside` }).end();
  });
  canary.on('connection', ({ localAddress = '' }) => connections.push(localAddress.replace('::ffff:', '')));
  canary.listen(0, '::');
  await once(canary, 'listening').catch(async () => {
    // A machine without IPv6.
    canary.listen(0, '0.0.0.0');
    await once(canary, 'listening');
  });
  ({ port } = canary.address() as AddressInfo);
  stage = await Stage.open({ env: { EGRESS_ALLOW: `${ALLOWED}/32` } });
});
afterAll(async () => {
  await stage.close();
  canary.closeAllConnections();
  canary.close();
});

/** What of a caller's leads out of the service, and the field in which it stands. */
const WAYS: readonly (readonly [string, string, (host: string) => object])[] = [
  ['/', 'callback.url', (host) => ({ message: 'm', callback: { url: `http://${host}:${port}/` } })],
  [
    '/',
    'mcp_servers[0].serverUrl',
    (host) => ({ message: 'm', mcp_servers: [{ serverName: 's', serverUrl: `http://${host}:${port}/mcp` }] }),
  ],
  [
    '/',
    'mcpServers[0].serverUrl',
    (host) => ({ message: 'm', mcpServers: [{ serverName: 's', serverUrl: `http://${host}:${port}/mcp` }] }),
  ],
  ...['postgres', 'mysql'].map(
    (scheme) =>
      [
        '/create-datastore',
        'metadata.connectionString',
        (host: string) => ({
          name: 'd',
          type: 'database',
          metadata: { connectionString: `${scheme}://user:pw@${host.split('@').at(-1)}:${port}/db` },
        }),
      ] as const,
  ),
];

describe('a request that leads inside', () => {
  it(`is 400 and reaches nobody, by any of ${egressTricks.length} spellings, by each way out`, async () => {
    const wrong: string[] = [];
    for (const [what, host] of egressTricks)
      for (const [path, field, bodyOf] of WAYS) {
        const { status, text } = await stage.client.post(path, bodyOf(host));
        const isRight = status === 400 && text.includes(`"path":"${field}"`);
        if (!isRight) wrong.push(`${what}: ${host} as ${field}: ${status} ${text.slice(0, 300)}`);
      }
    expect(wrong).toEqual([]);
    expect(await stage.client.all('/runs')).toEqual([]);
    expect(await stage.client.all('/datastores')).toEqual([]);
    expect(connections).toEqual([]);
  });

  it('is taken where the operator allows it, and a redirect leads no further', async () => {
    const [callback, mcp] = WAYS.slice(0, 2).map(([, , bodyOf]) => bodyOf(ALLOWED));
    const { run_id } = await stage.client.runToEnd({ ...callback, ...mcp, message: stage.message('out') });
    const deliveries = async () =>
      await stage.client.all<{ status: string; last_status: number | null }>(`/runs/${run_id}/deliveries`);
    await until(async () => (await deliveries())[0]?.last_status === 307);
    expect(asked).toEqual(expect.arrayContaining([`POST ${ALLOWED}:${port}`]));
    expect(new Set(connections)).toEqual(new Set([ALLOWED]));
  });
});

describe('the guard itself', () => {
  const guard = new EgressGuard(readEgressAllow(''), {
    // Names that are not forbidden as such lead to a public address here.
    resolve: () => Promise.resolve([{ address: '93.184.215.14', family: 4 }]),
  });

  it.each(egressTricks)('refuses what is %s: %s', async (_, host) => {
    expect((await guard.checkUrl(`http://${host}/`)).kind).toBe('refused');
  });

  it.each(['example.com', '1.1.1.1', '[2606:4700::1111]', 'localhost.example.com', '127.0.0.1.example.com'])(
    'lets %s pass',
    async (host) => {
      expect((await guard.checkUrl(`http://${host}/`)).kind).toBe('allowed');
    },
  );
});
