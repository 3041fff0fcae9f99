import { afterEach, describe, expect, test } from '@jest/globals';
import { type McpPorts, openMcpTools } from '#mcp';
import type { McpServerConfig } from '#agent';
import { ManualClock } from '../support/manual-clock.js';
import { type FixtureOptions, McpFixture, text } from '../support/mcp-servers/mcp-fixture.js';
import { McpRun, at } from '../support/mcp-servers/mcp-run.js';
import { quiet } from '../support/quiet.js';

const open: { close(): Promise<void> }[] = [];
const serve = async (options: FixtureOptions) => {
  const server = await McpFixture.start(options);
  open.push(server);
  return server;
};
const connect = async (servers: readonly McpServerConfig[], ports: Partial<McpPorts> = {}) => {
  const run = await McpRun.open(servers, ports);
  open.push(run);
  return run;
};
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const bearer = { type: 'bearer', token: 'sesame-Op3n' } as const;
const oauth = { type: 'oauth', oauth: { accessToken: 'sesame-Op3n' } } as const;

describe.each(['modern', 'streamable', 'sse'] as const)('a server that speaks %s', (wire) => {
  test.each([bearer, oauth])('takes the credentials ($type) with every request', async (auth) => {
    const server = await serve({ wire, token: 'sesame-Op3n', tools: [{ name: 'add' }] });
    const run = await connect([{ ...at(server), auth }]);
    expect(run.notices).toEqual([]);
    expect(run.names).toEqual(['add']);
    expect(await run.call('add', { a: 1 })).toEqual({ content: 'add did {"a":1}' });
    expect(server.calls).toEqual(['add {"a":1}']);
  });

  test('is left without a session and a connection', async () => {
    const server = await serve({ wire, listChanged: true, tools: [{ name: 'add' }] });
    const run = await connect([at(server)]);
    await run.call('add');
    await run.close();
    await server.until(() => server.openSessions === 0);
    while ((await server.connections()) > 0) await new Promise(setImmediate);
  });

  test('refuses other credentials, and the agent is told without them', async () => {
    const server = await serve({ wire, token: 'another', tools: [] });
    const run = await connect([{ ...at(server), auth: bearer }]);
    expect(run.notices).toEqual([
      'The tool server "fixture" answered with status 401: no access with Bearer *** at ***. Its tools are not available in this run.',
    ]);
    expect(run.logger.lines.join()).toContain('fixture');
    expect(run.logger.lines.join()).not.toMatch(/sesame|127\.0\.0\.1/);
  });

  test('lists its tools in pages, which are offered in the order of their names', async () => {
    const tools = Array.from({ length: 20 }, (_, n) => ({ name: `tool_${n}` }));
    const server = await serve({ wire, tools, pageSize: 7 });
    const run = await connect([at(server)]);
    expect(run.names).toEqual(tools.map(({ name }) => name).toSorted());
    expect(server.requests.filter((entry) => entry.includes('tools/list'))).toHaveLength(3);
  });

  test('changes its tools in the middle of a run', async () => {
    const server = await serve({ wire, listChanged: true, tools: [{ name: 'one' }] });
    const run = await connect([at(server)]);
    const before = run.mcp.tools;
    expect(run.mcp.tools).toBe(before);
    const listens = { modern: 'POST subscriptions/listen', streamable: 'GET', sse: 'GET' }[wire];
    await server.until(() => server.requests.includes(listens));
    await server.setTools([{ name: 'one' }, { name: 'two' }]);
    await run.offers('one', 'two');
    expect(await run.call('two')).toEqual({ content: 'two did {}' });
  });

  test('has told of new tools when the call that has made them is over, also where the notice is on its way', async () => {
    const tools = (...names: string[]) => names.map((name) => ({ name, run: () => grow() }));
    let names = ['one'];
    const grow = async () => {
      names = [...names, `one_${names.length}`];
      const tellOf = () => server.setTools(tools(...names));
      // Where it comes by another connection than the result, it may be read behind that.
      if (wire === 'sse') await tellOf();
      else void quiet(5).then(tellOf);
      return text('ok');
    };
    const server = await serve({ wire, listChanged: true, tools: tools('one') });
    const run = await connect([at(server)]);
    const listens = { modern: 'POST subscriptions/listen', streamable: 'GET', sse: 'GET' }[wire];
    await server.until(() => server.requests.includes(listens));
    for (let calls = 1; calls <= 3; calls++) {
      await run.call('one');
      expect(run.names).toEqual(names);
    }
  });
});

