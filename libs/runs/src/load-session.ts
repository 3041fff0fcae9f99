import {
  ContextFold,
  NO_SESSION,
  type RecordedSessionEvent,
  type RunConfig,
  type RunId,
  type RunState,
  type SessionId,
  type SessionState,
  type StreamName,
  asSessionEvent,
  canBeSpared,
  evolveRun,
  evolveSession,
  inLine,
  knownSessionEvent,
  newRun,
  retried,
  sessionStream,
} from '#domain';
import type { WorkflowRuns } from '#workflow';
import {
  ContentErased,
  DataUnreadable,
  type EventLog,
  LogUnavailable,
  NO_EVENTS,
  type RecordedEvent,
  type Revision,
  eventAt,
} from '#event-log';
import { CONTEXT_BUDGETS, type ContextBudgets, type Replay } from '#agent';
import { ContextReach, isTold } from './context-reach.js';
import { type LineEvent, lineBackwards } from './session-line.js';

type Requested = Extract<RecordedSessionEvent, { type: 'run_requested' }>;
/** A run's `run_requested`, with the whole envelope. */
export type RequestEvent = Requested & Pick<RecordedEvent, 'meta'>;

export interface LoadedSession {
  readonly state: SessionState;
  readonly revision: Revision;
}

/**
 * The state of a session, read backwards from its end to the last claim: that says which runs waited then, so a
 * session's ten-thousandth run costs what its tenth did.
 */
export async function loadSession(log: EventLog, stream: StreamName): Promise<LoadedSession> {
  const tail: RecordedSessionEvent[] = [];
  let revision = NO_EVENTS;
  reading: for await (const page of log.readStream(stream, { backwards: true })) {
    for (const event of page) {
      if (revision === NO_EVENTS) revision = event.revision;
      const known = knownSessionEvent(event);
      if (known) tail.push(known);
      // Before its end nothing of an erased session can be read. A claim that cannot be read says nothing of what waits.
      if (event.type === 'session_erased' || (event.type === 'run_claimed' && !event.isUnreadable))
        break reading;
    }
  }
  return { state: tail.reduceRight(evolveSession, NO_SESSION), revision };
}

/**
 * The `run_requested` at a revision. @throws ContentErased; DataUnreadable; LogUnavailable where a read of a log that
 * others write to lags behind it
 */
export async function loadRequest(
  log: EventLog,
  stream: StreamName,
  revision: Revision,
): Promise<RequestEvent> {
  const request = await readRequest(log, stream, revision);
  if (request.isUnreadable)
    throw new DataUnreadable({ type: request.type, revision: request.revision, stream });
  return request;
}

/** The same; where its data do not open, with data that stand for them: who it is of can be read always. */
export async function readRequest(
  log: EventLog,
  stream: StreamName,
  revision: Revision,
): Promise<RequestEvent> {
  const event = await eventAt(log, stream, revision);
  if (event === undefined) throw new LogUnavailable(`${stream} cannot be read up to ${revision} yet`);
  requireReadable(event);
  if (event.type === 'run_requested') return asSessionEvent(event) as RequestEvent;
  throw new Error(`no run was requested at ${revision} of ${stream}`);
}

/** The requests of a run and of those that it goes on with, the first of them first. @throws ContentErased, LogUnavailable */
export async function loadRetried(
  log: EventLog,
  stream: StreamName,
  request: RequestEvent,
): Promise<readonly RequestEvent[]> {
  const chain = [request];
  for (let { retry_of: before } = request.data; before !== undefined;) {
    const retried = await loadRequest(log, stream, before.requested);
    chain.unshift(retried);
    before = retried.data.retry_of;
  }
  return chain;
}

/** A run that is to be gone on with: its request, and the settings that the request names. */
export interface RunToLoad {
  readonly request: RequestEvent;
  readonly config: RunConfig;
}

/** What is told of a run's events besides its state. */
export interface RunFollowers {
  readonly workflows?: WorkflowRuns;
  readonly replay?: Replay | null;
}

/**
 * A run as far as the log holds it, which is up to the revision; null where it was claimed again after the claim at
 * `claimed`. @param chain the run, behind those that it goes on with. @throws ContentErased, DataUnreadable
 */
export async function loadRun(
  log: EventLog,
  stream: StreamName,
  chain: readonly RunToLoad[],
  claimed: Revision,
  context: LoadedContext,
  { workflows, replay }: RunFollowers = {},
): Promise<{ readonly state: RunState; readonly upTo: Revision } | null> {
  const byRun = new Map(chain.map((part) => [part.request.meta.run, part]));
  const [first] = chain as readonly [RunToLoad];
  const last = chain.at(-1)?.request.meta.run;
  let state = begun(first);
  let upTo = claimed;
  for await (const page of log.readStream(stream, { after: first.request.revision })) {
    for (const recorded of page) {
      upTo = recorded.revision;
      const part = byRun.get(recorded.meta.run);
      if (part === undefined) continue;
      requireReadable(recorded);
      if (!canBeSpared(recorded)) throw new DataUnreadable(recorded);
      const event = asSessionEvent(recorded);
      if (event.type === 'run_claimed' && event.revision > claimed && event.meta.run === last) return null;
      if (event.type === 'run_requested') {
        state = retried(state, { ...part.request.data, config: part.config });
        workflows?.forgetUndecided();
      } else {
        state = evolveRun(state, event);
        workflows?.push(event);
        replay?.push(event);
        // It was read before: what has come since then is told to the model, too.
        if (event.revision > context.upTo) context.fold.push(event);
      }
    }
  }
  return { state, upTo };
}

