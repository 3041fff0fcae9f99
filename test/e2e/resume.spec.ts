import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Page, type SseRecord, type SseStream, isEnd } from '../support/service-client.js';
import { Gate, before, call, say, thinking } from '../support/scripted-model.js';
import { Stage } from '../support/stage.js';

interface RecordedEvent {
  readonly id: string;
  readonly data: object;
}

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage.close());

const textOf = (records: readonly SseRecord[]): string[] => records.map(({ id, json }) => `${id} ${json}`);

async function pagesOf(path: string, after: number, limit: number): Promise<RecordedEvent[]> {
  const items: RecordedEvent[] = [];
  for (let place = `after=${after}`; ;) {
    const answer = await stage.client.get(`${path}/events?limit=${limit}&${place}`, {
      headers: { accept: 'application/json' },
    });
    expect(answer.status).toBe(200);
    const page = answer.json<Page<RecordedEvent>>();
    items.push(...page.items);
    if (page.next_cursor === null) return items;
    place = `cursor=${page.next_cursor}`;
  }
}

/** A session of two runs, and what the clients of both saw. */
async function twoRuns(): Promise<{ first: SseStream; second: SseStream }> {
  const one = stage.book.on(
    stage.message('first'),
    say(...thinking('a', 'b'), 'Looking', '.', ...call(0, 'c', 'lookup')),
    say('Nothing', ' there.'),
  );
  const two = stage.book.on(stage.message('second'), say('And', ' again.'));
  const first = await (await stage.client.run({ message: one, streaming_tokens: true })).closed();
  const { session } = first;
  const second = await (
    await stage.client.run({ message: two, streaming_tokens: true }, { session })
  ).closed();
  return { first, second };
}

describe('a text with what ends lines for some readers', () => {
  it('is one line in a stream and on a page, in the same bytes, and comes out as it was said', async () => {
    const said = ['\u0085', '\u2028', '\u2029', '\v\f\u001c\u001d\u001e'].join('data: {"type":"forged"}');
    const message = stage.book.on(stage.message(`lines ${said}`), say(said));
    const stream = await (await stage.client.run(message)).closed();
    expect(stream.lines).toContain(`agent_response ${said}`);
    const records = stream.records.map(({ id, json }) => `{"id":"${id}","data":${json}}`);
    for (const { json } of stream.records) expect(json).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    const headers = { accept: 'application/json' };
    const { text } = await stage.client.get(`/runs/${stream.run}/events`, { headers });
    expect(text).toBe(`{"items":[${records.join(',')}],"next_cursor":null}`);
  });
});

describe('a run that has ended', () => {
  it('is resumed after every one of its events with exactly the rest, and 204 where nothing is left', async () => {
    const { first: whole } = await twoRuns();
    for (const [at, { id }] of whole.records.entries()) {
      const rest = await (await stage.client.follow(`/runs/${whole.run}`, id)).closed();
      expect(textOf(rest.records)).toEqual(textOf(whole.records.slice(at + 1)));
      expect(rest.status).toBe(at + 1 < whole.records.length ? 200 : 204);
      const query = await (
        await stage.client.stream('GET', `/runs/${whole.run}/events?after=${id}`)
      ).closed();
      expect(textOf(query.records)).toEqual(textOf(rest.records));
    }
    const all = await (await stage.client.follow(`/runs/${whole.run}`)).closed();
    expect(textOf(all.records)).toEqual(textOf(whole.records));
  });

  it('lets Last-Event-ID count more than the address', async () => {
    const { first } = await twoRuns();
    const [, second] = first.records;
    const stream = await stage.client.stream('GET', `/runs/${first.run}/events?after=0`, {
      headers: { 'last-event-id': String(second?.id) },
    });
    expect(textOf((await stream.closed()).records)).toEqual(textOf(first.records.slice(2)));
  });

  it('answers pages of the same bytes, whatever their size', async () => {
    const { first, second } = await twoRuns();
    const expected = first.records.map(({ id, json }) => ({
      id: String(id),
      data: JSON.parse(json) as object,
    }));
    for (const limit of [1, 2, 5, 200])
      expect(await pagesOf(`/runs/${first.run}`, 0, limit)).toEqual(expected);
    for (const [at, { id }] of first.records.entries())
      expect(await pagesOf(`/runs/${first.run}`, id, 3)).toEqual(expected.slice(at + 1));
    const both = [...first.records, ...second.records].map(({ id }) => String(id));
    expect((await pagesOf(`/sessions/${first.session}`, 0, 4)).map(({ id }) => id)).toEqual(both);
  });

  it('refuses what is no id of an event', async () => {
    const { first } = await twoRuns();
    for (const query of ['after=-1', 'after=1.5', 'after=x', 'after=', 'cursor=x', 'limit=0', 'limit=201']) {
      const answer = await stage.client.get(`/runs/${first.run}/events?${query}`, {
        headers: { accept: 'application/json' },
      });
      expect([query, answer.status]).toEqual([query, 400]);
    }
    const header = await stage.client.get(`/runs/${first.run}/events`, { headers: { 'last-event-id': 'x' } });
    expect(header.status).toBe(400);
  });
});

