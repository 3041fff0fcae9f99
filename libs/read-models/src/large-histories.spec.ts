import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asSessionEvent, isFileRef, sessionStream } from '#domain';
import { ContentStore } from '#vault';
import { collect } from '#event-log';
import type { MessageView } from './queries/history.js';
import { historyOnLog } from '../../../test/support/log-history.js';
import { wholeHistory } from '../../../test/support/whole-history.js';
import {
  answer,
  append,
  claimed,
  event,
  type Fixture,
  newSession,
  openFixture,
  opening,
  PROJECT,
  requested,
  type Step,
} from '../../../test/support/read-models-fixture.js';

let fixture: Fixture;
beforeAll(async () => void (fixture = await openFixture()));
afterAll(() => fixture.close());

const KB = 1024;
/** What a page may hold, as text. */
const PAGE_CHARS = 300 * KB;

const textOf = (n: number, size: number): string => `${n} ${'äx€'.repeat(size / 6)}`;

/** So many runs, each in an append of its own: a message and an answer of this size. */
async function writeRuns(session: string, from: number, count: number, size: number): Promise<void> {
  for (let n = from; n < from + count; n++) {
    const run = `run_${session}_${n}`;
    const [first] = await eventsOf(session, -1, true);
    const at = (first?.revision ?? 0) + 1;
    const start: Step[] =
      n === 0
        ? opening(run, `m${n}`)
        : [requested(run, `m${n}`), claimed(run, at), event('agent_started', run)];
    await append(fixture.log, session, [
      ...start,
      ...answer(run, [textOf(n, size / 2), textOf(n, size / 2)]),
    ]);
  }
}

const eventsOf = async (session: string, after: number, isLast = false) =>
  collect(fixture.log.readStream(sessionStream(session), isLast ? { backwards: true, limit: 1 } : { after }));

/** The history as nothing but the log tells it. */
async function onLog(session: string): Promise<readonly MessageView[]> {
  const content = new ContentStore(fixture.files);
  const events = (await eventsOf(session, -1)).map(asSessionEvent);
  const views = historyOnLog(events).map(async ({ type, pieces }) => {
    const texts = await Promise.all(pieces.map((piece) => content.text(session, piece)));
    return { type, content: texts.join('') };
  });
  return Promise.all(views);
}

/** All pages, how large they were, and what was weighed before each. */
async function pagesOf(session: string) {
  const pages: (readonly MessageView[])[] = [];
  const weighed: number[] = [];
  const weigh = async (bytes: number) => void weighed.push(bytes);
  for await (const page of fixture.models.history.messages(PROJECT, session, weigh)) pages.push(page);
  const sizes = pages.map((page) => page.reduce((sum, { content }) => sum + content.length, 0));
  return { messages: pages.flat(), weighed, largest: Math.max(...sizes), count: pages.length };
}

describe('a large history', () => {
  it('is read a page at a time, from rows and from the log, with what has to be weighed', async () => {
    const session = newSession();
    await writeRuns(session, 0, 100, 20 * KB);
    await fixture.models.caughtUp();
    // All of it in one batch of the projection, and a message that lies in a file.
    const run = `run_${session}_file`;
    const long = await new ContentStore(fixture.files).store(session, textOf(0, 600 * KB));
    expect(isFileRef(long)).toBe(true);
    const [last] = await eventsOf(session, -1, true);
    const start = [requested(run, long), claimed(run, last!.revision + 1), event('agent_started', run)];
    await append(fixture.log, session, [...start, ...answer(run, ['short'])]);
    const expected = await onLog(session);
    expect(expected).toHaveLength(202);

    const before = await pagesOf(session);
    await fixture.models.caughtUp();
    const after = await pagesOf(session);
    await fixture.models.close();
    const fromLog = await pagesOf(session);
    await fixture.reopen();
    for (const { messages, weighed, largest, count } of [before, after, fromLog]) {
      expect(messages).toEqual(expected);
      expect(count).toBeGreaterThan(3);
      expect(largest).toBeLessThan(700 * KB);
      expect(weighed).toContain(isFileRef(long) ? long.bytes : 0);
      expect(weighed[0]).toBeGreaterThanOrEqual(256 * KB);
    }
    const shortPages = await pagesOf(await shortSession());
    expect(shortPages).toMatchObject({ count: 1, weighed: [] });
  });

  it('has pages of a bounded size, whatever a commit wrote at once', async () => {
    const session = newSession();
    await writeRuns(session, 0, 200, 4 * KB);
    await fixture.models.caughtUp();
    const { messages, largest } = await pagesOf(session);
    expect(messages).toEqual(await onLog(session));
    expect(largest).toBeLessThan(PAGE_CHARS);
  });

  it('is what it was when it began, whatever is written meanwhile', async () => {
    const session = newSession();
    await writeRuns(session, 0, 60, 20 * KB);
    await fixture.models.caughtUp();
    const expected = await onLog(session);
    const history = fixture.models.history.messages(PROJECT, session);
    const first = await history.next();
    await writeRuns(session, 60, 3, 20 * KB);
    await fixture.models.caughtUp();
    const rest: MessageView[] = [];
    for await (const page of history) rest.push(...page);
    expect([...(first.value as readonly MessageView[]), ...rest]).toEqual(expected);
  });

  it('ends with an error, never early, where it is cleared between two pages', async () => {
    const session = newSession();
    await writeRuns(session, 0, 60, 20 * KB);
    await fixture.models.caughtUp();
    const history = fixture.models.history.messages(PROJECT, session);
    await history.next();
    await append(fixture.log, session, [event('messages_cleared')]);
    await fixture.models.caughtUp();
    await writeRuns(session, 60, 2, 20 * KB);
    await fixture.models.caughtUp();
    await expect(history.next().then(() => history.next())).rejects.toMatchObject({
      name: 'ReadModelsUnavailable',
    });
    expect(await wholeHistory(fixture.models.history, PROJECT, session)).toEqual(await onLog(session));
  });

  it('begins behind its last clear, also where only the log tells it', async () => {
    const session = newSession();
    await writeRuns(session, 0, 40, 20 * KB);
    // The run is claimed before the clear, and starts behind it.
    const run = `run_${session}_over`;
    const [last] = await eventsOf(session, -1, true);
    const claim = [requested(run, 'over the clear'), claimed(run, last!.revision + 1)];
    const cleared = [event('messages_cleared'), event('agent_started', run)];
    await append(fixture.log, session, [...claim, ...cleared, ...answer(run, ['behind'])]);
    await writeRuns(session, 41, 40, 20 * KB);
    const expected = await onLog(session);
    expect(expected).toHaveLength(82);
    await fixture.models.close();
    const fromLog = await pagesOf(session);
    await fixture.reopen();
    expect(fromLog.messages).toEqual(expected);
    expect(fromLog.largest).toBeLessThan(1_100 * KB);
    await fixture.models.caughtUp();
    expect(await wholeHistory(fixture.models.history, PROJECT, session)).toEqual(expected);
  });
});

async function shortSession(): Promise<string> {
  const session = newSession();
  await writeRuns(session, 0, 2, 60);
  return session;
}
