import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { McpFixture } from '../support/mcp-servers/mcp-fixture.js';
import { call, say } from '../support/scripted-model.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

const PNG = Buffer.from('\x89PNG\r\n\x1a\nnot much of a picture', 'latin1');
const HTML = Buffer.from('<script>alert(1)</script>');
const OTHER = Buffer.from('another picture');

let stage: Stage;
let server: McpFixture;
beforeAll(async () => {
  stage = await Stage.open({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  server = await McpFixture.start({
    tools: [
      {
        name: 'draw',
        run: () => ({
          content: [
            { type: 'text', text: 'drawn' },
            { type: 'image', data: PNG.toString('base64'), mimeType: 'image/jpeg' },
            { type: 'image', data: PNG.toString('base64'), mimeType: 'image/png' },
            {
              type: 'resource',
              resource: {
                uri: 'file:///a/p%C3%A4ge.html',
                mimeType: 'text/html',
                blob: HTML.toString('base64'),
              },
            },
          ],
        }),
      },
      {
        name: 'snap',
        run: () => ({
          content: [{ type: 'image', data: OTHER.toString('base64'), mimeType: 'image/webp' }],
        }),
      },
    ],
  });
}, 60_000);
afterAll(async () => {
  await stage.close();
  await server.close();
}, 60_000);

interface Item {
  readonly file_id: string;
}

const drawn = () => {
  const message = stage.book.on(
    stage.message('draw'),
    say(...call(0, 'a', 'draw', {})),
    say(...call(0, 'b', 'snap', {})),
    say('done'),
  );
  return stage.client.runToEnd({ message, mcp_servers: [{ serverName: 'art', serverUrl: server.url }] });
};

const bytesOf = async (path: string): Promise<{ status: number; headers: Headers; bytes: Buffer }> => {
  const answer = await fetch(stage.service.origin + path, {
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  });
  const { status, headers } = answer;
  return { status, headers, bytes: Buffer.from(await answer.arrayBuffer()) };
};

describe('files of tool results', () => {
  it('are listed, and given as they came', async () => {
    const { run_id: run } = await drawn();
    const items = await stage.client.all<Item>(`/runs/${run}/files`);
    const common = { file_id: expect.stringMatching(/^file_[0-9a-f]{24}$/), created_at: expect.any(String) };
    expect(items).toEqual([
      { ...common, tool: 'draw', media_type: 'image/png', bytes: PNG.length, name: null },
      { ...common, tool: 'draw', media_type: 'text/html', bytes: HTML.length, name: 'päge.html' },
      { ...common, tool: 'snap', media_type: 'image/webp', bytes: OTHER.length, name: null },
    ]);
    const [picture, page] = items;
    const png = await bytesOf(`/runs/${run}/files/${picture?.file_id}`);
    expect(png.bytes).toEqual(PNG);
    expect(png.status).toBe(200);
    expect(Object.fromEntries(png.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(PNG.length),
      'x-content-type-options': 'nosniff',
      'content-disposition': 'attachment',
    });
    const html = await bytesOf(`/runs/${run}/files/${page?.file_id}`);
    expect(html.bytes).toEqual(HTML);
    expect(html.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''p%C3%A4ge.html");
    expect(html.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  });

  it('are told to the model by their ids, and stand in no event', async () => {
    const { run_id: run } = await drawn();
    const [picture, page] = await stage.client.all<Item>(`/runs/${run}/files`);
    const events = (
      await stage.client.get(`/runs/${run}/events`, { headers: { accept: 'application/json' } })
    ).text;
    expect(events).not.toContain(PNG.toString('base64'));
    const told = JSON.stringify(stage.book.asks.at(-1)?.request.messages);
    for (const text of [events, told]) {
      expect(text).toContain(`[image, image/png, ${PNG.length} bytes, ${picture?.file_id}]`);
      expect(text).toContain(
        `[resource file:///a/p%C3%A4ge.html, text/html, ${HTML.length} bytes, ${page?.file_id}]`,
      );
    }
  });

  it('come in pages', async () => {
    const { run_id: run } = await drawn();
    const whole = await stage.client.all<Item>(`/runs/${run}/files`);
    const paged: Item[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = (await stage.client.get(`/runs/${run}/files?limit=2${after}`)).json<{
        items: Item[];
        next_cursor: string | null;
      }>();
      expect(page.items.length).toBeLessThanOrEqual(2);
      paged.push(...page.items);
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(whole);
    expect((await stage.client.get(`/runs/${run}/files?cursor=x`)).status).toBe(400);
  });

  it('are those of their run alone: not of another, not of a fork, not of a replay', async () => {
    const { run_id: run, session } = await drawn();
    const [picture] = await stage.client.all<Item>(`/runs/${run}/files`);
    const other = await stage.client.runToEnd({ message: 'What is 6 x 7?' });
    const replay = (
      await stage.client.post(`/runs/${run}/replay`, {}, { headers: { accept: 'application/json' } })
    ).json<{ run_id: string; status: string }>();
    expect(replay.status).toBe('completed');
    for (const none of [other.run_id, replay.run_id]) {
      expect(await stage.client.all(`/runs/${none}/files`)).toEqual([]);
      expect((await stage.client.get(`/runs/${none}/files/${picture?.file_id}`)).status).toBe(404);
    }
    expect((await stage.client.get(`/runs/${run}/files/file_none`)).status).toBe(404);
    const fork = (await stage.client.post(`/sessions/${session}/fork`, {})).json<{ session: string }>();
    expect(fork.session).not.toBe(session);
    expect((await stage.client.get(`/runs/${run}/files/${picture?.file_id}`)).status).toBe(200);
  });

  it('outlive a kill, and are erased with their session', async () => {
    const { run_id: run, session } = await drawn();
    const [picture] = await stage.client.all<Item>(`/runs/${run}/files`);
    await stage.service.kill('SIGKILL');
    await stage.service.launch();
    expect((await bytesOf(`/runs/${run}/files/${picture?.file_id}`)).bytes).toEqual(PNG);
    expect((await stage.client.call('DELETE', `/sessions/${session}`)).status).toBeLessThan(300);
    for (const path of [`/runs/${run}/files`, `/runs/${run}/files/${picture?.file_id}`])
      expect((await stage.client.get(path)).status).toBe(404);
  });
});
