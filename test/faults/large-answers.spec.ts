import { createHash } from 'node:crypto';
import { request, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { say } from '../support/scripted-model.js';
import type { ServiceClient } from '../support/service-client.js';
import { memoryOf } from '../support/service-process.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

const MB = 1024 * 1024;
const RUNS = 20;
/** In a file; an answer's text is on the log itself. */
const MESSAGE = 'm€'.repeat(250_000);
const ANSWER = 'the answer '.repeat(8_000);
const CLIENTS = 16;
/** Clients that ask and read nothing. */
const DEAF = 80;
/** So many of a project wait, and so many messages of this size has its half of MAX_ANSWERS_MB room for. */
const WAITING = 64;
const AT_ONCE = 2;
/** MB: MAX_ANSWERS_MB and the garbage of what was read; the answers of all clients together are several times as large. */
const MOST_GROWTH = 250;

let stage: Stage;
let key: string;
let other: ServiceClient;
let session: string;

async function keyOf(project: string): Promise<string> {
  const made = await stage.client.post('/api-keys', { name: project, project, scopes: ['run', 'read'] });
  return made.json<{ key: string }>().key;
}

beforeAll(async () => {
  stage = await Stage.open({ env: { MAX_ANSWERS_MB: '16', MAX_BODY_KB: '4096' } });
  key = await keyOf('large');
  other = stage.client.with(await keyOf('small'));
  const client = stage.client.with(key);
  for (let n = 0; n < RUNS; n++) {
    const message = stage.book.on(`${n} ${MESSAGE}`, say(ANSWER));
    const run = await client.run({ message, mode: 'flash' }, n === 0 ? {} : { session });
    await run.closed();
    stage.book.forgetRequests();
    ({ session } = run);
  }
});
afterAll(() => stage.close());

/** Asks for the history; the answer's body is read by nobody yet. */
function ask(signal?: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options = { method: 'POST', agent: false, headers: { authorization: `Bearer ${key}` } };
  const sent = request(`${stage.service.origin}/get-messages?session=${session}`, {
    ...options,
    ...(signal === undefined ? {} : { signal }),
  });
  sent.on('response', resolve).on('error', reject).end();
  return promise;
}

interface Read {
  readonly status: number | undefined;
  readonly bytes: number;
  readonly hash: string;
}

async function readAll(answer: IncomingMessage, pause?: () => Promise<void>): Promise<Read> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const part of answer) {
    hash.update(part as Buffer);
    bytes += (part as Buffer).length;
    await pause?.();
  }
  return { status: answer.statusCode, bytes, hash: hash.digest('hex') };
}

/** What the history is, as its text. */
function expected(): Read {
  const messages = Array.from({ length: RUNS }, (_, n) => [
    { type: 'user_message', content: `${n} ${MESSAGE}` },
    { type: 'agent_response', content: ANSWER },
  ]).flat();
  const text = JSON.stringify(messages);
  const hash = createHash('sha256').update(text).digest('hex');
  return { status: 200, bytes: Buffer.byteLength(text), hash };
}

/** The most that the service holds while something goes on, over what it held before. */
async function growthDuring(work: () => Promise<void>): Promise<number> {
  const before = memoryOf(stage.service.pid);
  let most = before;
  const look = setInterval(() => (most = Math.max(most, memoryOf(stage.service.pid))), 20);
  try {
    await work();
  } finally {
    clearInterval(look);
  }
  return Math.round((most - before) / MB);
}

describe('large answers', () => {
  it('are the same bytes for each of many that ask at once, and cost no more than their share', async () => {
    const whole = expected();
    expect(await readAll(await ask())).toEqual(whole);
    const growth = await growthDuring(async () => {
      const reads = Array.from({ length: CLIENTS }, async () => readAll(await ask()));
      expect(await Promise.all(reads)).toEqual(reads.map(() => whole));
    });
    expect(growth).toBeLessThan(MOST_GROWTH);
  });

  it('hold up nobody else where nobody reads them; those that are too many are refused, and who goes gives its share back', async () => {
    const gone = new AbortController();
    const begun: IncomingMessage[] = [];
    const growth = await growthDuring(async () => {
      const deaf = Array.from({ length: DEAF }, async () => {
        const answer = await ask(gone.signal);
        begun.push(answer);
        answer.on('error', () => undefined);
      });
      const outcomes = Promise.allSettled(deaf);
      const refused = () => begun.filter(({ statusCode }) => statusCode === 503);
      await until(() => refused().length >= DEAF - WAITING - AT_ONCE && begun.length > refused().length);
      for (const { headers } of refused()) {
        expect(headers['content-type']).toBe('application/problem+json');
        expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      }
      // Small ones of the same project, too.
      expect((await stage.client.with(key).get('/sessions')).status).toBe(200);
      const small = await other.runToEnd(stage.book.on('a small one', say('done')));
      expect(await other.history(small.session)).toHaveLength(2);
      expect(begun.filter(({ statusCode }) => statusCode === 200).length).toBeLessThanOrEqual(AT_ONCE);
      gone.abort();
      await outcomes;
      expect((await readAll(await ask())).bytes).toBe(expected().bytes);
    });
    expect(growth).toBeLessThan(MOST_GROWTH);
  });

  it('pages of tasks, too, are written piece by piece, and are what one task after the other is', async () => {
    const client = stage.client.with(key);
    const later = (message: string, count: number): object[] =>
      Array.from({ length: count }, (_, n) => ({ schedule: 86_400 + n, message: `${n} ${message}` }));
    for (const schedules of [later(MESSAGE, 3), later(ANSWER, 30), later('m', 5), later(MESSAGE, 3)]) {
      const body = { message: stage.book.on('with tasks', say('ok')), background: true, schedules };
      expect((await client.post('/', body)).status).toBe(202);
    }
    const items = await client.all<{ task_id: string; message: string }>('/tasks', 1);
    expect(items).toHaveLength(41);
    const expected = JSON.stringify({ items, next_cursor: null });
    const page = async (): Promise<void> => {
      const answer = await fetch(`${stage.service.origin}/tasks?limit=200`, {
        headers: { authorization: `Bearer ${key}` },
      });
      expect((await answer.text()) === expected).toBe(true);
    };
    await page();
    const growth = await growthDuring(async () => {
      await Promise.all(Array.from({ length: CLIENTS }, page));
    });
    expect(growth).toBeLessThan(MOST_GROWTH);
    const [large] = items.filter(({ message }) => message.length > 100_000);
    const path = `/tasks/${large!.task_id}`;
    // Compared here: what differs would be printed.
    expect((await client.get(path)).text === JSON.stringify(large)).toBe(true);
    const paused = await client.post(`${path}/pause`);
    const changed = { ...large, status: 'paused', next_run_at: null };
    expect([paused.status, paused.text === JSON.stringify(changed)]).toEqual([200, true]);
  });
});
