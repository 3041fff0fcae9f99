import type { EraseRequest } from '../world/transcript.js';
import type { Moment } from '../world/ledger.js';
import { type Evidence, type SessionLog, type SessionRecord, at, erasureOf, require } from './evidence.js';
import { textIn } from './workflow-facts.js';

const GONE = 'I14 what is erased cannot be read';
const LAST = 'I14 nothing follows an erasure';
const REST = 'I14 nothing is begun for what is erased';
const OTHERS = 'I14 nothing else is erased';
/** The longest that a worker may be without news of the others while all kinds of faults go on. */
const NEWS_MS = 300_000;

type Answered = Extract<EraseRequest['answer'], { kind: 'done' }>;

/**
 * I14: an erasure is the last event of its session; once it is answered the key is gone, nobody is given anything of the
 * session, nothing is begun for it by whoever answered, and soon by nobody; and nothing of other sessions is touched.
 */
export function checkErasures(sessions: readonly SessionLog[], evidence: Evidence): void {
  const byId = new Map(sessions.map((session) => [session.id, session]));
  for (const session of sessions) {
    const erasure = erasureOf(session);
    if (erasure === null) checkUnharmed(session, evidence);
    else checkErased(session, erasure, evidence);
  }
  const answers = Map.groupBy(evidence.transcript.erasures, ({ session }) => session);
  for (const [id, requests] of answers) {
    const session = byId.get(id);
    for (const request of requests) checkRequest(request, session);
  }
  const done = new Map<string, Answered[]>();
  for (const [id, requests] of answers)
    done.set(
      id,
      requests.flatMap(({ answer }) => (answer?.kind === 'done' ? [answer] : [])),
    );
  checkConnections(done, evidence);
  checkBegun(done, sessions, evidence);
}

function checkErased(session: SessionLog, erasure: SessionRecord, { log, destroyed, marks }: Evidence): void {
  const key = session.events[0]?.meta.keyId ?? '';
  const [first, ...more] = session.events.filter(({ type }) => type === 'session_erased');
  require(first === erasure && more.length === 0, LAST, () => at(first!));
  if (erasure.type !== 'session_erased') return;
  const { data } = erasure;
  require(data.events === erasure.revision && data.key === key, 'I14 an erasure says what it took', () =>
    `${at(erasure)}: ${erasure.json}`);
  const until = destroyed.get(key);
  require(until !== undefined, GONE, () => `the key of ${session.id} is there`);
  for (const event of log)
    require(event.meta.keyId !== key || event.position <= until, LAST, () => `${at(event)}, key destroyed`);
  marks.hit('session_erased');
  const ended = new Set(session.events.filter(isEnd).map(({ meta }) => meta.run));
  const open = session.events.filter(({ type, meta }) => type === 'run_requested' && !ended.has(meta.run));
  if (open.length > 0) marks.hit('run ended by an erasure', open.length);
}

const isEnd = ({ type }: SessionRecord): boolean =>
  type === 'agent_completed' || type === 'agent_cancelled' || type === 'agent_error';

/** All that it said can still be read. */
function checkUnharmed({ id, events }: SessionLog, { destroyed, archive, files }: Evidence): void {
  for (const event of events)
    require(!destroyed.has(event.meta.keyId ?? ''), OTHERS, () => `${at(event)} has no key any more`);
  for (const name of archive.keys())
    require(!name.startsWith(`${id}/`) || files.has(name), OTHERS, () => `${name} is not there`);
}

/** Who erased it may be told that it is not there: where the answer of the log was lost, and another finished it. */
function checkRequest({ actor, answer }: EraseRequest, session: SessionLog | undefined): void {
  const erasure = session === undefined ? null : erasureOf(session);
  if (answer?.kind === 'done')
    require(erasure?.revision === answer.events, 'I2 what was acknowledged is there', () =>
      `${actor} erased ${session?.id}: ${answer.events} events`);
  if (answer?.kind !== 'refused') return;
  require(answer.code === 'not_found' && erasure !== null, 'I13 what is refused cannot be done', () =>
    `${actor} may not erase ${session?.id}: ${answer.code}`);
}

function checkConnections(
  done: ReadonlyMap<string, readonly Answered[]>,
  { transcript }: Pick<Evidence, 'transcript'>,
): void {
  for (const { session, began, received, end } of transcript.connections) {
    const answers = done.get(session) ?? [];
    if (answers.length === 0) continue;
    const told = () => `a stream of ${session} that began at step ${began.step}`;
    require(end !== 'open', 'I6 a stream ends with its session', told);
    const isLate = answers.some(({ answered }) => began.step > answered.step);
    require(!isLate || received.length === 0, GONE, told);
  }
}

interface Begun {
  readonly session: string | undefined;
  readonly worker: string;
  readonly began: Moment;
  readonly what: string;
}

function checkBegun(
  done: ReadonlyMap<string, readonly Answered[]>,
  sessions: readonly SessionLog[],
  evidence: Evidence,
): void {
  for (const { session, worker, began, what } of begunIn(sessions, evidence))
    for (const answer of done.get(session ?? '') ?? []) {
      const told = () =>
        `${what} by ${worker} at step ${began.step}, ${session} erased at ${answer.answered.step}`;
      const isOwn = worker === answer.worker && !what.startsWith('callback');
      require(!isOwn || began.step <= answer.answered.step, REST, told);
      require(began.time <= answer.answered.time + NEWS_MS, REST, told);
      if (began.step > answer.answered.step) evidence.marks.hit('begun before it was heard');
    }
}

function* begunIn(sessions: readonly SessionLog[], evidence: Evidence): Iterable<Begun> {
  const byMessage = new Map<string, string>();
  const byKey = new Map<string, string>();
  const byRun = new Map<string, string>();
  for (const session of sessions)
    for (const event of session.events) {
      if (event.type === 'run_requested') {
        byMessage.set(MESSAGE.exec(textIn(session, event.data.message, evidence))?.[1] ?? '', session.id);
        byRun.set(event.meta.run ?? '', session.id);
      }
      if (event.type !== 'model_turn_completed') continue;
      for (const call of event.data.tool_calls ?? [])
        byKey.set(KEY.exec(call.arguments)?.[1] ?? '', session.id);
    }
  const { asks, calls, receipts } = evidence.ledger;
  for (const { worker, began, message, step } of asks) {
    const m = (step === null ? MESSAGE.exec(message) : STEP.exec(step.step))?.[1] ?? '';
    yield { session: byMessage.get(m), worker, began, what: `turn of message ${m}` };
  }
  for (const { key, worker, began } of calls)
    yield { session: byKey.get(key), worker, began, what: `call ${key}` };
  for (const { run, worker, began } of receipts)
    yield { session: byRun.get(run), worker, began, what: `callback of ${run}` };
}

const MESSAGE = /^\{"m":(\d+)/;
const STEP = /^m(\d+)\./;
const KEY = /"key":"([^"]*)"/;
