import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { ServiceProcess } from '../support/service-process.js';

const run = promisify(execFile);
/** As in a shell that has none, where the tests give one. */
const WITHOUT_KEY = 'data:text/javascript,delete process.env.ANNALS_ADMIN_KEY';
const NO_KEY = { ANNALS_ADMIN_KEY: '' };

async function onFolder(test: (service: ServiceProcess) => Promise<void>): Promise<void> {
  const service = await ServiceProcess.prepare();
  try {
    await test(service);
  } finally {
    await service.dispose();
  }
}

describe('the first start', () => {
  it('says where the interface is described, and a command that works as it stands', () =>
    onFolder(async (service) => {
      await service.launch({ env: NO_KEY });
      expect(service.output).toContain(`"docs":"${service.origin}/docs"`);
      const [, command = ''] = /Try it:\n\n {2}(curl [^]*?)\n\n/.exec(service.output) ?? [];
      const { stdout } = await run('bash', ['-c', command]);
      expect(stdout).toContain('"type":"agent_completed"');
      const [, docs = ''] = /The interface: (\S+)\n/.exec(service.output) ?? [];
      expect((await fetch(docs)).headers.get('content-type')).toMatch(/^text\/html/);
    }));

  it('shows no key where its port is taken, and makes one when it is free', () =>
    onFolder(async (service) => {
      const other = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => other.once('listening', resolve));
      const { port } = other.address() as { port: number };
      const env = { ...NO_KEY, PORT: String(port) };
      service.spawn({ env });
      expect((await service.exited).code).toBe(1);
      expect(service.output).toMatch(/^HOST and PORT must be where this process can listen: EADDRINUSE$/m);
      expect(service.output).not.toContain('annals_');
      await new Promise((resolve) => other.close(resolve));
      await service.launch({ env });
      const key = /Bearer (annals_[\w-]+)/.exec(service.output)?.[1] ?? '';
      expect((await service.client(key).get('/runs')).status).toBe(200);
    }));

  it('says which variable was probably meant, and goes on', () =>
    onFolder(async (service) => {
      await service.launch({ env: { MAX_RUN: '5', LOGLEVEL: 'debug' } });
      const warned = service.output.split('\n').filter((line) => line.includes('"meant":'));
      expect(warned.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
        'LOGLEVEL is no setting: LOG_LEVEL was probably meant',
        'MAX_RUN is no setting: MAX_RUNS was probably meant',
      ]);
    }));
});

describe('a lost key', () => {
  it('is replaced by the recipe of docs/operations.md', () =>
    onFolder(async (service) => {
      await service.launch({ env: NO_KEY });
      const lost = /Bearer (annals_[\w-]+)/.exec(service.output)?.[1] ?? '';
      const { session } = await service.client(lost).runToEnd('What is 6 x 7?');
      await service.kill('SIGTERM');
      const page = readFileSync('docs/operations.md', 'utf8');
      const [, recipe = ''] = /^## A lost key\n[^]*?```sh run\n([^]*?)```/m.exec(page) ?? [];
      await run('bash', ['-c', recipe], { cwd: service.dataDir });
      const file = join(service.dataDir, '.env');
      const key = /^ANNALS_ADMIN_KEY=(annals_\w+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
      await service.launch({ env: { ENV_FILE: file }, imports: [WITHOUT_KEY] });
      expect(service.output).not.toContain(key);
      expect((await service.client(key).history(session)).length).toBeGreaterThan(1);
      expect((await service.client(lost).get('/runs')).status).toBe(401);
    }));
});

describe('a browser', () => {
  it('at the service itself is led to its page; nobody else is', () =>
    onFolder(async (service) => {
      await service.launch();
      const at = (accept: string, method = 'GET') =>
        fetch(`${service.origin}/?from=link`, { method, headers: { accept }, redirect: 'manual' });
      const led = await at('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');
      expect([led.status, led.headers.get('location'), led.headers.get('vary')]).toEqual([
        303,
        'console',
        'Accept',
      ]);
      expect((await at('text/html', 'HEAD')).status).toBe(303);
      for (const accept of ['*/*', 'application/json', 'text/event-stream', 'text/htmlx'])
        expect([accept, (await at(accept)).status]).toEqual([accept, 401]);
      expect((await at('text/html', 'POST')).status).toBe(401);
      expect((await service.client().get('/')).status).toBe(405);
    }));
});

describe('what leads to this machine', () => {
  it('is refused with the setting that lets it through', () =>
    onFolder(async (service) => {
      await service.launch();
      const client = service.client();
      const server = { serverName: 'shop', serverUrl: 'http://localhost:4100/mcp' };
      const connectionString = 'postgres://u:p@127.0.0.1:5432/shop';
      for (const [path, body] of [
        ['/', { message: 'x', callback: { url: 'http://127.0.0.1:4000/' } }],
        ['/', { message: 'x', mcp_servers: [server] }],
        ['/create-datastore', { name: 'shop', type: 'database', metadata: { connectionString } }],
      ] as const) {
        const { status, text } = await client.post(path, body);
        expect([status, text]).toEqual([400, expect.stringContaining('EGRESS_ALLOW')]);
      }
    }));
});
