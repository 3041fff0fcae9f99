import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gate, before, call, say } from '../support/scripted-model.js';
import type { Page, ServiceClient } from '../support/service-client.js';
import { ForkingClient, type Item, type Listed } from '../support/forking-client.js';
import { Stage } from '../support/stage.js';

let stage: Stage;
let client: ServiceClient;
let forks: ForkingClient;
beforeAll(async () => {
  stage = await Stage.open();
  client = stage.client;
  forks = new ForkingClient(stage);
});
afterAll(() => stage.close());

describe('POST /sessions/{session}/fork', () => {
  it('answers with the record of a new session, which begins idle and reads like its parent', async () => {
    const { session, message, messages } = await forks.said('record');
    const last = await forks.lastOf(session);
    const answer = await forks.ask(session);
    expect(answer.status).toBe(201);
    const made = answer.json<Listed>();
    expect(answer.headers.location).toBe(`/sessions/${made.session}`);
    expect(made).toMatchObject({
      title: message,
      message_count: 2,
      last_status: null,
      cost: '0',
      forked_from: { session, at: String(last) },
    });
    expect(await forks.record(made.session)).toEqual(made);
    expect(await forks.record(session)).toMatchObject({ forked_from: null });
    expect(await forks.history(made.session)).toEqual(messages);
    const more = await forks.goOn(made.session, 'goes on');
    expect(await forks.history(made.session)).toEqual([...messages, ...more]);
    expect(await forks.history(session)).toEqual(messages);
    expect(await forks.record(made.session)).toMatchObject({ message_count: 4, last_status: 'completed' });
    const named = await forks.fork(session, { title: 'Another way' });
    expect(named).toMatchObject({ title: 'Another way', message_count: 2 });
  });

  it('takes any event, as a number or in digits, and reads like its parent as of there', async () => {
    const gate = new Gate();
    const message = stage.book.on(
      stage.message('any event'),
      say('Looking', ...call(0, 'c1', 'lookup', { q: 1 })),
      say('Half', before(gate), ' done.'),
    );
    const stream = await client.run({ message, streaming_tokens: true });
    const { session } = stream;
    await gate.reached;
    const during = await forks.fork(session);
    const at = during.forked_from!.at;
    gate.open();
    await stream.closed();
    expect(await forks.history(during.session)).toEqual(await forks.history(session, at));
    expect(await forks.context(during.session)).toEqual(await forks.context(session, at));
    const last = await forks.lastOf(session);
    for (let event = 0; event <= last; event++) {
      const made = await forks.fork(session, { at: event % 2 === 0 ? event : String(event) });
      expect(made.forked_from).toEqual({ session, at: String(event) });
      const then = await forks.history(session, String(event));
      expect(await forks.history(made.session)).toEqual(then);
      expect(made.message_count).toBe(then.length);
      expect(await forks.context(made.session)).toEqual(await forks.context(session, String(event)));
      expect((await forks.record(made.session)).title).toBe(made.title);
    }
  });

  it('refuses what is no event, what is beyond the last, and what is not there', async () => {
    const { session } = await forks.said('refused');
    const last = await forks.lastOf(session);
    const statusWith = async (body: unknown, of = session) => (await forks.ask(of, body as object)).status;
    for (const at of [null, -1, 1.5, '', 'last', '1.5', '-1', ' 1', '0x1', true, [], {}, '9'.repeat(401)])
      expect([at, await statusWith({ at })]).toEqual([at, 400]);
    for (const body of [
      { title: '' },
      { title: null },
      { title: 3 },
      { title: 'x'.repeat(100_000) },
      { to: 1 },
      [],
      'x',
      3,
    ])
      expect([body, await statusWith(body)]).toEqual([body, 400]);
    for (const at of [last + 1, String(last + 1), Number.MAX_SAFE_INTEGER, 1e300, '9'.repeat(400)])
      expect([at, await statusWith({ at })]).toEqual([at, 422]);
    expect(await statusWith({ at: 0 }, 'ses_nobodys')).toBe(404);
    expect(await forks.lastOf(session)).toBe(last);
  });

  it('needs no body', async () => {
    const { session } = await forks.said('no body');
    const headers = { 'idempotency-key': 'no body' };
    const made = await client.post(`/sessions/${session}/fork`, undefined, { headers });
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    expect((await forks.ask(session, {}, 'no body')).json()).toEqual(made.json());
  });

  it('needs the scope run, and is refused to others', async () => {
    const { session } = await forks.said('scopes');
    const keyed = async (scopes: readonly string[], project = 'default') => {
      const made = await client.post('/api-keys', { name: 'k', scopes, project });
      return client.with(made.json<{ key: string }>().key);
    };
    const path = `/sessions/${session}/fork`;
    expect((await (await keyed(['read'])).post(path, {})).status).toBe(403);
    expect((await (await keyed(['run'])).post(path, {})).status).toBe(201);
    expect((await (await keyed(['admin'], 'another')).post(path, {})).status).toBe(404);
    const reader = await keyed(['run', 'read'], 'another');
    const made = await forks.fork(session);
    for (const path of [`/sessions/${made.session}`, `/sessions/${made.session}/messages`])
      expect((await reader.get(path)).status).toBe(404);
  });

  it('is told to a token that is for it, and no token makes one', async () => {
    const { session, messages } = await forks.said('tokens');
    const made = await forks.fork(session);
    const tokenFor = async (of: string) => {
      const wish = { session: of, scopes: ['run', 'read'], expires_s: 600 };
      return client.with((await client.post('/tokens', wish)).json<{ token: string }>().token);
    };
    const [own, parents] = [await tokenFor(made.session), await tokenFor(session)];
    expect((await own.post(`/get-messages?session=${made.session}`)).json()).toEqual(messages);
    expect((await own.get(`/sessions/${made.session}`)).json()).toEqual(made);
    expect(await own.all(`/sessions/${made.session}/messages`, 1)).toHaveLength(2);
    const message = stage.book.on(stage.message('token goes on'), say('ok'));
    await own.runToEnd(message, { session: made.session });
    expect((await own.post(`/get-messages?session=${session}`)).status).toBeGreaterThanOrEqual(403);
    expect((await parents.post(`/get-messages?session=${made.session}`)).status).toBeGreaterThanOrEqual(403);
    for (const token of [own, parents])
      expect((await token.post(`/sessions/${session}/fork`, {})).status).toBe(403);
  });

  it('is the same fork to a repeat with its key, and no other', async () => {
    const { session } = await forks.said('key');
    const first = await forks.ask(session, { at: 2 }, 'fork once');
    const again = await forks.ask(session, { at: 2 }, 'fork once');
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.json()).toEqual(first.json());
    expect((await forks.ask(session, { at: 3 }, 'fork once')).status).toBe(422);
    expect((await forks.ask((await forks.said('other')).session, { at: 2 }, 'fork once')).status).toBe(422);
    await forks.erase(first.json<Listed>().session);
    expect((await forks.ask(session, { at: 2 }, 'fork once')).status).toBe(404);
  });
});

