import type { Content, Firing, Mode, RunWarning, TaskStatus, Trigger, SessionId } from '#domain';
import { formatDollars, isFileRef, parseDollars } from '#domain';
import type { ContentCodec, ContentSealer } from '../content-codec.js';
import type { ApiKeyRow, RunRow, RunStatus, SessionRow, TaskRow } from '../projection/rows.js';
import { bigints, booleans, bytes, integers, texts } from './binary-arrays.js';

/** Rows between memory and PostgreSQL: columns as arrays on the way in, texts and numbers on the way out. */

const column = <R, T>(rows: readonly R[], of: (row: R) => T): T[] => rows.map(of);

export const sessionColumns = (rows: readonly SessionRow[], codec: ContentSealer): Buffer[] => [
  texts(column(rows, (r) => r.session)),
  texts(column(rows, (r) => r.project)),
  bytes(column(rows, (r) => (r.title === null ? null : codec.seal(r.session, r.title)))),
  bigints(column(rows, (r) => r.createdAt)),
  texts(column(rows, (r) => r.lastRun)),
  texts(column(rows, (r) => r.lastStatus)),
  texts(column(rows, (r) => formatDollars(r.cost))),
  integers(column(rows, (r) => r.messageCount)),
  booleans(column(rows, (r) => r.hasOpenText)),
  integers(column(rows, (r) => r.foldedTo)),
  booleans(column(rows, (r) => r.isHidden)),
];

export const runColumns = (rows: readonly RunRow[], codec: ContentSealer): Buffer[] => [
  texts(column(rows, (r) => r.run)),
  texts(column(rows, (r) => r.session)),
  texts(column(rows, (r) => r.project)),
  integers(column(rows, (r) => r.requested)),
  texts(column(rows, (r) => r.status)),
  texts(column(rows, (r) => r.mode)),
  texts(column(rows, (r) => r.model)),
  texts(column(rows, (r) => r.trigger)),
  texts(column(rows, (r) => r.actor)),
  bigints(column(rows, (r) => r.createdAt)),
  bigints(column(rows, (r) => r.startedAt)),
  bigints(column(rows, (r) => r.endedAt)),
  texts(column(rows, (r) => formatDollars(r.cost))),
  bigints(column(rows, (r) => r.inputTokens)),
  bigints(column(rows, (r) => r.outputTokens)),
  texts(column(rows, (r) => r.error?.code ?? null)),
  bytes(column(rows, (r) => (r.error === null ? null : codec.seal(r.session, r.error.message)))),
  booleans(column(rows, (r) => r.error?.retryable ?? null)),
  integers(column(rows, (r) => r.lastEventId)),
  bytes(
    column(rows, (r) => (r.warnings.length === 0 ? null : codec.seal(r.session, JSON.stringify(r.warnings)))),
  ),
];

export const keyColumns = (rows: readonly ApiKeyRow[]): Buffer[] => [
  texts(column(rows, (r) => r.id)),
  texts(column(rows, (r) => r.project)),
  texts(column(rows, (r) => r.name)),
  texts(column(rows, (r) => r.scopes.join(' '))),
  texts(column(rows, (r) => r.hash)),
  texts(column(rows, (r) => r.webhookSecret)),
  bigints(column(rows, (r) => r.createdAt)),
];

export const taskColumns = (rows: readonly TaskRow[], codec: ContentSealer): Buffer[] => [
  texts(column(rows, (r) => r.task)),
  texts(column(rows, (r) => r.session)),
  texts(column(rows, (r) => r.project)),
  bigints(column(rows, (r) => r.createdAt)),
  texts(column(rows, (r) => JSON.stringify(r.given))),
  texts(column(rows, (r) => r.timezone)),
  bytes(
    column(rows, (r) => codec.seal(r.session, isFileRef(r.message) ? JSON.stringify(r.message) : r.message)),
  ),
  booleans(column(rows, (r) => isFileRef(r.message))),
  integers(column(rows, (r) => r.requested)),
  texts(column(rows, (r) => r.status)),
  bigints(column(rows, (r) => r.nextAt)),
  texts(column(rows, (r) => JSON.stringify(r.firings))),
  bigints(column(rows, (r) => r.lastFiredAt)),
  texts(column(rows, (r) => r.lastRun)),
  texts(column(rows, (r) => r.startedRun)),
  integers(column(rows, (r) => r.revision)),
  texts(column(rows, (r) => r.actor)),
];

