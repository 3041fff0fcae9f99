import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { webhookSignature } from '#delivery';
import { ServiceProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) process.stderr.write('docs/examples/callback_receiver.py is not run: there is no python3\n');

let service: ServiceProcess;
beforeAll(async () => {
  const env = { EGRESS_ALLOW: '127.0.0.1', ANNALS_WEBHOOK_SECRET: SECRET };
  service = await ServiceProcess.start({ env });
});
afterAll(() => service.dispose());

describe.each([
  ['docs/examples/callback-receiver.ts', resolve('node_modules/.bin/node'), true],
  ['docs/examples/callback_receiver.py', 'python3', hasPython],
])('%s', (file, program, isThere) => {
  const when = isThere ? it : it.skip;
  let receiver: ChildProcess | null = null;
  let said = '';
  let url = '';

  beforeAll(async () => {
    if (!isThere) return;
    receiver = spawn(program, [file], {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], WEBHOOK_SECRET: SECRET, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    receiver.stdout!.setEncoding('utf8').on('data', (text: string) => (said += text));
    await until(() => said.includes('listening at'));
    url = /http:\S+/.exec(said)?.[0] ?? '';
  });
  afterAll(async () => {
    if (receiver === null) return;
    const gone = once(receiver, 'exit');
    receiver.kill();
    await gone;
  });

  when('takes the events of a run in their order', async () => {
    const client = service.client();
    const body = { message: 'What is 6 x 7?', background: true, callback: { url } };
    const { run_id: run } = (await client.post('/', body)).json<{ run_id: string }>();
    await until(() => said.includes('agent_completed'));
    const lines = said.split('\n').filter((line) => line.startsWith(run));
    expect(lines.map((line) => Number(line.split(' ')[1]))).toEqual(lines.map((_, i) => i + 1));
    expect(lines[0]).toMatch(/ 1 agent_started/);
    expect(lines.join('\n')).toContain('6 x 7 is 42');
  });

  when('goes on where a request breaks off', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.end('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"ty');
    socket.resume();
    await once(socket, 'close');
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
    expect(receiver?.exitCode).toBeNull();
  });

  when('refuses what is not signed with its secret, or long ago, and drops what it has', async () => {
    const now = Math.floor(Date.now() / 1000);
    const post = async (secret: string, time: number, sent = '{"type":"agent_started"}') => {
      const signature = webhookSignature(secret, 'dlv_1', time, '{"type":"agent_started"}');
      const headers = {
        'webhook-id': 'dlv_1',
        'webhook-timestamp': String(time),
        'webhook-signature': `v1,AAAA ${signature}`,
        'annals-run': 'run_of_the_test',
        'annals-sequence': '1',
      };
      return (await fetch(url, { method: 'POST', headers, body: sent })).status;
    };
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    expect(await post(other, now)).toBe(401);
    expect(await post(SECRET, now - 3_600)).toBe(401);
    expect(await post(SECRET, now, '{"type":"agent_completed"}')).toBe(401);
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
    expect(said).not.toContain('run_of_the_test');
    expect([await post(SECRET, now), await post(SECRET, now)]).toEqual([204, 204]);
    expect(said.match(/run_of_the_test 1 agent_started/g)).toHaveLength(1);
  });
});

/** Whoever knows that there is none could come in with it. */
it.each([
  ['callback-receiver.ts', 'WEBHOOK_SECRET'],
  ['approval-chat.ts', 'WEBHOOK_SECRET'],
  ['mcp-server.mjs', 'TOKEN'],
  ['mcp-server-2026.mjs', 'TOKEN'],
  ...(hasPython ? [['callback_receiver.py', 'WEBHOOK_SECRET'] as const] : []),
])('%s does not start without a secret', (file, name) => {
  const program = file.endsWith('.py') ? 'python3' : resolve('node_modules/.bin/node');
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], [name]: '', PORT: '0' };
  const { status, stderr } = spawnSync(program, [`docs/examples/${file}`], { env, timeout: 10_000 });
  expect([status, String(stderr)]).toEqual([1, expect.stringContaining(`${name} must be`)]);
});
