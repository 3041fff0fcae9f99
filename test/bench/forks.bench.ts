import { type SessionId, isEndType, sessionStream } from '#domain';
import { MemoryContentKeys } from '#event-log';
import { contextAsOf } from '#runs';
import { ownPart } from '../../libs/runs/src/fork/own-part.js';
import { ForkingHouse } from '../support/forking-house.js';
import { median } from '../support/median.js';
import {
  type Fixture,
  PROJECT,
  type Step,
  answer,
  append,
  claimed,
  event,
  newSession,
  openFixture,
  opening,
  requested,
} from '../support/read-models-fixture.js';
import { done, text } from '../support/scripted-client.js';
import {
  SessionTape,
  completed,
  opened,
  response,
  responseStart,
  step,
  turn,
} from '../support/session-tape.js';
import { TempLog, appendTape } from '../support/temp-log.js';
import { wholeHistory } from '../support/whole-history.js';

/** What forks cost: making one, reading a long line of them, and going on with one, beside sessions that are none. */
const ROUNDS = 31;
const DEPTH = 100;
const DEEP = 50;
const CONTINUATIONS = 1_000;

export async function run(): Promise<void> {
  await making();
  await reading();
  await goingOn();
}

async function making(): Promise<void> {
  const keys = new MemoryContentKeys();
  const temp = await TempLog.open(keys);
  const house = new ForkingHouse(temp, keys, 'making', { script: () => [text('ok'), done()] });
  for (const events of [10, 1_000, 10_000]) {
    const session = `ses_of${events}`;
    await appendTape(temp, session, tapeOf(session, events));
    const ms: number[] = [];
    const before = house.log.appends.length;
    for (let round = 0; round < ROUNDS; round++) ms.push(await msOf(() => house.fork(session, events - 1)));
    const appends = house.log.appends.slice(before);
    const bytes = appends.flatMap((made) => made.events).reduce((sum, { json }) => sum + json.length, 0);
    console.log(
      `a fork of ${events} events: ${(appends.length / ROUNDS).toFixed(0)} appends, ` +
        `${(bytes / ROUNDS).toFixed(0)} bytes, ${median(ms).toFixed(2)} ms`,
    );
  }
  await temp.close();
}

/** Runs of ten events. */
function tapeOf(session: SessionId, events: number): SessionTape {
  const tape = new SessionTape().add(undefined, opened);
  for (let n = 0; tape.next < events; n++) {
    const pieces = Array.from({ length: 3 }, (_, i) => response(`piece ${i} `));
    tape.addRun(`run_${session}_${n}`, `message ${n}`, responseStart, ...pieces, turn(), step(1), completed);
  }
  return tape;
}

async function reading(): Promise<void> {
  const fixture = await openFixture(new MemoryContentKeys());
  try {
    const [flat, fork] = [await flatSession(fixture), await chainOfForks(fixture)];
    await fixture.models.caughtUp();
    const { history, messagePages, sessions, sessionsAsOf } = fixture.models;
    const last = async (session: SessionId): Promise<number> =>
      (await sessionsAsOf.moment(PROJECT, session)).at;
    const ways: Readonly<Record<string, (session: SessionId) => Promise<unknown>>> = {
      history: (session) => wholeHistory(history, PROJECT, session),
      context: async (session) => contextAsOf(fixture.log, { session, at: await last(session) }),
      'history in one page': async (session) => {
        const page = messagePages.page({ project: PROJECT, session, limit: 200, cursor: undefined });
        for await (const _ of page);
      },
      record: (session) => sessions.get(PROJECT, session),
    };
    for (const [name, way] of Object.entries(ways))
      compare(
        `${name} of a chain of depth ${DEPTH}`,
        await inTurns(
          () => way(flat),
          () => way(fork),
        ),
      );
  } finally {
    await fixture.close();
  }
}