describe('a server that speaks Streamable HTTP', () => {
  test('holds no stream open unless its tools may change', async () => {
    const server = await serve({ tools: [{ name: 'add' }] });
    await (await connect([at(server)])).close();
    expect(server.requests).toEqual([
      'POST server/discover',
      'POST initialize',
      'POST notifications/initialized',
      'POST tools/list',
      'DELETE',
    ]);
  });

  test('may have no sessions and answer in plain JSON', async () => {
    const server = await serve({ json: true, stateless: true, tools: [{ name: 'add' }] });
    const run = await connect([at(server)]);
    expect(await run.call('add')).toEqual({ content: 'add did {}' });
  });

  test('is told the protocol version that was agreed on', async () => {
    const server = await serve({ tools: [{ name: 'add' }] });
    const run = await connect([at(server)]);
    await run.call('add');
    expect(server.headers['POST tools/call']?.['mcp-protocol-version']).toBe('2025-11-25');
  });
});

describe('several servers', () => {
  test('are opened at the same time, and one that is missing is named', async () => {
    const gone = await McpFixture.start({ tools: [] });
    await gone.close();
    const server = await serve({ tools: [{ name: 'add' }] });
    const run = await connect([at(gone, 'gone'), at(server)]);
    expect(run.notices).toEqual([
      'The tool server "gone" refused the connection. Its tools are not available in this run.',
    ]);
    expect(run.names).toEqual(['add']);
  });

  test('with the same names are told apart, and each gets its own calls', async () => {
    const tools = [{ name: 'search' }, { name: 'a.b' }, { name: 'transfer_to_x' }];
    const [one, two] = [await serve({ tools }), await serve({ tools: [{ name: 'search' }] })];
    const run = await connect([at(one, 'One'), at(two, 'two')], { reserved: new Set(['transfer_to_x']) });
    expect(run.names).toEqual(['One_a_b', 'One_search', 'One_transfer_to_x', 'two_search']);
    await run.call('two_search', { q: 2 });
    await run.call('One_a_b', { q: 1 });
    expect([one.calls, two.calls]).toEqual([['a.b {"q":1}'], ['search {"q":2}']]);
  });

  test('are missed where they are required', async () => {
    const gone = await McpFixture.start({ tools: [] });
    await gone.close();
    const server = await serve({ tools: [{ name: 'add' }] });
    const run = await connect([at(gone), { ...at(server), required: true }]);
    expect(run.mcp.missing).toBeUndefined();
    const missed = await connect([at(server, 'there'), { ...at(gone, 'gone'), required: true }]);
    expect(missed.mcp.missing).toMatch(/^a required tool server cannot be used: The tool server "gone" /);
  });

  test('are waited for 10 s, all together', async () => {
    const slow = await serve({ tools: [], intercept: () => true });
    const server = await serve({ tools: [{ name: 'add' }] });
    const clock = new ManualClock();
    const opening = connect([at(slow, 'slow 1'), at(slow, 'slow 2'), at(server)], { clock });
    const waiting = () => clock.pending.filter((ms) => ms === 10_000).length;
    await server.until(() => server.requests.some((entry) => entry.includes('tools/list')));
    while (waiting() !== 2) await new Promise(setImmediate);
    let isOpen = false;
    void opening.then(() => (isOpen = true));
    clock.advance(9_999);
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    expect(isOpen).toBe(false);
    clock.advance(1);
    const run = await opening;
    expect(run.notices).toEqual([
      'The tool server "slow 1" could not be reached within 10 s. Its tools are not available in this run.',
      'The tool server "slow 2" could not be reached within 10 s. Its tools are not available in this run.',
    ]);
    expect(run.names).toEqual(['add']);
  });

  test('are named, too, where their address or token is none', async () => {
    const server = await serve({ tools: [{ name: 'add' }] });
    const run = await connect([
      { serverName: 'a', serverUrl: 'no address' },
      { serverName: 'b', serverUrl: 'ftp://mcp.example/' },
      { ...at(server, 'c'), auth: { type: 'bearer', token: 'two\r\nlines' } },
      at(server),
    ]);
    expect(run.notices).toEqual([
      'The tool server "a" has no address of http or https. Its tools are not available in this run.',
      'The tool server "b" has no address of http or https. Its tools are not available in this run.',
      'The tool server "c" cannot be connected to. Its tools are not available in this run.',
    ]);
    expect(run.names).toEqual(['add']);
  });

  test('are left at once when the run is cancelled before they are open', async () => {
    const slow = await serve({ tools: [], intercept: () => true });
    const stop = new AbortController();
    const run = new McpRun();
    const { EgressGuard, SystemClock, readEgressAllow } = await import('#platform');
    const ports = {
      session: 'ses_1',
      egress: new EgressGuard(readEgressAllow('127.0.0.1')),
      clock: new SystemClock(),
      logger: run.logger,
    };
    const opening = openMcpTools([at(slow)], ports, stop.signal);
    await slow.until(() => slow.requests.length > 0);
    stop.abort(new Error('cancelled'));
    await expect(opening).rejects.toThrow('cancelled');
    while ((await slow.connections()) > 0) await new Promise(setImmediate);
  });
});

