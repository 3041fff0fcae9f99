import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gate, before, call, say } from '../support/scripted-model.js';
import type { Answer, Message, ServiceClient } from '../support/service-client.js';
import { Stage } from '../support/stage.js';

const DIE_AT_TYPE = resolve('test/e2e/hooks/die-at-type.ts');

interface Record {
  readonly session: string;
  readonly title: string | null;
  readonly message_count: number;
  readonly last_status: string | null;
  readonly cost: string;
  readonly forked_from: { readonly session: string; readonly at: string } | null;
}
interface Item {
  readonly id: string;
  readonly type: string;
  readonly content: string;
  readonly output?: string;
}

let stage: Stage;
let client: ServiceClient;
beforeAll(async () => {
  stage = await Stage.open();
  client = stage.client;
}, 60_000);
afterAll(() => stage.close(), 60_000);

const ask = (session: string, body: object = {}, key?: string): Promise<Answer> =>
  client.post(
    `/sessions/${session}/fork`,
    body,
    key === undefined ? {} : { headers: { 'idempotency-key': key } },
  );
const fork = async (session: string, body: object = {}): Promise<Record> => {
  const answer = await ask(session, body);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.json<Record>();
};
const record = async (session: string): Promise<Record> =>
  (await client.get(`/sessions/${session}`)).json<Record>();
const history = async (session: string, at?: string): Promise<readonly Message[]> =>
  (await client.post(`/get-messages?session=${session}${at === undefined ? '' : `&at=${at}`}`)).json<
    Message[]
  >();
const context = async (session: string, at?: string): Promise<unknown> =>
  (await client.get(`/sessions/${session}/context${at === undefined ? '' : `?at=${at}`}`)).json();
const lastOf = async (session: string): Promise<number> => {
  const answer = await client.post(`/get-messages?session=${session}&at=${'9'.repeat(15)}`);
  return Number(/last event of the session is (\d+)/.exec(answer.text)?.[1]);
};
const erase = (session: string, query = ''): Promise<Answer> =>
  client.call('DELETE', `/sessions/${session}${query}`);
const statusOf = async (session: string): Promise<number> =>
  (await client.get(`/sessions/${session}`)).status;

/** A session of one run; what the model is asked for next is that of the test. */
async function said(name: string, answer = 'Answer') {
  const message = stage.book.on(stage.message(name), say(answer));
  const { session } = await client.runToEnd(message);
  return { session, message, messages: exchange(message, answer) };
}
const goOn = async (session: string, name: string) => {
  const message = stage.book.on(stage.message(name), say('More'));
  await client.runToEnd(message, { session });
  return exchange(message, 'More');
};
const exchange = (message: string, answer: string): readonly Message[] => [
  { type: 'user_message', content: message },
  { type: 'agent_response', content: answer },
];

