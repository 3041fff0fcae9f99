import { type Content, isEndType, isFileRef, isPublicType } from '#domain';
import type { CommandRequest, Connection, StartRequest } from '../world/transcript.js';
import { type Evidence, type SessionLog, type SessionRecord, at, erasureOf, require } from './evidence.js';

/**
 * I1, I2, I6 and I13: what clients were told is on the log, what was acknowledged is there, what was refused is not, and
 * every connection got exactly what follows the place that it asked for.
 */
export function checkClients(sessions: readonly SessionLog[], evidence: Evidence): void {
  const byActor = new Map<string, SessionRecord[]>();
  for (const { events } of sessions)
    for (const event of events) {
      if (!BY_CLIENTS.has(event.type)) continue;
      const { actor } = event.meta;
      byActor.set(actor, [...(byActor.get(actor) ?? []), event]);
    }
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const { starts, commands, connections } = evidence.transcript;
  for (const request of starts) checkStart(request, requestsOf(byActor.get(request.actor)), byId);
  for (const command of commands)
    checkCommand(command, byActor.get(command.actor) ?? [], byId.get(command.session));
  for (const connection of connections) checkConnection(connection, byId.get(connection.session), evidence);
}

const BY_CLIENTS: ReadonlySet<string> = new Set([
  'run_requested',
  'run_cancel_requested',
  'messages_cleared',
]);

/** An `interrupt` also cancels the run under way, in its own name; a task fires in the name of whoever wanted it. */
const requestsOf = (events: readonly SessionRecord[] = []): SessionRecord[] =>
  events.filter((event) => event.type === 'run_requested' && event.data.task === undefined);

function checkStart(
  request: StartRequest,
  stored: readonly SessionRecord[],
  sessions: ReadonlyMap<string, SessionLog>,
): void {
  const { actor, answer, others, unsettled } = request;
  require(stored.length <= 1, 'I3 a request is one run', () => `${actor}: ${stored.map(at).join(', ')}`);
  if (answer?.kind === 'refused' && unsettled === 0) {
    const session = sessions.get(stored[0]?.stream.slice('session-'.length) ?? '');
    // Of two at once, the one may be refused, and the other, stored unheard, be asked for when it was erased.
    const isErased = answer.codes.some((code) => isGone(code, session));
    require(stored.length === 0 || isErased, 'I13 what was refused is not there', () =>
      `${actor}, ${answer.codes.join()}: ${stored.map(at).join()}`);
  }
  if (answer?.kind !== 'started') return;
  const [event] = stored;
  require(event?.type === 'run_requested', 'I2 what was acknowledged is there', () =>
    `${actor}: ${answer.run}`);
  for (const { session, run, requested } of [answer, ...others])
    require(event.meta.run === run &&
      event.revision === requested &&
      event.stream === `session-${session}`, 'I2 the answer is where it says', () =>
      `${actor}: ${run} at ${requested}, but ${at(event)} of ${event.meta.run}`);
  require(event.data.message === request.message, 'I2 the message is as sent', () => at(event));
}

function checkCommand(
  command: CommandRequest,
  stored: readonly SessionRecord[],
  session: SessionLog | undefined,
): void {
  const { kind, actor, run, answer } = command;
  require(stored.length <= 1, 'I3 a command is there once', () => `${actor}: ${stored.map(at).join(', ')}`);
  if (answer?.kind === 'refused') {
    require(stored.length === 0 || isGone(answer.code, session), 'I13 what was refused is not there', () =>
      `${actor}: ${stored.map(at).join()}`);
  }
  if (answer?.kind !== 'done') return;
  const events = session?.events.filter((event) => event.position <= answer.at) ?? [];
  const isDone = events.some((event) => {
    if (kind === 'clear') return event.meta.actor === actor && event.type === 'messages_cleared';
    return event.type === 'session_erased' || (event.meta.run === run && endsRun(event.type));
  });
  require(isDone, 'I2 what was acknowledged is there', () =>
    `${kind} by ${actor} of ${run ?? command.session}`);
}

const endsRun = (type: string): boolean => type === 'run_cancel_requested' || isEndType(type);

/** What was stored before its session was erased is not there for whoever asks again. */
const isGone = (code: string, session: SessionLog | undefined): boolean =>
  code === 'not_found' && session !== undefined && erasureOf(session) !== null;

function checkConnection(connection: Connection, session: SessionLog | undefined, evidence: Evidence): void {
  const { run, after, received, end } = connection;
  const name = `${run ?? connection.session} after ${after}`;
  const expected = (session?.events ?? []).filter(
    (event) =>
      event.revision > after && isPublicType(event.type) && (run === undefined || event.meta.run === run),
  );
  for (const [i, { id, json, stored }] of received.entries()) {
    const event = expected[i];
    require(event !== undefined && event.revision === id, 'I6 a stream is what follows its start', () =>
      `${name}: got ${id}, expected ${event === undefined ? 'nothing more' : at(event)}`);
    require(stored >= id, 'I1 on the log before it is shown', () => `${name}: ${id} was shown at ${stored}`);
    const text = jsonOf(event, connection.session, evidence);
    require(json === text, 'I1 the same bytes', () => `${name}: ${json} instead of ${text}`);
  }
  if (end !== 'served' || run === undefined || (session && erasureOf(session) !== null)) return;
  const last = expected[received.length - 1];
  require(last !== undefined && isEndType(last.type), 'I6 a stream ends with its run', () => name);
}

/** Many clients are sent the same event, and some are long. */
const texts = new WeakMap<SessionRecord, string>();

/** What a client gets as `data:`. */
export function jsonOf(event: SessionRecord, session: string, evidence: Evidence): string {
  const known = texts.get(event) ?? newJsonOf(event, session, evidence);
  texts.set(event, known);
  return known;
}

function newJsonOf(event: SessionRecord, session: string, { textOf }: Evidence): string {
  const data = event.data as { content?: Content };
  const { content } = data;
  const whole =
    content !== undefined && isFileRef(content) ? { ...data, content: textOf(session, content.$file) } : data;
  return JSON.stringify({ type: event.type, session, ...whole });
}