/** Nothing was done of it. */
export const begun = ({ request: { data }, config }: RunToLoad): RunState => newRun({ ...data, config });

/** Nothing can be made of a part of what was said. @throws ContentErased */
function requireReadable({ isErased, stream }: RecordedEvent): void {
  if (isErased) throw new ContentErased(`what was said in ${stream} is erased`);
}

/** What the model is told when a run goes on, with all of its session up to a revision. */
export interface LoadedContext {
  readonly fold: ContextFold;
  /** The sessions that something of it was said in: of a fork those of its line. */
  readonly origins: ReadonlySet<SessionId>;
  readonly upTo: Revision;
  /** The request of the run, behind those of the runs that it goes on with. */
  readonly chain: readonly RequestEvent[];
}

/** What is read, in characters, where nothing was compacted: only a session of an earlier version is ever longer. */
export const readCharsOf = (contexts: ContextBudgets = CONTEXT_BUDGETS): number =>
  Math.max(8_000_000, Math.max(...Object.values(contexts)) * 32);

export const READ_CHARS = readCharsOf();

/**
 * The context in which a run goes on: what stood before it in the session's line, as far back as the model is told, and its own
 * turns.
 * A clear during the run does not touch it. null where the log holds a claim after the one at `claimed`: another process
 * drives the run, or has driven it to its end, and what stands after that is no part of the context.
 * @throws ContentErased
 */
export async function loadContext(
  log: EventLog,
  session: SessionId,
  request: RequestEvent,
  claimed: Revision,
  maxChars = READ_CHARS,
): Promise<LoadedContext | null> {
  // What a retry goes on with is its own, too.
  const chain = await loadRetried(log, sessionStream(session), request);
  const first = chain[0]?.meta.run;
  const tail: LineEvent[] = [];
  const reach = new ContextReach(maxChars);
  let upTo = claimed;
  let isBefore = false;
  reading: for await (const page of lineBackwards(log, session)) {
    for (const part of page) {
      const { event } = part;
      const isOwn = part.session === session;
      if (isOwn) upTo = Math.max(upTo, part.revision);
      if (isOwn && event?.type === 'run_claimed' && event.revision > claimed) return null;
      if (event === null || (event.type === 'messages_cleared' && !isBefore)) continue;
      if (isTold(event)) tail.push(part);
      if (event.type === 'agent_started' && event.meta.run === first) isBefore = true;
      // What the run itself has been told is read in any case.
      const isEnough = reach.take(part) && isBefore;
      if (event.type === 'messages_cleared' || isEnough) break reading;
    }
  }
  return { ...(await foldContext(log, tail.reverse(), request)), upTo, chain };
}

/**
 * @param events the end of a line, in their order
 * @param request of the run that the context is for, if it has one
 */
export async function foldContext(
  log: EventLog,
  events: readonly LineEvent[],
  request: RequestEvent | null,
): Promise<Pick<LoadedContext, 'fold' | 'origins'>> {
  const fold = new ContextFold();
  const [oldest] = events;
  for (const { event, session } of events) {
    if (event === null) continue;
    const isCut = session === oldest?.session && event.type === 'run_claimed' && !event.isUnreadable;
    if (isCut && event.data.requested < oldest.revision) {
      const isOwn = event.meta.run === request?.meta.run;
      const requested = isOwn
        ? request!
        : await readRequest(log, sessionStream(session), event.data.requested);
      fold.push(inLine(requested, session));
    }
    fold.push(event);
  }
  return { fold, origins: new Set(events.map(({ session }) => session)) };
}

/** A message that went into a run under way has the id of the run that it would have started. */
const isRequestOf = ({ type, meta, data }: RecordedEvent, run: RunId): boolean =>
  type === 'run_requested'
    ? meta.run === run
    : type === 'run_steered' && (data as { id?: string }).id === run;

/**
 * The run that was asked for under this id, with the revision of the request, if it is on the log behind `after`: another
 * one where the message went into that; the stream is there up to `upTo`, at least.
 * @throws LogUnavailable where a read lags behind what is known
 */
export async function findRequest(
  log: EventLog,
  stream: StreamName,
  { run, after, upTo }: { readonly run: RunId; readonly after: Revision; readonly upTo: Revision },
): Promise<{ readonly run: RunId; readonly revision: Revision } | null> {
  let last = after;
  for await (const page of log.readStream(stream, after === NO_EVENTS ? {} : { after })) {
    const found = page.find((event) => isRequestOf(event, run));
    if (found) return { run: found.meta.run ?? run, revision: found.revision };
    last = page.at(-1)?.revision ?? last;
  }
  if (last < upTo) throw new LogUnavailable('the session cannot be read as far as it is known');
  return null;
}
