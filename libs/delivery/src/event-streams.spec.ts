import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isPublicType, sessionStream } from '#domain';
import { ContentStore, MemoryFileStore } from '#vault';
import { type RecordedEvent, newEvent } from '#event-log';
import { CollectingSink } from '../../../test/support/collecting-sink.js';
import { Gate } from '../../../test/support/scripted-turn.js';
import {
  SessionTape,
  completed,
  opened,
  requested,
  response,
  responseStart,
  step,
  turn,
} from '../../../test/support/session-tape.js';
import { TempLog, appendTape } from '../../../test/support/temp-log.js';
import { EventStreams, type StreamRequest } from './event-streams.js';

let temp: TempLog;
let streams: EventStreams;
let events: RecordedEvent[];
const session = 'ses_delivery';
const A = `run_${session}_a`;
const B = `run_${session}_b`;

beforeAll(async () => {
  temp = await TempLog.open();
  streams = new EventStreams(temp.log, new ContentStore(new MemoryFileStore()));
  const tape = new SessionTape().add(undefined, opened);
  tape.addRun(A, 'one', responseStart, response('6 x'), response(' 7'));
  tape.add(B, requested('two')).add(A, response(' is 42.'), turn(), step(1));
  tape.add(A, { type: 'agent_cost', data: { cost: '0.001' } }, completed);
  tape.startRun(B, responseStart, response('ok'), turn(), step(1), completed);
  await appendTape(temp, session, tape);
  events = await temp.read(sessionStream(session));
});
afterAll(() => temp.close());

const isWanted = (event: RecordedEvent, run?: string) =>
  isPublicType(event.type) && (run === undefined || event.meta.run === run);
const idsAfter = (after: number, run?: string) =>
  events.filter((e) => e.revision > after && isWanted(e, run)).map((e) => e.revision);

async function sent(request: Omit<StreamRequest, 'session'>): Promise<CollectingSink> {
  const sink = new CollectingSink();
  await streams.send({ session, ...request }, sink);
  return sink;
}

describe("a run's stream", () => {
  it('is records of an id and a line of JSON, which end with the run', async () => {
    const sink = await sent({ run: A, after: -1 });
    const json = (revision: number) => sink.records.find((r) => r.startsWith(`id: ${revision}\n`));
    expect(sink.ids).toEqual([3, 4, 5, 6, 8, 10, 11, 12]);
    expect(json(3)).toBe(`id: 3\ndata: {"type":"agent_started","session":"${session}"}\n\n`);
    expect(json(5)).toBe(`id: 5\ndata: {"type":"agent_response","session":"${session}","content":"6 x"}\n\n`);
    expect(json(11)).toBe(`id: 11\ndata: {"type":"agent_cost","session":"${session}","cost":"0.001"}\n\n`);
    expect(json(12)).toBe(`id: 12\ndata: {"type":"agent_completed","session":"${session}"}\n\n`);
    expect(sink.isEnded).toBe(true);
  });

  it.each([
    ['the first run', A],
    ['a run that waited', B],
  ])('of %s, resumed after any event before its end, is the suffix of the whole', async (_, run) => {
    const whole = (await sent({ run, after: -1 })).records;
    const end = idsAfter(-1, run).at(-1)!;
    for (let after = -1; after < end; after++) {
      const sink = await sent({ run, after });
      expect([after, sink.ids]).toEqual([after, idsAfter(after, run)]);
      expect(sink.records).toEqual(whole.slice(-sink.records.length));
    }
  });
});

