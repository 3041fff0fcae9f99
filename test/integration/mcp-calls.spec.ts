import { afterEach, describe, expect, test } from '@jest/globals';
import type { McpPorts } from '#mcp';
import { type FixtureOptions, McpFixture, text } from '../support/mcp-servers/mcp-fixture.js';
import { McpRun, at } from '../support/mcp-servers/mcp-run.js';
import { Gate } from '../support/scripted-turn.js';
import { quiet } from '../support/quiet.js';

const open: { close(): Promise<void> }[] = [];
const connect = async (options: FixtureOptions, ports: Partial<McpPorts> = {}) => {
  const server = await McpFixture.start(options);
  open.push(server);
  const run = await McpRun.open([at(server)], ports);
  open.push(run);
  return { server, run };
};
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const UNKNOWN = /outcome (is )?unknown/i;
const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

describe.each(['modern', 'streamable', 'sse'] as const)('calls over %s', (wire) => {
  test('run at the same time', async () => {
    const [a, b] = [new Gate(), new Gate()];
    const { run } = await connect({
      wire,
      tools: [
        { name: 'a', run: () => b.arrive().then(() => text('a')) },
        { name: 'b', run: () => a.arrive().then(() => text('b')) },
      ],
    });
    const calls = Promise.all([run.call('a'), run.call('b')]);
    await Promise.all([a.reached, b.reached]);
    a.open();
    b.open();
    expect(await calls).toEqual([{ content: 'a' }, { content: 'b' }]);
  });

  test('are cancelled at the server when the run is, even if it closes at once', async () => {
    const { server, run } = await connect({
      wire,
      tools: [{ name: 'wait', run: ({ signal }) => untilAborted(signal).then(() => text('late')) }],
    });
    const stop = new AbortController();
    const call = run.call('wait', {}, stop.signal);
    await server.until(() => server.calls.length === 1);
    stop.abort(new Error('the run was cancelled'));
    const closed = run.close();
    await expect(call).rejects.toThrow('the run was cancelled');
    await closed;
    // A connection that is closed is heard of a moment later than what was answered.
    if (wire === 'modern') await server.until(() => server.cancelled.length > 0);
    expect(server.cancelled).toEqual(['wait']);
    await server.until(() => server.openSessions === 0);
  });

  test('are given up and cancelled when they make no progress', async () => {
    const { server, run } = await connect(
      { wire, tools: [{ name: 'wait', run: ({ signal }) => untilAborted(signal).then(() => text('late')) }] },
      { limits: { idleMs: 100 } },
    );
    expect(await run.call('wait')).toEqual({
      content:
        'the tool server "fixture" gave no result within 0.1 s and was told to stop; what it has done until then is unknown',
      isError: true,
    });
    await server.until(() => server.cancelled.length === 1);
  });

  test('are waited for while they make progress, but not for ever', async () => {
    const { run } = await connect(
      {
        wire,
        tools: [
          {
            name: 'work',
            run: async ({ args, progress, signal }) => {
              for (let n = 1; n <= Number(args['steps']) && !signal.aborted; n++) {
                await quiet(100);
                await progress(n).catch(() => undefined);
              }
              return text('done');
            },
          },
        ],
      },
      { limits: { idleMs: 800, callMs: 3000 } },
    );
    expect(await run.call('work', { steps: 10 })).toEqual({ content: 'done' });
    expect((await run.call('work', { steps: 60 })).content).toContain('gave no result within 3 s');
  });

  test('that may be repeated are made again after a lost connection, others are not', async () => {
    const died = new Map<string, number>();
    const dieOnce = (name: string) => ({
      name,
      run: ({ response }: { response: { destroy(): unknown } }) => {
        died.set(name, (died.get(name) ?? 0) + 1);
        if (died.get(name) === 1) response.destroy();
        return died.get(name) === 1 ? new Promise<never>(() => undefined) : text(`${name} at last`);
      },
    });
    const { server, run } = await connect({
      wire,
      tools: [
        { ...dieOnce('read'), annotations: { readOnlyHint: true } },
        { ...dieOnce('put'), annotations: { idempotentHint: true } },
        dieOnce('pay'),
        { name: 'add' },
      ],
    });
    const repeatable = run.mcp.tools.filter(({ isRepeatable }) => isRepeatable);
    expect(repeatable.map(({ definition }) => definition.name)).toEqual(['put', 'read']);
    expect(await run.call('read')).toEqual({ content: 'read at last' });
    expect(await run.call('put')).toEqual({ content: 'put at last' });
    const outcome = await run.call('pay');
    expect(outcome.isError).toBe(true);
    expect(outcome.content).toMatch(UNKNOWN);
    expect(server.calls.filter((entry) => entry.startsWith('pay'))).toHaveLength(1);
    // The next call finds a connection again.
    expect(await run.call('add')).toEqual({ content: 'add did {}' });
  });

  test('that the server did not take are made again, whatever they do', async () => {
    const { server, run } = await connect({ wire, tools: [{ name: 'pay' }] });
    server.forgetSessions();
    expect(await run.call('pay')).toEqual({ content: 'pay did {}' });
    await server.close();
    await quiet(20);
    const call = run.call('pay');
    await quiet(50);
    server.forgetSessions();
    await server.listen();
    expect(await call).toEqual({ content: 'pay did {}' });
    expect(server.calls).toHaveLength(2);
  });

  test('of a server that is gone fail, and say that they were not made', async () => {
    const { server, run } = await connect(
      { wire, tools: [{ name: 'pay' }] },
      { limits: { retryMs: [1, 1] } },
    );
    await server.close();
    await quiet(20);
    expect(await run.call('pay')).toEqual({
      content: 'the tool server "fixture" refused the connection; the call was not made',
      isError: true,
    });
  });
});

test('a stream that breaks is resumed where it was, without a second call', async () => {
  const { server, run } = await connect({
    resumable: true,
    tools: [
      {
        name: 'pay',
        run: async ({ endStream }) => {
          await quiet(20);
          endStream();
          await quiet(50);
          return text('paid');
        },
      },
    ],
  });
  expect(await run.call('pay')).toEqual({ content: 'paid' });
  expect(server.calls).toEqual(['pay {}']);
  expect(server.requests).toContain('GET');
});

test('arguments that are no object are told to the agent', async () => {
  const { server, run } = await connect({ tools: [{ name: 'add' }] });
  expect(await run.call('add', 7)).toEqual({ content: 'the arguments must be an object', isError: true });
  expect(server.calls).toEqual([]);
});

test('arguments get back the names that the model could not be told', async () => {
  const { server, run } = await connect({
    tools: [
      {
        name: 'add',
        inputSchema: {
          type: 'object',
          properties: { 'größe/cm': { type: 'number' } },
          required: ['größe/cm'],
        },
      },
    ],
  });
  expect(run.mcp.tools[0]?.definition.parameters).toEqual({
    type: 'object',
    properties: { gr__e_cm: { type: 'number' } },
    required: ['gr__e_cm'],
  });
  await run.call('add', { gr__e_cm: 3, other: 1 });
  expect(server.calls).toEqual(['add {"größe/cm":3,"other":1}']);
});

test('a call that changes the tools is followed by their new list', async () => {
  const { server, run } = await connect({
    listChanged: true,
    tools: [{ name: 'grow', run: () => server.setTools([{ name: 'grown' }]).then(() => text('ok')) }],
  });
  await server.until(() => server.requests.includes('GET'));
  await quiet(20);
  await run.call('grow');
  expect(run.names).toEqual(['grown']);
});