describe('POST /sessions/{session}/fork', () => {
  it('answers with the record of a new session, which begins idle and reads like its parent', async () => {
    const { session, message, messages } = await said('record');
    const last = await lastOf(session);
    const answer = await ask(session);
    expect(answer.status).toBe(201);
    const made = answer.json<Record>();
    expect(answer.headers.location).toBe(`/sessions/${made.session}`);
    expect(made).toMatchObject({
      title: message,
      message_count: 2,
      last_status: null,
      cost: '0',
      forked_from: { session, at: String(last) },
    });
    expect(await record(made.session)).toEqual(made);
    expect(await record(session)).toMatchObject({ forked_from: null });
    expect(await history(made.session)).toEqual(messages);
    const more = await goOn(made.session, 'goes on');
    expect(await history(made.session)).toEqual([...messages, ...more]);
    expect(await history(session)).toEqual(messages);
    expect(await record(made.session)).toMatchObject({ message_count: 4, last_status: 'completed' });
    const named = await fork(session, { title: 'Another way' });
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
    const during = await fork(session);
    const at = during.forked_from!.at;
    gate.open();
    await stream.closed();
    expect(await history(during.session)).toEqual(await history(session, at));
    expect(await context(during.session)).toEqual(await context(session, at));
    const last = await lastOf(session);
    for (let event = 0; event <= last; event++) {
      const made = await fork(session, { at: event % 2 === 0 ? event : String(event) });
      expect(made.forked_from).toEqual({ session, at: String(event) });
      const then = await history(session, String(event));
      expect(await history(made.session)).toEqual(then);
      expect(made.message_count).toBe(then.length);
      expect(await context(made.session)).toEqual(await context(session, String(event)));
      expect((await record(made.session)).title).toBe(made.title);
    }
  }, 60_000);

  it('refuses what is no event, what is beyond the last, and what is not there', async () => {
    const { session } = await said('refused');
    const last = await lastOf(session);
    const statusWith = async (body: unknown, of = session) => (await ask(of, body as object)).status;
    for (const at of [-1, 1.5, '', 'last', '1.5', '-1', ' 1', '0x1', true, [], {}, '9'.repeat(401)])
      expect([at, await statusWith({ at })]).toEqual([at, 400]);
    for (const body of [{ title: '' }, { title: 3 }, { title: 'x'.repeat(100_000) }, { to: 1 }, [], 'x', 3])
      expect([body, await statusWith(body)]).toEqual([body, 400]);
    for (const at of [last + 1, String(last + 1), Number.MAX_SAFE_INTEGER, 1e300, '9'.repeat(400)])
      expect([at, await statusWith({ at })]).toEqual([at, 422]);
    expect(await statusWith({ at: 0 }, 'ses_nobodys')).toBe(404);
    expect(await lastOf(session)).toBe(last);
  });

  it('needs no body', async () => {
    const { session } = await said('no body');
    const headers = { 'idempotency-key': 'no body' };
    const made = await client.post(`/sessions/${session}/fork`, undefined, { headers });
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    expect((await ask(session, {}, 'no body')).json()).toEqual(made.json());
  });

  it('needs the scope run, and is refused to others', async () => {
    const { session } = await said('scopes');
    const keyed = async (scopes: readonly string[], project = 'default') => {
      const made = await client.post('/api-keys', { name: 'k', scopes, project });
      return client.with(made.json<{ key: string }>().key);
    };
    const path = `/sessions/${session}/fork`;
    expect((await (await keyed(['read'])).post(path, {})).status).toBe(403);
    expect((await (await keyed(['run'])).post(path, {})).status).toBe(201);
    expect((await (await keyed(['admin'], 'another')).post(path, {})).status).toBe(404);
    const reader = await keyed(['run', 'read'], 'another');
    const made = await fork(session);
    for (const path of [`/sessions/${made.session}`, `/sessions/${made.session}/messages`])
      expect((await reader.get(path)).status).toBe(404);
  });

  it('is told to a token that is for it, and no token makes one', async () => {
    const { session, messages } = await said('tokens');
    const made = await fork(session);
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
    const { session } = await said('key');
    const first = await ask(session, { at: 2 }, 'fork once');
    const again = await ask(session, { at: 2 }, 'fork once');
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.json()).toEqual(first.json());
    expect((await ask(session, { at: 3 }, 'fork once')).status).toBe(422);
    expect((await ask((await said('other')).session, { at: 2 }, 'fork once')).status).toBe(422);
    await erase(first.json<Record>().session);
    expect((await ask(session, { at: 2 }, 'fork once')).status).toBe(404);
  });
});

