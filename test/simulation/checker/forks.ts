import { ContextFold, Problem, type RecordedSessionEvent, asSessionEvent, sessionId } from '#domain';
import {
  type FoldedMessage,
  HistoryMessages,
  NOTHING_INHERITED,
  type SessionAsOf,
  asOf,
  sharedPart,
} from '#projections';
import type { RecordedEvent } from '#event-log';
import { unweighed } from '#platform';
import { contextAsOf } from '#runs';
import { ContentStore, MemoryFileStore } from '#vault';
import { HistoryPassage } from '../../../libs/read-models/src/queries/history-passage.js';
import { SessionLines } from '../../../libs/read-models/src/queries/session-lines.js';
import { ownPart } from '../../../libs/runs/src/fork/own-part.js';
import type { Marks } from '../world/marks.js';
import { type Evidence, type SessionLog, erasureOf, require } from './evidence.js';
import { ForkedLog } from './forked-log.js';

/** Of each session, where not all are asked for: spread over its events, the last among them. */
const FEW = 2;
/** Of a longer context only the end is told. */
const UNCUT_CHARS = 400_000;

const SAME = 'I16 a fork reads like its parent as of there';
const BRANCH = 'I16 branches fold as if each were alone';
const ALONE = 'I16 a fork whose parent is erased is its own part';

/** I16: of each session of a world forks are read that were made at a few of its events, or at every one. */
export async function checkForks(
  sessions: readonly SessionLog[],
  { marks, isEveryFork }: Evidence,
): Promise<void> {
  for (const session of sessions) {
    if (erasureOf(session) !== null || session.events.some(({ isErased }) => isErased)) continue;
    marks.hit('session forked');
    await checkSession(session, isEveryFork, marks);
  }
}

async function checkSession(session: SessionLog, isEveryEvent: boolean, marks: Marks): Promise<void> {
  const { id, events } = session;
  const forked = new ForkedLog(session, sessionId('f0'.repeat(12)));
  const size = events.reduce((sum, { json }) => sum + json.length, 0);
  const whole = asOf(id, events);
  const alone = asOf(forked.fork, events);
  for (const at of isEveryEvent ? events.keys() : fewOf(events.length)) {
    const seen = asOf(id, events, at);
    marks.hit('fork');
    if (seen.summary?.lastStatus === 'running') marks.hit('fork of a run under way');
    const { fork, shared } = await ownPart(forked, id, at);
    const told = () => `${id} at ${at} (${events[at]?.type})`;
    require(fork === null, SAME, told);
    const { cleared, ...counted } = shared;
    expectSame(counted, sharedPart(seen.summary!), SAME, told);
    const isCleared = events.slice(0, at + 1).some(({ type }) => type === 'messages_cleared');
    require(isCleared === (cleared === true), SAME, told);
    require(shared.messages === seen.messages.length, SAME, told);
    forked.forkAt({ forked_from: { session: id, at }, depth: 1, shared });
    if (size < UNCUT_CHARS) await checkFork(forked, { id, seen, alone }, told);
    checkParent(events, at, whole, told);
  }
}

function fewOf(length: number): readonly number[] {
  return Array.from({ length: FEW }, (_, i) => Math.ceil(((i + 1) * length) / FEW) - 1);
}

interface Forked {
  readonly id: string;
  /** What the parent was. */
  readonly seen: SessionAsOf;
  /** What the fork would be if it were none. */
  readonly alone: SessionAsOf;
}

async function checkFork(log: ForkedLog, { id, seen, alone }: Forked, told: () => string): Promise<void> {
  const { fork, own } = log;
  const last = own.length - 1;
  expectSame(await contextOf(log, 0), seen.context, SAME, told, id);
  expectSame(await historyOf(log, 0), seen.messages, SAME, told);
  const isCleared = own.some(({ type }) => type === 'messages_cleared');
  const before = isCleared ? { context: [], messages: [] } : seen;
  // What is compacted in the fork stands for all before it.
  const isCompacted = own.some(({ type }) => type === 'agent_compacted');
  const context = isCompacted ? alone.context : [...before.context, ...alone.context];
  expectSame(await contextOf(log, last), context, BRANCH, told, id);
  expectSame(await historyOf(log, last), [...before.messages, ...alone.messages], BRANCH, told);
  log.isParentErased = true;
  try {
    expectSame(await contextOf(log, last), alone.context, ALONE, told);
    expectSame(await historyOf(log, last), alone.messages, ALONE, told);
    expectSame(await linesOf(log).inherited(fork, true), NOTHING_INHERITED, ALONE, told);
  } catch (error) {
    // Whoever asks for the fork would be told that it is not there.
    require(!(error instanceof Problem), ALONE, () => `${told()}: ${String(error)}`);
    throw error;
  } finally {
    log.isParentErased = false;
  }
}

/** The parent goes on as if nobody had forked it. */
function checkParent(
  events: readonly RecordedSessionEvent[],
  at: number,
  whole: SessionAsOf,
  told: () => string,
): void {
  const history = new HistoryMessages();
  const context = new ContextFold();
  const { meta, time } = events[at]!;
  const data = { session: sessionId('f0'.repeat(12)), at };
  const forked = asSessionEvent({ type: 'session_forked', data, meta, time, revision: at });
  for (const event of events.toSpliced(at + 1, 0, forked)) {
    history.push(event);
    context.push(event);
  }
  expectSame(history.finish(), whole.messages, BRANCH, told);
  expectSame(context.settled(), whole.context, BRANCH, told);
}

const contextOf = (log: ForkedLog, at: number) => contextAsOf(log, { session: log.fork, at });

const linesOf = (log: ForkedLog) => new SessionLines(log, new ContentStore(new MemoryFileStore()));

/** No table knows anything: all is read from the log. */
const NO_ROWS: ConstructorParameters<typeof HistoryPassage>[1] = {
  past: () => Promise.resolve(null),
  rest: async function* () {},
};

async function historyOf(log: ForkedLog, at: number): Promise<readonly FoldedMessage[]> {
  const own = new HistoryPassage(log, NO_ROWS, { session: log.fork, at });
  const parts = (await own.isCleared()) ? [] : await linesOf(log).partsOf(log.fork);
  const passages = [...parts.toReversed().map((part) => new HistoryPassage(log, NO_ROWS, part)), own];
  const messages: FoldedMessage[] = [];
  for (const passage of passages)
    for await (const page of passage.messages(unweighed)) messages.push(...page);
  return messages.map(({ type, pieces }) => ({ type, pieces: said(log.own, pieces) }));
}

/** A message that has to be read: the own events of the fork are those of its parent but for the first. */
function said(events: readonly RecordedEvent[], pieces: FoldedMessage['pieces']): FoldedMessage['pieces'] {
  const request = typeof pieces === 'number' ? events[pieces] : undefined;
  const known = request === undefined ? null : asSessionEvent(request);
  return known?.type === 'run_requested' ? [known.data.message] : pieces;
}

/** @param session whose files are named with it in what was read */
function expectSame(
  read: unknown,
  expected: unknown,
  invariant: string,
  told: () => string,
  session?: string,
): void {
  const withFiles = session === undefined ? '' : `,"session":"${session}"}`;
  const plain = (value: unknown) => {
    const text = JSON.stringify(value);
    return withFiles === '' ? text : text.replaceAll(withFiles, '}');
  };
  const [found, wanted] = [plain(read), plain(expected)];
  require(found === wanted, invariant, () =>
    `${told()}: ${found.slice(0, 300)} instead of ${wanted.slice(0, 300)}`);
}
