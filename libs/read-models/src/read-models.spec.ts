import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKeyStream, sessionStream } from '#domain';
import { newEvent } from '#event-log';
import { SystemRandom } from '#platform';
import { wholeHistory } from '../../../test/support/whole-history.js';
import {
  answer,
  append,
  claimed,
  costs,
  encoded,
  event,
  type Fixture,
  newSession,
  openFixture,
  opening,
  PROJECT,
  requested,
  said,
  thought,
  turn,
  used,
} from '../../../test/support/read-models-fixture.js';

let fixture: Fixture;
beforeAll(async () => void (fixture = await openFixture()));
afterAll(() => fixture.close());

const history = (session: string) => wholeHistory(fixture.models.history, PROJECT, session);
const write = (session: string, ...steps: Parameters<typeof append>[2]) =>
  append(fixture.log, session, steps);

describe('read models', () => {
  it('show a run, its session and its messages', async () => {
    const session = newSession();
    const run = `run_${session}_1`;
    await write(session, ...opening(run, 'What is 6 x 7?'), ...answer(run, ['6 x 7', ' is 42.']));
    const messages = [
      { type: 'user_message', content: 'What is 6 x 7?' },
      { type: 'agent_response', content: '6 x 7 is 42.' },
    ];
    expect(await history(session)).toEqual(messages);
    expect(await fixture.models.runs.get(PROJECT, run)).toEqual({
      run_id: run,
      session,
      status: 'completed',
      mode: 'base',
      model: 'demo',
      retry_of: null,
      replay_of: null,
      drift: null,
      trigger: 'request',
      actor: 'key_1',
      created_at: '2025-11-21T09:00:00.001Z',
      started_at: '2025-11-21T09:00:00.003Z',
      first_token_at: '2025-11-21T09:00:00.004Z',
      ended_at: '2025-11-21T09:00:00.010Z',
      cost: '0.001',
      usage: expect.objectContaining({ input_tokens: 10, output_tokens: 5, model_calls: 1 }),
      metadata: {},
      warnings: [],
      error: null,
      last_event_id: '10',
    });
    expect(await fixture.models.sessions.get(PROJECT, session)).toEqual({
      session,
      forked_from: null,
      title: 'What is 6 x 7?',
      message_count: 2,
      last_status: 'completed',
      cost: '0.001',
      created_at: '2025-11-21T09:00:00.000Z',
    });
    expect(await history(session)).toEqual(messages);
  });

  it('show a block that is being written, with the text so far, and count it', async () => {
    const session = newSession();
    const run = `run_${session}_1`;
    await write(session, ...opening(run, 'hi'), event('agent_thinking_start', run));
    expect((await fixture.models.sessions.get(PROJECT, session)).message_count).toBe(1);
    await write(session, thought(run, 'let me '), thought(run, 'see'));
    expect((await history(session)).at(-1)).toEqual({ type: 'agent_thinking', content: 'let me see' });
    expect((await fixture.models.sessions.get(PROJECT, session)).message_count).toBe(2);
    await write(session, event('agent_response_start', run), said(run, 'So'));
    expect((await fixture.models.sessions.get(PROJECT, session)).message_count).toBe(3);
    await write(session, said(run, ':'));
    expect(await history(session)).toEqual([
      { type: 'user_message', content: 'hi' },
      { type: 'agent_thinking', content: 'let me see' },
      { type: 'agent_response', content: 'So:' },
    ]);
    const view = await fixture.models.runs.get(PROJECT, run);
    expect(view).toMatchObject({ status: 'running', last_event_id: '9', ended_at: null });
    expect(view.first_token_at).toBe('2025-11-21T09:00:00.004Z');
  });

  it('give back every text as it was', async () => {
    const session = newSession();
    const run = `run_${session}_1`;
    const texts = ['a\u2028b\u2029c', '👩‍👩‍👧 is one', 'nul \u0000 byte', '\ud83d', '\ude00 lone', ' ', '\\x41'];
    await write(session, ...opening(run, texts.join('|')), ...answer(run, texts));
    const expected = [texts.join('|'), texts.join('')];
    expect((await history(session)).map((m) => m.content)).toEqual(expected);
    await fixture.models.caughtUp();
    expect((await history(session)).map((m) => m.content)).toEqual(expected);
  });

  it('keep the order of messages of any size, each commit for itself', async () => {
    const session = newSession();
    const texts = [10, 9_000, 1, 20_000, 20_000, 5, 16_384, 7_000, 7_000, 7_000, 3].map(
      (size, n) => `${n} ${'x'.repeat(size)}`,
    );
    for (const [n, text] of texts.entries()) {
      const run = `run_${session}_${n}`;
      await write(
        session,
        ...(n === 0 ? opening(run, text) : opening(run, text).slice(1)),
        ...answer(run, [text]),
      );
      await fixture.models.caughtUp();
    }
    const expected = texts.flatMap((text) => [text, text]);
    expect((await history(session)).map((m) => m.content)).toEqual(expected);
  });

  it('read content that lies in a file', async () => {
    const session = newSession();
    const run = `run_${session}_1`;
    const text = 'long '.repeat(50_000);
    const $file = await fixture.files.put(session, Buffer.from(text));
    const message = { $file, bytes: text.length };
    await write(
      session,
      event('session_opened'),
      requested(run, message),
      claimed(run, 1),
      event('agent_started', run),
    );
    expect(await history(session)).toEqual([{ type: 'user_message', content: text }]);
    expect((await fixture.models.sessions.get(PROJECT, session)).title).toMatch(/^long long .*…$/);
    expect(await history(session)).toEqual([{ type: 'user_message', content: text }]);
  });

  it('begin again after a clear, with the first run that starts then', async () => {
    const session = newSession();
    const [one, two] = [`run_${session}_1`, `run_${session}_2`];
    await write(session, ...opening(one, 'first'), event('agent_response_start', one), said(one, 'old'));
    await fixture.models.caughtUp();
    await write(session, requested(two, 'second'), event('messages_cleared'), said(one, 'still old'));
    expect(await history(session)).toEqual([]);
    await write(session, event('agent_response_start', one), said(one, 'hidden'), turn(one));
    const cleared = await fixture.models.sessions.get(PROJECT, session);
    expect(cleared).toMatchObject({ message_count: 0, title: null });
    expect(await history(session)).toEqual([]);
    await write(session, costs(one, '0.5'), event('agent_completed', one));
    await write(session, claimed(two, 6), event('agent_started', two));
    expect(await history(session)).toEqual([{ type: 'user_message', content: 'second' }]);
    const view = await fixture.models.sessions.get(PROJECT, session);
    expect(view).toMatchObject({ message_count: 1, title: 'second', last_status: 'running', cost: '0.5' });
  });

  it('cancel a queued run at once and give it no message', async () => {
    const session = newSession();
    const [one, two] = [`run_${session}_1`, `run_${session}_2`];
    await write(session, ...opening(one, 'first'), requested(two, 'second'));
    expect(await fixture.models.runs.get(PROJECT, two)).toMatchObject({ status: 'queued', started_at: null });
    await write(session, event('run_cancel_requested', two));
    const cancelled = await fixture.models.runs.get(PROJECT, two);
    expect(cancelled).toMatchObject({ status: 'cancelled', started_at: null, last_event_id: null });
    await write(session, event('run_cancel_requested', one));
    expect(await fixture.models.runs.get(PROJECT, one)).toMatchObject({ status: 'running' });
    await write(session, costs(one, '0'), event('agent_cancelled', one));
    await write(session, claimed(two, 4, true), event('agent_started', two), costs(two, '0'));
    await write(session, event('agent_cancelled', two));
    expect(await fixture.models.runs.get(PROJECT, one)).toMatchObject({ status: 'cancelled', cost: '0' });
    expect(await fixture.models.runs.get(PROJECT, two)).toEqual({ ...cancelled, last_event_id: '12' });
    expect(await history(session)).toEqual([{ type: 'user_message', content: 'first' }]);
  });

  it('ignore a request that comes twice', async () => {
    const session = newSession();
    const run = `run_${session}_1`;
    await write(session, ...opening(run, 'once'), ...answer(run, ['yes']), requested(run, 'once'));
    expect(await fixture.models.runs.get(PROJECT, run)).toMatchObject({ status: 'completed' });
    expect(await fixture.models.sessions.get(PROJECT, session)).toMatchObject({ last_status: 'completed' });
  });

  it('tell why a run failed', async () => {
    const session = newSession();
    const run = `run_${session}_1`;
    const data = { content: 'the model said no', code: 'model_unavailable', retryable: true } as const;
    await write(session, ...opening(run, 'hi'), used(run, '{}'), costs(run, '0'), {
      type: 'agent_error',
      run,
      data,
    });
    expect(await fixture.models.runs.get(PROJECT, run)).toMatchObject({
      status: 'failed',
      error: { code: 'model_unavailable', message: 'the model said no', retryable: true },
    });
  });

  it('keep projects apart', async () => {
    const session = newSession();
    const run = `run_${session}_1`;
    await write(session, ...opening(run, 'mine'));
    const absent = { code: 'not_found' };
    await expect(wholeHistory(fixture.models.history, 'other', session)).rejects.toMatchObject(absent);
    await expect(fixture.models.runs.get('other', run)).rejects.toMatchObject(absent);
    await expect(fixture.models.sessions.get('other', session)).rejects.toMatchObject(absent);
    await expect(history('ses_nowhere')).rejects.toMatchObject(absent);
    await fixture.models.caughtUp();
    await expect(wholeHistory(fixture.models.history, 'other', session)).rejects.toMatchObject(absent);
  });
});

