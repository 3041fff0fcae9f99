import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Revision, SessionId } from '#domain';
import type { SessionView } from '#projections';
import { MemoryContentKeys } from '#event-log';
import type { MessageItem, MessageView } from '#read-models';
import { contextAsOf } from '#runs';
import { ForkedStories } from '../support/forked-stories.js';
import { type Fixture, PROJECT, openFixture } from '../support/read-models-fixture.js';
import { seeded } from '../support/read-models-stories.js';
import { wholeHistory } from '../support/whole-history.js';

const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const STEPS = 260;

const keys = new MemoryContentKeys();
let fixture: Fixture;
beforeAll(async () => void (fixture = await openFixture(keys)));
afterAll(() => fixture.close());

async function historyAt(session: SessionId, at: Revision): Promise<readonly MessageView[]> {
  const all: MessageView[] = [];
  for await (const page of fixture.models.history.messagesAsOf({ session, at })) all.push(...page);
  return all;
}

/** All pages of a size, one after the other. */
async function pagesOf(session: SessionId, limit: number): Promise<readonly MessageItem[]> {
  const all: MessageItem[] = [];
  let cursor: string | undefined;
  do {
    const page = fixture.models.messagePages.page({ project: PROJECT, session, limit, cursor });
    let size = 0;
    let step = await page.next();
    for (; step.done !== true; step = await page.next()) {
      all.push(...step.value);
      size += step.value.length;
    }
    expect(size).toBeLessThanOrEqual(limit);
    cursor = step.value ?? undefined;
  } while (cursor !== undefined);
  return all;
}

const shown = (view: SessionView) => {
  const { title, message_count, forked_from } = view;
  return { title, message_count, forked_from };
};

describe(`what is told of forks (SEED=${SEED})`, () => {
  const pick = seeded(SEED);
  let stories: ForkedStories;

  /** @param sizes of pages; each is gone through from the beginning */
  async function expectNow(session: SessionId, sizes: readonly number[]): Promise<void> {
    const { messages } = await stories.told(session);
    expect(await wholeHistory(fixture.models.history, PROJECT, session)).toEqual(messages);
    for (const size of sizes) {
      const items = await pagesOf(session, size);
      expect(items.map(({ type, content }) => ({ type, content }))).toEqual(messages);
    }
  }

  async function expectAt(session: SessionId, at: Revision): Promise<void> {
    const { messages, view, context } = await stories.told(session, at);
    expect(await historyAt(session, at)).toEqual(messages);
    expect(shown(await fixture.models.sessionsAsOf.session({ session, at }))).toEqual(view);
    expect(await contextAsOf(fixture.log, { session, at })).toEqual(context);
  }

  /** Of every session everything, as it is and as it was at some of its events; with lists. */
  async function expectAll(): Promise<void> {
    const { items } = await fixture.models.sessions.list({ project: PROJECT, limit: 100, cursor: undefined });
    expect(items.map(({ session }) => session).toSorted()).toEqual([...stories.sessions].toSorted());
    for (const session of stories.sessions) {
      const { messages, view } = await stories.told(session);
      const few = messages.length < 40 ? messages.map((_, n) => n + 1) : [1, 2, 3, 7, messages.length - 1];
      await expectNow(session, [...few, messages.length + 1]);
      expect(shown(await fixture.models.sessions.get(PROJECT, session))).toEqual(view);
      expect(shown(items.find((item) => item.session === session)!)).toEqual(view);
      const { length } = await stories.eventsOf(session);
      for (const at of [0, length - 1, pick(length), pick(length)]) await expectAt(session, at);
    }
  }

  it('is what the events of their lines tell, before the tables know them', async () => {
    stories = new ForkedStories(fixture.log, pick);
    await stories.begin();
    await stories.begin();
    for (let step = 0; step < STEPS; step++) {
      if (step > 20 && step % 16 === 0) await stories.fork(step % 32 === 0);
      await stories.next();
      if (pick(6) > 0) continue;
      const session = stories.sessions[pick(stories.sessions.length)]!;
      const { length } = await stories.eventsOf(session);
      await expectNow(session, [1 + pick(12)]);
      await expectAt(session, pick(length));
    }
    expect(stories.forks.length).toBeGreaterThan(10);
  });

  it('is the same when the tables know them, and after they were made anew', async () => {
    await fixture.models.caughtUp();
    await expectAll();
    await fixture.rebuild();
    await expectAll();
  });

  it('begins with what is their own once they were cleared, and is what it was before that', async () => {
    const { forks } = stories;
    for (const session of [forks[0]!, forks.at(-2)!]) {
      await stories.clear(session);
      await expectNow(session, [1, 3]);
    }
    await stories.fork(true);
    for (let step = 0; step < 40; step++) await stories.next();
    await fixture.models.caughtUp();
    await expectAll();
  });

  it('loses what an erased session had said, with all that lies behind it', async () => {
    for (const session of [stories.forks[3]!, stories.sessions[0]!]) {
      const key = await stories.erase(session);
      await keys.destroy(key);
      fixture.models.lines.forget(session);
      for (const left of stories.sessions) await expectNow(left, [2]);
      await fixture.models.caughtUp();
      await expectAll();
    }
    await fixture.rebuild();
    await expectAll();
  });
});