describe('a line of forks', () => {
  it('is listed, in pages through all of its sessions, and no deeper than 100', async () => {
    const { session, messages } = await forks.said('line');
    const all = [...messages];
    const line = [session];
    for (let depth = 1; depth <= 100; depth++) {
      line.push((await forks.fork(line.at(-1)!)).session);
      if (depth % 25 === 0) all.push(...(await forks.goOn(line.at(-1)!, `at ${depth}`)));
    }
    const leaf = line.at(-1)!;
    expect((await forks.ask(leaf)).status).toBe(422);
    expect(await forks.history(leaf)).toEqual(all);
    for (const limit of [1, 3, 200]) {
      const items = await client.all<Item>(`/sessions/${leaf}/messages`, limit);
      expect(items.map(({ type, content }) => ({ type, content }))).toEqual(all);
    }
    const listed = await client.all<Listed>('/sessions');
    const found = listed.filter((item) => line.includes(item.session));
    expect(found.map((item) => item.session)).toEqual(line.toReversed());
    expect(found[0]).toEqual(await forks.record(leaf));
    expect(found[0]).toMatchObject({ message_count: all.length, title: messages[0]!.content });
  });

  it('loses what was erased, and DELETE says of which forks', async () => {
    const { session } = await forks.said('erased');
    const middle = (await forks.fork(session)).session;
    const ofMiddle = await forks.goOn(middle, 'of the middle');
    const leaf = (await forks.fork(middle)).session;
    const ofLeaf = await forks.goOn(leaf, 'of the leaf');
    const path = `/sessions/${leaf}/messages`;
    const { next_cursor: cursor } = (await client.get(`${path}?limit=1`)).json<Page<Item>>();
    const answer = await forks.erase(session);
    expect(answer.json<{ forks: string[] }>().forks).toEqual([middle, leaf]);
    const rest = (await client.get(`${path}?limit=200&cursor=${cursor}`)).json<Page<Item>>();
    expect(rest.items.map(({ type, content }) => ({ type, content }))).toEqual([...ofMiddle, ...ofLeaf]);
    expect(await forks.history(leaf)).toEqual([...ofMiddle, ...ofLeaf]);
    expect(await forks.record(leaf)).toMatchObject({ title: ofMiddle[0]!.content, message_count: 4 });
    expect(await forks.record(middle)).toMatchObject({ message_count: 2, forked_from: { session } });
    expect((await forks.erase(middle)).json<{ forks: string[] }>().forks).toEqual([leaf]);
    expect(await forks.history(leaf)).toEqual(ofLeaf);
    expect(await client.all(`/sessions/${leaf}/messages`, 1)).toHaveLength(2);
    expect((await forks.ask(session)).status).toBe(404);
  });

  it('is erased as a whole with ?forks=true', async () => {
    const { session } = await forks.said('all of it');
    const middle = (await forks.fork(session)).session;
    const leaf = (await forks.fork(middle)).session;
    for (const query of ['?forks=yes', '?forks=', '?fork=true'])
      expect((await forks.erase(session, query)).status).toBe(400);
    const answer = await forks.erase(session, '?forks=true');
    expect(answer.json<{ forks: string[] }>().forks).toEqual([middle, leaf]);
    for (const gone of [session, middle, leaf]) expect(await forks.statusOf(gone)).toBe(404);
    expect((await forks.erase(session, '?forks=true')).status).toBe(404);
    const other = (await forks.said('not all')).session;
    const left = (await forks.fork(other)).session;
    expect((await forks.erase(other, '?forks=false')).json<{ forks: string[] }>().forks).toEqual([left]);
    expect(await forks.statusOf(left)).toBe(200);
  });
});