describe('lists', () => {
  const project = 'listed';
  const sessions: string[] = [];
  beforeAll(async () => {
    for (let i = 0; i < 7; i++) {
      const session = newSession();
      sessions.unshift(session);
      const run = `run_${session}_1`;
      const steps = [...opening(run, `number ${i}`), ...(i % 2 === 0 ? answer(run, ['ok']) : [])];
      // Three of a time, so that the id decides.
      const time = 1_763_715_600_000 + Math.floor(i / 3) * 1_000;
      await fixture.log.append(sessionStream(session), encoded(steps, { project, time }), {
        expected: 'no_stream',
      });
    }
  });

  it('go from page to page, the newest first, without a gap or a repeat', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await fixture.models.sessions.list({ project, limit: 2, cursor });
      seen.push(...page.items.map((s) => s.session));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen.toSorted()).toEqual(sessions.toSorted());
    const { items } = await fixture.models.sessions.list({ project, limit: 50 });
    expect(items.map((s) => s.session)).toEqual(seen);
    expect(items.map((s) => s.created_at)).toEqual(
      items
        .map((s) => s.created_at)
        .toSorted()
        .toReversed(),
    );
  });

  it('narrow runs by session, status and time', async () => {
    const ids = async (query: object) => {
      const found: string[] = [];
      for await (const runs of fixture.models.runs.list({ project, limit: 50, ...query }))
        found.push(...runs.map((run) => run.session));
      return found;
    };
    expect(await ids({})).toHaveLength(7);
    expect(await ids({ status: 'completed' })).toHaveLength(4);
    expect(await ids({ status: 'queued' })).toEqual([]);
    expect(await ids({ session: sessions[2] })).toEqual([sessions[2]]);
    expect(await ids({ from: 1_763_715_602_000 })).toEqual([sessions[0]]);
    expect(await ids({ to: 1_763_715_601_000 })).toHaveLength(3);
  });

  it.each(['x', '', 'W10', 'WzEsMl0', 'bnVsbA'])('refuse the cursor %j', async (cursor) => {
    const refusal = { code: 'invalid_request', more: { errors: [{ path: 'cursor' }] } };
    await expect(fixture.models.sessions.list({ project, limit: 2, cursor })).rejects.toMatchObject(refusal);
    await expect(fixture.models.runs.list({ project, limit: 2, cursor }).next()).rejects.toMatchObject(
      refusal,
    );
  });
});

describe('API keys', () => {
  it('are found by their hash until they are revoked', async () => {
    const random = new SystemRandom();
    const meta = { schemaVersion: 1, project: 'keys', actor: 'admin' };
    const write = (type: string, data: object) =>
      fixture.log.append(
        apiKeyStream('k1'),
        [newEvent({ id: random.uuid(), type, time: 1_763_715_600_000, data }, meta)],
        { expected: 'any' },
      );
    const issued = { id: 'k1', name: 'CI', hash: 'ab12', scopes: ['run', 'read'], webhook_secret: 'sealed' };
    await write('api_key_issued', issued);
    const keys = async () => {
      await fixture.models.caughtUp();
      const text = 'SELECT id, name, scopes, project, hash, revoked_at FROM annals.api_keys';
      return (await fixture.models.database.query({ text })).rows as unknown;
    };
    const row = { id: 'k1', name: 'CI', scopes: 'run read', project: 'keys', hash: 'ab12' };
    expect(await keys()).toEqual([{ ...row, revoked_at: null }]);
    await write('api_key_revoked', { id: 'k1' });
    expect(await keys()).toEqual([{ ...row, revoked_at: '1763715600000' }]);
  });
});