/** A row as the driver reads it: bigint and numeric are text. */
export type Stored = Readonly<Record<string, unknown>>;

export const toSessionRow = (stored: Stored, codec: ContentCodec): SessionRow => {
  const session = stored['session'] as string;
  return {
    session,
    project: stored['project'] as string,
    createdAt: Number(stored['created_at']),
    title: stored['title'] === null ? null : codec.open(session, stored['title'] as Buffer),
    lastRun: stored['last_run'] as string | null,
    lastStatus: stored['last_status'] as RunStatus | null,
    cost: parseDollars(stored['cost'] as string),
    messageCount: stored['message_count'] as number,
    hasOpenText: stored['has_open_text'] as boolean,
    foldedTo: stored['folded_to'] as number,
    isHidden: stored['is_hidden'] as boolean,
  };
};

export const toRunRow = (stored: Stored, codec: ContentCodec): RunRow => {
  const session = stored['session'] as string;
  const code = stored['error_code'] as string | null;
  const message = stored['error_message'] as Buffer;
  const retryable = stored['error_retryable'] as boolean;
  return {
    run: stored['run_id'] as string,
    session,
    project: stored['project'] as string,
    requested: stored['requested'] as number,
    mode: stored['mode'] as Mode,
    model: stored['model'] as string,
    trigger: stored['trigger'] as Trigger,
    actor: stored['actor'] as string,
    createdAt: Number(stored['created_at']),
    status: stored['status'] as RunStatus,
    startedAt: numberOrNull(stored['started_at']),
    endedAt: numberOrNull(stored['ended_at']),
    cost: parseDollars(stored['cost'] as string),
    inputTokens: Number(stored['input_tokens']),
    outputTokens: Number(stored['output_tokens']),
    error: code === null ? null : { code, message: codec.open(session, message) ?? '', retryable },
    warnings: warningsIn(session, stored['warnings'] as Buffer | null, codec),
    lastEventId: stored['last_event_id'] as number | null,
  };
};

export const toTaskRow = (stored: Stored, codec: ContentCodec): TaskRow => {
  const session = stored['session'] as string;
  const message = codec.open(session, stored['message'] as Buffer);
  const isFile = stored['message_is_file'] === true && message !== null;
  return {
    task: stored['task_id'] as string,
    session,
    project: stored['project'] as string,
    createdAt: Number(stored['created_at']),
    given: JSON.parse(stored['given'] as string) as number | string,
    timezone: stored['timezone'] as string | null,
    message: isFile ? (JSON.parse(message) as Content) : (message ?? ''),
    requested: stored['requested'] as number,
    status: stored['status'] as TaskStatus,
    nextAt: numberOrNull(stored['next_at']),
    firings: JSON.parse(stored['firings'] as string) as Firing[],
    lastFiredAt: numberOrNull(stored['last_fired_at']),
    lastRun: stored['last_run'] as string | null,
    startedRun: stored['started_run'] as string | null,
    revision: stored['revision'] as number,
    actor: stored['actor'] as string,
  };
};

export function warningsIn(
  session: SessionId,
  stored: Buffer | null,
  codec: ContentCodec,
): readonly RunWarning[] {
  const text = stored === null ? null : codec.open(session, stored);
  return text === null ? [] : (JSON.parse(text) as RunWarning[]);
}

const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value));
