import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gate, before, say } from '../support/scripted-model.js';
import type { RunBody, SseStream } from '../support/service-client.js';
import { Stage } from '../support/stage.js';

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage.close());

const start = (key: string, body: RunBody | string, session?: string): Promise<SseStream> =>
  stage.client.run(body, {
    headers: { 'idempotency-key': key },
    ...(session === undefined ? {} : { session }),
  });

const same = (a: SseStream, b: SseStream): void => {
  expect(b.run).toBe(a.run);
  expect(b.records).toEqual(a.records);
};

describe('the same key and payload', () => {
  it('is the same run, replayed from its start', async () => {
    const message = stage.message('once');
    const first = await (await start('a', message)).closed();
    const again = await (await start('a', message)).closed();
    same(first, again);
    expect(stage.book.asksOf(message, 0)).toBe(1);
  });

  it('follows the run that is under way', async () => {
    const gate = new Gate();
    const message = stage.book.on(stage.message('follow'), say('one ', before(gate), 'two'));
    const first = await start('b', { message, streaming_tokens: true });
    await first.untilType('agent_response');
    const second = await start('b', { message, streaming_tokens: true });
    await second.untilType('agent_response');
    gate.open();
    same(await first.closed(), await second.closed());
  });

  it('is one run when ten ask at once, in a new session and in a known one', async () => {
    const { session } = await stage.client.runToEnd(stage.message('known'));
    for (const [key, place] of [
      ['c', undefined],
      ['d', session],
    ] as const) {
      const message = stage.message('ten at once');
      const streams = await Promise.all(Array.from({ length: 10 }, () => start(key, message, place)));
      await Promise.all(streams.map((stream) => stream.closed()));
      for (const stream of streams.slice(1)) same(streams[0]!, stream);
      expect(stage.book.asksOf(message, 0)).toBe(1);
    }
  });

  it('is known by its meaning: order of fields and spaces do not count', async () => {
    const message = stage.message('meaning');
    const bodies = [
      `{"message":"${message}","mode":"max","rules":["x"]}`,
      `{ "rules" : ["x"], "mode":"max",\n "message":"${message}" }`,
    ];
    const streams = await Promise.all(
      bodies.map((body) => stage.client.stream('POST', '/', { body, headers: { 'idempotency-key': 'e' } })),
    );
    for (const stream of streams) await stream.closed();
    expect(streams[0]?.status).toBe(200);
    same(streams[0]!, streams[1]!);
  });

  it('answers in the form that the repeat asks for', async () => {
    const message = stage.message('forms');
    const stream = await (await start('f', message)).closed();
    const json = await stage.client.runToEnd(message, { headers: { 'idempotency-key': 'f' } });
    expect([json.run_id, json.status]).toEqual([stream.run, 'completed']);
  });

  it('is the same run after a crash', async () => {
    const message = stage.message('crash');
    const first = await (await start('g', message)).closed();
    await stage.service.restart('SIGKILL');
    same(first, await (await start('g', message)).closed());
  });
});

describe('a key', () => {
  it('with another payload is refused with 422, and starts nothing', async () => {
    const message = stage.message('payload');
    const { session } = await (await start('h', message)).closed();
    const runs = (await stage.client.all('/runs')).length;
    const headers = { 'idempotency-key': 'h' };
    for (const [path, body] of [
      ['/', { message: `${message}!` }],
      ['/', { message, mode: 'max' }],
      [`/?session=${session}`, { message }],
    ] as const) {
      const answer = await stage.client.post(path, body, { headers });
      expect([answer.status, answer.json()['code']]).toEqual([422, 'idempotency_mismatch']);
    }
    expect((await stage.client.all('/runs')).length).toBe(runs);
    const nowhere = await stage.client.post('/?session=nope', { message }, { headers });
    expect([nowhere.status, nowhere.json()['code']]).toEqual([404, 'not_found']);
  });

  it('is refused when it is given twice: joined it would be another key', async () => {
    const runs = (await stage.client.all('/runs')).length;
    for (const given of [['k', 'k'], ['k', 'l'], ['']]) {
      const headers = { 'idempotency-key': given };
      const answer = await stage.client.post('/', { message: stage.message('twice') }, { headers });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('Idempotency-Key')]);
    }
    expect((await stage.client.all('/runs')).length).toBe(runs);
  });

  it('belongs to its project', async () => {
    const issued = await stage.client.post('/api-keys', {
      name: 'other',
      scopes: ['run', 'read'],
      project: 'other-project',
    });
    const other = stage.client.with(issued.json<{ key: string }>().key);
    const message = stage.message('projects');
    const ours = await (await start('i', message)).closed();
    const theirs = await other.run(message, { headers: { 'idempotency-key': 'i' } });
    await theirs.closed();
    expect(theirs.status).toBe(200);
    expect(theirs.run).not.toBe(ours.run);
  });

  it('belongs to its operation: what started a run may retry and replay it, and fork its session', async () => {
    const { run, session } = await (await start('j', stage.message('operations'))).closed();
    const options = { headers: { 'idempotency-key': 'j' } };
    for (const path of [`/runs/${run}/replay`, `/sessions/${session}/fork`]) {
      const both = [await stage.client.post(path, {}, options), await stage.client.post(path, {}, options)];
      expect(both.map(({ status }) => status)).toEqual(path.endsWith('fork') ? [201, 201] : [200, 200]);
    }
    // It has ended: that is what is said of it, and not that the key was used.
    const retried = await stage.client.post(`/runs/${run}/retry`, {}, options);
    expect([retried.status, retried.json()['code']]).toEqual([409, 'conflict']);
  });

  it('is refused where it is no key', async () => {
    for (const key of ['x'.repeat(256), 'é', '']) {
      const answer = await stage.client
        .post('/', { message: 'hi', background: true }, { headers: { 'idempotency-key': key } })
        .catch(() => null);
      if (answer !== null) expect([key.slice(0, 3), answer.status]).toEqual([key.slice(0, 3), 400]);
    }
  });
});
