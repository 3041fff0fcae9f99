import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NOTHING_INHERITED, asOf, sessionView, titleOf } from '#projections';
import { type RecordedSessionEvent, type SessionId, asSessionEvent, sessionStream } from '#domain';
import { collect } from '#event-log';
import type { MessageView } from '#read-models';
import { contextAsOf } from '#runs';
import { historyOnLog } from '../support/log-history.js';
import {
  type Fixture,
  PROJECT,
  answer,
  append,
  claimed,
  event,
  newSession,
  openFixture,
  opening,
  requested,
} from '../support/read-models-fixture.js';
import { Story, seeded } from '../support/read-models-stories.js';
import { wholeHistory } from '../support/whole-history.js';

const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const STORIES = 4;
const STEPS = 300;

let fixture: Fixture;
beforeAll(async () => void (fixture = await openFixture()));
afterAll(() => fixture.close());

const eventsOf = async (session: SessionId): Promise<RecordedSessionEvent[]> =>
  (await collect(fixture.log.readStream(sessionStream(session)))).map(asSessionEvent);

async function historyAt(session: SessionId, at: number): Promise<readonly MessageView[]> {
  const all: MessageView[] = [];
  for await (const page of fixture.models.history.messagesAsOf({ session, at })) all.push(...page);
  return all;
}

/** The same of the events as if they were the whole stream. */
const historyOf = (prefix: readonly RecordedSessionEvent[]): readonly MessageView[] =>
  historyOnLog(prefix).map(({ type, pieces }) => ({ type, content: pieces.map(String).join('') }));

/** Of what is told of a session, everything, at one event. */
async function expectAsOf(session: SessionId, events: readonly RecordedSessionEvent[], at: number) {
  const prefix = events.slice(0, at + 1);
  const { summary, context } = asOf(session, prefix);
  expect(await historyAt(session, at)).toEqual(historyOf(prefix));
  const from = summary!.titleFrom;
  const title = from === null ? null : titleOf(from.message as string);
  const view = sessionView(summary!, title, NOTHING_INHERITED);
  expect(await fixture.models.sessionsAsOf.session({ session, at })).toEqual(view);
  expect(await contextAsOf(fixture.log, { session, at })).toEqual(context);
}

describe(`what is told of a session as of an event (SEED=${SEED})`, () => {
  const pick = seeded(SEED);

  it('is what the events up to there tell, before and after the tables know them', async () => {
    const stories = Array.from({ length: STORIES }, () => new Story(fixture.log, pick));
    for (let step = 0; step < STEPS; step++) {
      const story = stories[pick(STORIES)]!;
      await story.next();
      if (pick(10) > 0) continue;
      const events = await eventsOf(story.session);
      await expectAsOf(story.session, events, pick(events.length));
    }
    await fixture.models.caughtUp();
    for (const { session } of stories) {
      const events = await eventsOf(session);
      for (let at = 0; at < events.length; at++) await expectAsOf(session, events, at);
      const last = events.length - 1;
      expect(await historyAt(session, last)).toEqual(
        await wholeHistory(fixture.models.history, PROJECT, session),
      );
      expect(await fixture.models.sessionsAsOf.session({ session, at: last })).toEqual(
        await fixture.models.sessions.get(PROJECT, session),
      );
    }
  });

  it('costs at a 10,000th event no more than half as much again as the history of now', async () => {
    const session = newSession();
    for (let n = 0, at = 0; at < 10_000; n++) {
      const run = `run_${session}_${n}`;
      const begun =
        n === 0 ? opening(run, 'm') : [requested(run, 'm'), claimed(run, at), event('agent_started', run)];
      const steps = [
        ...begun,
        ...answer(
          run,
          Array.from({ length: 40 }, (_, i) => `piece ${i} `),
        ),
      ];
      await append(fixture.log, session, steps);
      at += steps.length;
    }
    await fixture.models.caughtUp();
    const last = (await eventsOf(session)).length - 1;
    const [now, then]: [number[], number[]] = [[], []];
    for (let round = 0; round < 15; round++) {
      now.push(await msOf(() => wholeHistory(fixture.models.history, PROJECT, session)));
      then.push(await msOf(() => historyAt(session, last - 1)));
    }
    // The least of each: what other suites take of the machine meanwhile is not in it.
    const [leastNow, leastThen] = [Math.min(...now), Math.min(...then)];
    console.info(`now ${leastNow.toFixed(1)} ms, as of an event ${leastThen.toFixed(1)} ms`);
    expect(leastThen).toBeLessThanOrEqual(1.5 * leastNow + 5);
  });
});

async function msOf(act: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await act();
  return performance.now() - since;
}