const runOf = (run: string, at: number, isFirst: boolean): Step[] => [
  ...(isFirst
    ? opening(run, 'message')
    : [requested(run, 'message'), claimed(run, at), event('agent_started', run)]),
  ...answer(
    run,
    Array.from({ length: 4 }, (_, i) => `piece ${i} of an answer. `),
  ),
];

async function flatSession({ log }: Fixture): Promise<SessionId> {
  const session = newSession();
  let at = 0;
  for (let n = 0; n <= DEPTH; n++) {
    const steps = runOf(`run_${session}_${n}`, at, n === 0);
    await append(log, session, steps);
    at += steps.length;
  }
  return session;
}

/** Each with one run of its own. */
async function chainOfForks({ log }: Fixture): Promise<SessionId> {
  let session = newSession();
  await append(log, session, runOf(`run_${session}_0`, 0, true));
  for (let depth = 1; depth <= DEPTH; depth++) {
    const at = runOf('', 0, depth === 1).length - (depth === 1 ? 1 : 0);
    const { shared } = await ownPart(log, session, at);
    const forked_from = { session, at };
    session = newSession();
    const data = { forked_from, depth, shared };
    await append(log, session, [{ type: 'session_opened', data }, ...runOf(`run_${session}_0`, 1, false)]);
  }
  return session;
}

async function goingOn(): Promise<void> {
  const keys = new MemoryContentKeys();
  const temp = await TempLog.open(keys);
  let boots = 0;
  const open = () =>
    new ForkingHouse(temp, keys, `going on ${++boots}`, { script: () => [text('ok'), done()] });
  const house = open();
  const { session: flat } = await house.run('first');
  for (let n = 0; n < DEEP; n++) await house.run(`before ${n}`, { session: flat });
  let { session: fork } = await house.run('first');
  for (let n = 0; n < DEEP; n++) {
    fork = await house.fork(fork);
    await house.run(`before ${n}`, { session: fork });
  }
  for (const [name, after] of [
    ['first', 0],
    ['thousandth', CONTINUATIONS],
  ] as const) {
    for (let n = 0; n < after; n++) for (const session of [flat, fork]) await continued(house, session);
    const goOn = (at: () => ForkingHouse) => (session: SessionId) => continued(at(), session);
    const [warm, cold] = [goOn(() => house), goOn(open)];
    const label = `the ${name} continuation of a fork of depth ${DEEP}`;
    compare(
      `${label}, in memory`,
      await inTurns(
        () => warm(flat),
        () => warm(fork),
      ),
    );
    compare(
      `${label}, read from the log`,
      await inTurns(
        () => cold(flat),
        () => cold(fork),
      ),
    );
  }
  await house.settled();
  await temp.close();
}

/** A run from its request to its end, and nothing that was there before it. */
async function continued(house: ForkingHouse, session: SessionId): Promise<void> {
  const { requested: after, run } = await house.start('and on', { session });
  const stop = new AbortController();
  const { signal } = stop;
  for await (const events of house.log.subscribeStream(sessionStream(session), { after, signal }))
    if (events.some(({ meta, type }) => meta.run === run && isEndType(type))) break;
  stop.abort();
  while (house.core.sessions.active().some((one) => one.isDriving(run))) await new Promise(setImmediate);
}

/** Of each, in ms, one after the other so that what else the machine does falls on both. */
async function inTurns(
  flat: () => Promise<unknown>,
  fork: () => Promise<unknown>,
): Promise<{ readonly flat: number; readonly fork: number }> {
  const times: { flat: number[]; fork: number[] } = { flat: [], fork: [] };
  for (let round = 0; round < ROUNDS; round++) {
    times.flat.push(await msOf(flat));
    times.fork.push(await msOf(fork));
  }
  return { flat: median(times.flat), fork: median(times.fork) };
}

function compare(name: string, { flat, fork }: { readonly flat: number; readonly fork: number }): void {
  const ratio = (fork / flat).toFixed(2);
  console.log(`${name}: ${fork.toFixed(2)} ms, of a flat session ${flat.toFixed(2)} ms (${ratio})`);
}

async function msOf(act: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await act();
  return performance.now() - since;
}
