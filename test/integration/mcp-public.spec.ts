import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { McpServerConfig } from '#agent';
import { McpRun } from '../support/mcp-servers/mcp-run.js';
import { type StdioBridge, bridgeStdio } from '../support/mcp-servers/stdio-bridge.js';
import { freePort } from '../support/free-port.js';
import { quiet } from '../support/quiet.js';

const entry = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const processes: ChildProcess[] = [];
const runs: McpRun[] = [];
const connect = async (...servers: McpServerConfig[]) => {
  const run = await McpRun.open(servers);
  runs.push(run);
  return run;
};

async function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  const port = await freePort();
  const child = spawn(process.execPath, args, { env: { ...process.env, PORT: String(port), ...env } });
  processes.push(child);
  await new Promise<void>((resolve, reject) => {
    const listening = (bytes: Buffer) => /listening|running/i.test(bytes.toString()) && resolve();
    child.stdout.on('data', listening);
    child.stderr.on('data', listening);
    child.once('exit', (code) => reject(new Error(`it ended with ${code}`)));
  });
  return port;
}

afterEach(async () => {
  for (const run of runs.splice(0)) await run.close();
});
// One that still runs would keep the worker of these tests alive.
afterAll(async () => {
  for (const child of processes) {
    const gone = once(child, 'close');
    if (child.kill('SIGKILL')) await gone;
  }
});

const KINDS = ['streamableHttp', 'sse', 'stdio'] as const;

describe.each(KINDS)('the public reference server over %s', (kind) => {
  let server: McpServerConfig;
  let bridge: StdioBridge | undefined;
  beforeAll(async () => {
    if (kind === 'stdio') bridge = await bridgeStdio(process.execPath, [entry, 'stdio']);
    const path = kind === 'sse' ? 'sse' : 'mcp';
    const serverUrl = bridge?.url ?? `http://127.0.0.1:${await start([entry, kind])}/${path}`;
    server = { serverName: 'everything', serverUrl };
  });
  afterAll(() => bridge?.close());

  test('offers its tools', async () => {
    const run = await connect(server);
    expect(run.notices).toEqual([
      'Tools of the tool server "everything" are not available, because they can be called as tasks only: simulate-research-query.',
    ]);
    expect(run.names).toEqual(
      expect.arrayContaining(['echo', 'get-sum', 'get-tiny-image', 'trigger-long-running-operation']),
    );
    for (const { definition } of run.mcp.tools) {
      expect(definition.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(definition.parameters).toMatchObject({ type: 'object' });
    }
  });

  test('answers with text, images, structure, resources and links', async () => {
    const run = await connect(server);
    const [echo, sum, image, structured, links, resource] = await Promise.all([
      run.call('echo', { message: 'hello' }),
      run.call('get-sum', { a: 2, b: 40 }),
      run.call('get-tiny-image'),
      run.call('get-structured-content', { location: 'Chicago' }),
      run.call('get-resource-links', { count: 2 }),
      run.call('get-resource-reference', { resourceType: 'Text', resourceId: 1 }),
    ]);
    expect(echo).toEqual({ content: 'Echo: hello' });
    expect(sum.content).toContain('42');
    expect(image.content).toMatch(/\[image, image\/png, \d+ bytes, file_[0-9a-f]{24}\]/);
    expect(image.content.length).toBeLessThan(500);
    expect(JSON.parse(structured.content)).toHaveProperty('temperature');
    expect(links.content).toMatch(/\[resource \S+ ".+", \S+/);
    expect(resource.content).toMatch(/\[resource \S+, text\/plain\]\n/);
  });

  test('works for long, with progress, and stops when it is told to', async () => {
    const run = await connect(server);
    const done = await run.call('trigger-long-running-operation', { duration: 0.3, steps: 3 });
    expect(done.content).toContain('completed');
    const stop = new AbortController();
    const call = run.call('trigger-long-running-operation', { duration: 20, steps: 2 }, stop.signal);
    void quiet(50).then(() => stop.abort(new Error('enough')));
    await expect(call).rejects.toThrow('enough');
  });

  test('says what is wrong with arguments', async () => {
    const run = await connect(server);
    const outcome = await run.call('get-sum', { a: 'two' });
    expect(outcome.isError).toBe(true);
    expect(outcome.content).toMatch(/invalid|expected/i);
  });
});

test('two of them are told apart', async () => {
  const port = await start([entry, 'streamableHttp']);
  const serverUrl = `http://127.0.0.1:${port}/mcp`;
  const run = await connect({ serverName: 'one', serverUrl }, { serverName: 'two', serverUrl });
  expect(run.names).toEqual(expect.arrayContaining(['one_echo', 'two_echo']));
  expect(await run.call('two_echo', { message: 'hi' })).toEqual({ content: 'Echo: hi' });
});

test('the server of the documentation does what is said there', async () => {
  const page = readFileSync('docs/mcp.md', 'utf8');
  const command = /^TOKEN=(\S+) PORT=\d+ node (\S+)$/m.exec(page);
  const body = JSON.parse(/```json\n([^]*?)```/.exec(page)?.[1] ?? '') as { mcp_servers: McpServerConfig[] };
  const port = await start([command?.[2] ?? ''], { TOKEN: command?.[1] });
  const servers = body.mcp_servers.map((each) => ({
    ...each,
    serverUrl: each.serverUrl.replace('4100', String(port)),
  }));
  const run = await connect(...servers);
  expect(run.mcp.tools.map((t) => [t.definition.name, t.isRepeatable])).toEqual([
    ['sell', false],
    ['stock_of', true],
  ]);
  expect(await run.call('sell', { product: 'apple', pieces: 2 })).toEqual({ content: '10 left' });
  expect(await run.call('stock_of', { product: 'apple' })).toEqual({ content: '10' });
});