describe('a line of forks', () => {
  it('is listed, in pages through all of its sessions, and no deeper than 100', async () => {
    const { session, messages } = await said('line');
    const all = [...messages];
    const line = [session];
    for (let depth = 1; depth <= 100; depth++) {
      line.push((await fork(line.at(-1)!)).session);
      if (depth % 25 === 0) all.push(...(await goOn(line.at(-1)!, `at ${depth}`)));
    }
    const leaf = line.at(-1)!;
    expect((await ask(leaf)).status).toBe(422);
    expect(await history(leaf)).toEqual(all);
    for (const limit of [1, 3, 200]) {
      const items = await client.all<Item>(`/sessions/${leaf}/messages`, limit);
      expect(items.map(({ type, content }) => ({ type, content }))).toEqual(all);
    }
    const listed = await client.all<Record>('/sessions');
    const found = listed.filter((item) => line.includes(item.session));
    expect(found.map((item) => item.session)).toEqual(line.toReversed());
    expect(found[0]).toEqual(await record(leaf));
    expect(found[0]).toMatchObject({ message_count: all.length, title: messages[0]!.content });
  }, 120_000);

  it('loses what was erased, and DELETE says of which forks', async () => {
    const { session } = await said('erased');
    const middle = (await fork(session)).session;
    const ofMiddle = await goOn(middle, 'of the middle');
    const leaf = (await fork(middle)).session;
    const ofLeaf = await goOn(leaf, 'of the leaf');
    const answer = await erase(session);
    expect(answer.json<{ forks: string[] }>().forks).toEqual([middle, leaf]);
    expect(await history(leaf)).toEqual([...ofMiddle, ...ofLeaf]);
    expect(await record(leaf)).toMatchObject({ title: ofMiddle[0]!.content, message_count: 4 });
    expect(await record(middle)).toMatchObject({ message_count: 2, forked_from: { session } });
    expect((await erase(middle)).json<{ forks: string[] }>().forks).toEqual([leaf]);
    expect(await history(leaf)).toEqual(ofLeaf);
    expect(await client.all(`/sessions/${leaf}/messages`, 1)).toHaveLength(2);
    expect((await ask(session)).status).toBe(404);
  });

  it('is erased as a whole with ?forks=true', async () => {
    const { session } = await said('all of it');
    const middle = (await fork(session)).session;
    const leaf = (await fork(middle)).session;
    for (const query of ['?forks=yes', '?forks=', '?fork=true'])
      expect((await erase(session, query)).status).toBe(400);
    const answer = await erase(session, '?forks=true');
    expect(answer.json<{ forks: string[] }>().forks).toEqual([middle, leaf]);
    for (const gone of [session, middle, leaf]) expect(await statusOf(gone)).toBe(404);
    expect((await erase(session, '?forks=true')).status).toBe(404);
    const other = (await said('not all')).session;
    const left = (await fork(other)).session;
    expect((await erase(other, '?forks=false')).json<{ forks: string[] }>().forks).toEqual([left]);
    expect(await statusOf(left)).toBe(200);
  });
});

describe('a process that is killed in the middle of a fork', () => {
  it.each(['sent:session_forked', 'stored:session_forked', 'sent:session_opened', 'stored:session_opened'])(
    'at %s makes it when it is asked again, once',
    async (at) => {
      const { session, messages } = await said('killed');
      await stage.service.restart('SIGTERM', { imports: [DIE_AT_TYPE], env: { DIE_AT: at } });
      await ask(session, {}, at).catch(() => undefined);
      expect(await stage.service.exited).toMatchObject({ signal: 'SIGKILL' });
      await stage.service.launch();
      expect(await history(session)).toEqual(messages);
      const answer = await ask(session, {}, at);
      expect(answer.status).toBe(201);
      const made = answer.json<Record>();
      expect(await history(made.session)).toEqual(messages);
      const more = await goOn(made.session, 'after the kill');
      await stage.service.restart('SIGKILL');
      expect(await history(made.session)).toEqual([...messages, ...more]);
      const listed = await client.all<Record>('/sessions');
      expect(listed.filter(({ forked_from: from }) => from?.session === session)).toHaveLength(1);
      expect((await erase(session)).json<{ forks: string[] }>().forks).toEqual([made.session]);
    },
    60_000,
  );

  it('again and again leaves each fork whole or not there', async () => {
    const { session, messages } = await said('storm');
    for (let round = 0; round < 4; round++) {
      const asked = Array.from({ length: 40 }, () => ask(session).catch(() => null));
      await asked[round * 9];
      await stage.service.restart('SIGKILL');
      const answers = (await Promise.all(asked)).filter((answer) => answer?.status === 201);
      for (const answer of answers) expect(await history(answer!.json<Record>().session)).toEqual(messages);
    }
    const listed = await client.all<Record>('/sessions');
    const forks = listed.filter(({ forked_from: from }) => from?.session === session);
    for (const made of forks) {
      expect(made).toMatchObject({ message_count: 2, title: messages[0]!.content });
      expect(await history(made.session)).toEqual(messages);
    }
    const erased = (await erase(session, '?forks=true')).json<{ forks: string[] }>().forks;
    expect([...erased].toSorted()).toEqual(forks.map((made) => made.session).toSorted());
  }, 120_000);
});