describe('a session', () => {
  it('is followed over its runs from after every event, and stays open for what comes', async () => {
    const { first, second } = await twoRuns();
    const { session } = first;
    const all = [...first.records, ...second.records];
    const streams = await Promise.all(
      [-1, ...all.map(({ id }) => id)].map((id) =>
        stage.client.follow(`/sessions/${session}`, id < 0 ? undefined : id),
      ),
    );
    const third = await (await stage.client.run(stage.message('third'), { session })).closed();
    const seen = [...all, ...third.records];
    for (const [n, stream] of streams.entries()) {
      await stream.until(({ id }) => id === third.lastId);
      expect(textOf(stream.records)).toEqual(textOf(seen.slice(n)));
      expect(stream.end).toBe('open');
      stream.leave();
    }
  });
});

describe('a run that is under way', () => {
  it('is joined at every event by clients who all see the same, while another is ahead', async () => {
    const gates = Array.from({ length: 6 }, () => new Gate());
    const message = stage.book.on(
      stage.message('live'),
      say(...gates.flatMap((gate, n) => [`piece ${n} `, before(gate)]), 'end'),
    );
    const first = await stage.client.run({ message, streaming_tokens: true });
    await first.untilType('agent_started');
    const joined: SseStream[] = [];
    for (const [n, gate] of gates.entries()) {
      await gate.reached;
      await first.until(({ event }) => event.content?.includes(`piece ${n} `) === true);
      for (const after of [undefined, first.lastId])
        joined.push(await stage.client.follow(`/runs/${first.run}`, after));
      gate.open();
    }
    await first.closed();
    for (const stream of joined) {
      await stream.closed();
      const from = first.records.length - stream.records.length;
      expect(textOf(stream.records)).toEqual(textOf(first.records.slice(from)));
      expect(stream.records.some(isEnd)).toBe(true);
    }
    expect(joined[0]?.records.length).toBe(first.records.length);
  });

  it('goes on without the client that started it', async () => {
    const gate = new Gate();
    const message = stage.book.on(stage.message('leaves'), say('one ', before(gate), 'two'));
    const stream = await stage.client.run({ message, streaming_tokens: true });
    await stream.untilType('agent_response');
    stream.leave();
    await stream.closed();
    gate.open();
    const rest = await (await stage.client.follow(`/runs/${stream.run}`, stream.lastId)).closed();
    expect(rest.lines.at(-1)).toBe('agent_completed');
    expect(await stage.client.history(stream.session)).toEqual([
      { type: 'user_message', content: message },
      { type: 'agent_response', content: 'one two' },
    ]);
  });
});

describe('after a stop and a start', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)('by %s everything is resumed as before', async (signal) => {
    const { first, second } = await twoRuns();
    const { session } = first;
    const history = await stage.client.history(session);
    await stage.service.restart(signal);
    expect(await stage.client.history(session)).toEqual(history);
    for (const [at, { id }] of first.records.entries()) {
      const rest = await (await stage.client.follow(`/runs/${first.run}`, id)).closed();
      expect(textOf(rest.records)).toEqual(textOf(first.records.slice(at + 1)));
    }
    const page = await pagesOf(`/sessions/${session}`, first.lastId, 200);
    expect(page.map(({ id }) => Number(id))).toEqual(second.ids);
    const next = await stage.client.runToEnd(stage.message('goes on'), { session });
    expect(next.messages.slice(0, history.length)).toEqual(history);
  });
});