describe("a session's stream", () => {
  let live: TempLog;
  let tape: SessionTape;
  let follow: EventStreams;
  beforeEach(() => {
    tape = new SessionTape();
  });
  beforeAll(async () => {
    live = await TempLog.open();
    follow = new EventStreams(live.log, new ContentStore(new MemoryFileStore()));
  });
  afterAll(() => live.close());

  it('resumed after any event is the suffix of the whole, and stays open', async () => {
    for (let after = -1; after < events.length; after++) {
      const sink = new CollectingSink();
      const sending = streams.send({ session, after }, sink);
      const expected = idsAfter(after);
      await sink.received(expected.length);
      expect([after, sink.ids, sink.isEnded]).toEqual([after, expected, false]);
      sink.leave();
      await sending;
      expect(sink.isEnded).toBe(true);
    }
  });

  it('goes on with what comes, over the ends of runs', async () => {
    const sink = new CollectingSink();
    const sending = follow.send({ session: 'ses_live', after: -1 }, sink);
    const add = async (from: number) => {
      const drafts = tape.events.slice(from);
      const made = drafts.map(({ type, data, time, meta }, i) => {
        const id = `00000000-0000-4000-8000-${String(from + i).padStart(12, '0')}`;
        return newEvent({ id, type, time, data }, { schemaVersion: 1, ...meta });
      });
      await live.log.append(sessionStream('ses_live'), made, { expected: 'any' });
    };
    tape.add(undefined, opened).addRun('a', 'one', completed);
    await add(0);
    await sink.received(2);
    tape.addRun('b', 'two', responseStart, response('hi'));
    await add(5);
    await sink.received(5);
    expect(sink.ids).toEqual([3, 4, 7, 8, 9]);
    sink.leave();
    await sending;
  });

  it('reads on only when the client has taken what was sent', async () => {
    const text = 'x'.repeat(20_000);
    tape
      .add(undefined, opened)
      .addRun('a', 'one', responseStart, ...Array.from({ length: 30 }, () => response(text)));
    tape.add('a', completed);
    await appendTape(live, 'ses_slow', tape);
    const gate = new Gate();
    const sink = new CollectingSink(gate);
    const sending = follow.send({ session: 'ses_slow', run: 'a', after: -1 }, sink);
    await gate.reached;
    await new Promise(setImmediate);
    expect(sink.writes).toHaveLength(1);
    expect(sink.writes[0]!.length).toBeLessThan(64 * 1024 + 21_000);
    gate.open();
    await sending;
    expect(sink.ids).toHaveLength(33);
    for (const write of sink.writes) expect(write.length).toBeLessThan(64 * 1024 + 21_000);
  });

  it('sends nothing more to a client that is gone, whose stream ends', async () => {
    const sink = new CollectingSink();
    sink.leave();
    await streams.send({ session, after: -1 }, sink);
    expect(sink.isEnded).toBe(true);
  });
});

describe('a page of recorded events', () => {
  const ids = ({ items }: { items: readonly { id: number }[] }) => items.map((item) => item.id);

  it('holds the same JSON as the stream', async () => {
    const sink = await sent({ run: A, after: -1 });
    const { items } = await streams.page({ session, run: A, after: -1 }, 200);
    expect(items.map(({ id, json }) => `id: ${id}\ndata: ${json}\n\n`)).toEqual(sink.records);
  });

  it.each([1, 2, 3, 50])('of %d, taken one after the other, are the whole', async (limit) => {
    for (const run of [undefined, A, B]) {
      const got: number[] = [];
      for (let after = -1, hasMore = true; hasMore;) {
        const page = await streams.page({ session, after, ...(run ? { run } : {}) }, limit);
        got.push(...ids(page));
        expect(page.items.length).toBeLessThanOrEqual(limit);
        expect(page.items.length).toBeGreaterThan(0);
        hasMore = page.hasMore;
        after = got.at(-1)!;
      }
      expect(got).toEqual(idsAfter(-1, run));
    }
  });

  it('is empty behind the last event, and of a session that is not there', async () => {
    expect(await streams.page({ session, after: 99 }, 10)).toEqual({ items: [], hasMore: false });
    expect(await streams.page({ session: 'ses_none', after: -1 }, 10)).toEqual({ items: [], hasMore: false });
  });
});
