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
});
afterAll(async () => {
  await stage.close();
  await server.close();
});

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

interface Shown {
  readonly role: string;
  readonly content: string | null | readonly { readonly image_url?: { readonly url: string } }[];
}

/** The images of each message that the last request to the model had, by their bytes. */
const imagesOf = (messages: unknown): readonly Buffer[][] =>
  (messages as readonly Shown[]).flatMap(({ role, content }) => {
    if (role !== 'user' || typeof content === 'string' || content === null) return [];
    const urls = content.flatMap(({ image_url: url }) => (url === undefined ? [] : [url.url]));
    return [urls.map((url) => Buffer.from(url.split(',')[1] ?? '', 'base64'))];
  });

describe('images of tool results', () => {
  it('are shown to the model behind their turn, in the runs that follow, in forks and in replays', async () => {
    const { run_id: run, session } = await drawn();
    const last = () => imagesOf(stage.model.requests.at(-1)?.body.messages);
    // The same bytes came twice, and the other ones are said to be an image.
    const expected = [[PNG], [OTHER]];
    expect(last()).toEqual(expected);
    await stage.client.runToEnd({ message: stage.book.on(stage.message('more'), say('yes')) }, { session });
    expect(last()).toEqual(expected);
    const fork = (await stage.client.post(`/sessions/${session}/fork`, {})).json<{ session: string }>();
    const inFork = stage.book.on(stage.message('fork'), say('yes'));
    await stage.client.runToEnd({ message: inFork }, { session: fork.session });
    expect(last()).toEqual(expected);
    const json = { headers: { accept: 'application/json' } };
    const replay = await stage.client.post(`/runs/${run}/replay`, {}, json);
    expect(replay.json()['status']).toBe('completed');
    expect(last()).toEqual(expected);
  });
});

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

  it('are those of their run alone: not of another, not of a fork; a replay has the images that it was shown', async () => {
    const { run_id: run, session } = await drawn();
    const [picture] = await stage.client.all<Item>(`/runs/${run}/files`);
    const other = await stage.client.runToEnd({ message: 'What is 6 x 7?' });
    const replay = (
      await stage.client.post(`/runs/${run}/replay`, {}, { headers: { accept: 'application/json' } })
    ).json<{ run_id: string; status: string }>();
    expect(replay.status).toBe('completed');
    expect(await stage.client.all(`/runs/${other.run_id}/files`)).toEqual([]);
    expect((await stage.client.get(`/runs/${other.run_id}/files/${picture?.file_id}`)).status).toBe(404);
    const shown = await stage.client.all<Item>(`/runs/${replay.run_id}/files`);
    expect(shown).toMatchObject([{ media_type: 'image/png' }, { media_type: 'image/webp' }]);
    const { bytes } = await bytesOf(`/runs/${replay.run_id}/files/${shown[0]?.file_id}`);
    expect(bytes.equals(PNG)).toBe(true);
    expect((await stage.client.get(`/runs/${run}/files/file_none`)).status).toBe(404);
    const fork = (await stage.client.post(`/sessions/${session}/fork`, {})).json<{ session: string }>();
    expect(fork.session).not.toBe(session);
    expect((await stage.client.get(`/runs/${run}/files/${picture?.file_id}`)).status).toBe(200);
  });

  it('are read with a token of their session, and with no other', async () => {
    const [one, two] = [await drawn(), await drawn()];
    const [picture] = await stage.client.all<Item>(`/runs/${one.run_id}/files`);
    const wish = { session: one.session, scopes: ['read'], expires_s: 60 };
    const { token } = (await stage.client.post('/tokens', wish)).json<{ token: string }>();
    const browser = stage.client.with(token);
    const statusOf = async (path: string) => (await browser.get(path)).status;
    expect(await statusOf(`/runs/${one.run_id}/files`)).toBe(200);
    expect(await statusOf(`/runs/${one.run_id}/files/${picture?.file_id}`)).toBe(200);
    expect(await statusOf(`/runs/${two.run_id}/files`)).toBe(404);
    expect(await statusOf(`/runs/${two.run_id}/files/${picture?.file_id}`)).toBe(404);
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