describe('results', () => {
  test('of every kind are told as text', async () => {
    const bytes = Buffer.from('\x89PNG\r\n\x1a\n..', 'latin1');
    const data = bytes.toString('base64');
    const wave = Buffer.from('RIFF\0\0\0\0WAVE', 'latin1');
    const sound = wave.toString('base64');
    const server = await serve({
      tools: [
        {
          name: 'all',
          run: () => ({
            content: [
              { type: 'text', text: 'some text' },
              { type: 'image', data, mimeType: 'image/png' },
              { type: 'audio', data: sound, mimeType: 'audio/wav' },
              {
                type: 'resource',
                resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'inside' },
              },
              { type: 'resource', resource: { uri: 'file:///b.bin', blob: data } },
              { type: 'resource_link', uri: 'file:///c.md', name: 'c', mimeType: 'text/markdown', size: 7 },
            ],
            structuredContent: { n: 1 },
          }),
        },
        { name: 'same', run: () => ({ ...text('{ "n": 1 }'), structuredContent: { n: 1 } }) },
        { name: 'bad', run: () => ({ ...text('no such row'), isError: true }) },
        { name: 'none', run: () => ({ content: [] }) },
        { name: 'big', run: () => text('😀'.repeat(60_000)) },
        { name: 'throws', run: () => Promise.reject(new Error('it broke')) },
      ],
    });
    const run = await connect([at(server)]);
    const all = await run.call('all');
    const id = all.files?.[0]?.id;
    const soundId = all.files?.[1]?.id;
    const kept = { id: expect.stringMatching(/^file_[0-9a-f]{24}$/) };
    expect(all.files).toEqual([
      { ...kept, bytes, mediaType: 'image/png' },
      { ...kept, bytes: wave, mediaType: 'audio/wav' },
    ]);
    const [warning] = (all.events ?? []) as readonly { data: { content: string } }[];
    expect(JSON.parse(warning!.data.content)).toMatchObject({
      code: 'unreadable_result',
      tools: ['all'],
      reason: 'The agent does not see all of a result of "all": audio.',
    });
    expect(all.content).toBe(
      [
        'some text',
        `[image, image/png, 10 bytes, ${id}]`,
        `[audio, audio/wav, 12 bytes, ${soundId}]`,
        '[resource file:///a.txt, text/plain]\ninside',
        `[resource file:///b.bin, image/png, 10 bytes, ${id}]`,
        '[resource file:///c.md "c", text/markdown, 7 bytes]',
        '{"n":1}',
      ].join('\n'),
    );
    expect(await run.call('same')).toEqual({ content: '{ "n": 1 }' });
    expect(await run.call('bad')).toEqual({ content: 'no such row', isError: true });
    expect(await run.call('none')).toEqual({ content: 'the tool returned nothing' });
    const { content } = await run.call('big');
    expect(content).toMatch(
      /^(😀){50000}\n\[cut here: the result has 120000 characters, the first 100000 are shown\]$/u,
    );
    expect(await run.call('throws')).toEqual({
      content: 'the tool server "fixture" said: it broke',
      isError: true,
    });
  });
});
