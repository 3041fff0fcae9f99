import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ADMIN_KEY, type ServiceProcess } from '../service-process.js';

const NAME = { name: 'test', version: '1' };
const initOf = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });
const urlOf = (service: ServiceProcess): URL => new URL(`${service.origin}/mcp`);

/** Objects of the tests' own realm: ext-tasks takes those of another one, which Node's fetch makes, for no JSON. */
const fetchHere: typeof fetch = async (url, init) => {
  const response = await fetch(url, init);
  return Object.assign(response, { json: async () => JSON.parse(await response.text()) as unknown });
};

/** `@modelcontextprotocol/client` 2.4, which finds out by itself what a server speaks. */
export async function newClient(service: ServiceProcess, key = ADMIN_KEY): Promise<Client> {
  const client = new Client(NAME, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    new StreamableHTTPClientTransport(urlOf(service), { ...initOf(key), fetch: fetchHere }),
  );
  return client;
}

/** `@modelcontextprotocol/sdk` 1.32, of the revisions with a handshake. */
export async function oldClient(service: ServiceProcess, key = ADMIN_KEY): Promise<OldClient> {
  const client = new OldClient(NAME);
  await client.connect(new OldTransport(urlOf(service), initOf(key)));
  return client;
}
