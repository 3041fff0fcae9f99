import { ModelFailure } from '../model-client.js';
import { cleanText } from './clean-text.js';

/** The server did not send anything in time. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
  constructor(readonly ms: number) {
    super(`the model server sent nothing for ${ms / 1000} s`);
  }
}

/** The server sent something that is no answer. */
export class Nonsense extends Error {
  override readonly name = 'Nonsense';
}

const tooLong =
  /context[ _-]?(length|window|size|limit)|maximum (context|prompt|input)|too many (input |prompt )?tokens|(prompt|input|request|conversation) (is |was )?too (long|large)|reduce the length|exceeds? .{0,40}\btokens?\b/i;
const tooLongStatuses = new Set([400, 413, 422]);

/** An answer whose status was not 2xx. */
export interface Refusal {
  readonly status: number;
  /** By their names in small letters. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** What went wrong, and whether it may go better another time. */
export function failureOfStatus(
  { status, headers, body }: Refusal,
  apiKey: string,
  nowMs: number,
): ModelFailure {
  const said = saidIn(parsed(body)) ?? { message: body, code: '' };
  const message = withoutSecrets(
    `the model server answered ${status}: ${said.message || 'no message'}`,
    apiKey,
  );
  if (tooLongStatuses.has(status) && isTooLong(said)) return new ModelFailure('too_long', message);
  if (status === 408 || status === 409 || status === 429 || status >= 500) {
    const retryAfterMs = retryAfter(headers, nowMs);
    return new ModelFailure('transient', message, retryAfterMs === undefined ? {} : { retryAfterMs });
  }
  return new ModelFailure('refused', message);
}

/** An `error` that stands in a stream, or in a 200 where a stream should be. */
export function failureOfErrorObject(error: unknown, apiKey: string): ModelFailure {
  const said = saidIn({ error }) ?? { message: 'no message', code: '' };
  const message = withoutSecrets(`the model server broke off: ${said.message}`, apiKey);
  return new ModelFailure(isTooLong(said) ? 'too_long' : 'transient', message);
}

/** What broke below HTTP. Only codes are shown: the messages of sockets hold addresses. */
export function failureOfConnection(error: unknown): ModelFailure {
  if (error instanceof ModelFailure) return error;
  if (error instanceof TimedOut || error instanceof Nonsense)
    return new ModelFailure('transient', error.message, { cause: error });
  const code = codeOf(error);
  const isOurs = code.startsWith('UND_ERR_INVALID') || code.startsWith('ERR_INVALID');
  return isOurs
    ? new ModelFailure('refused', `the request to the model server could not be made (${code})`)
    : new ModelFailure('transient', `the connection to the model server failed (${code})`, { cause: error });
}

function codeOf(error: unknown): string {
  let at = error;
  for (let depth = 0; depth < 5 && typeof at === 'object' && at !== null; depth++) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    at = 'cause' in at ? at.cause : undefined;
  }
  return error instanceof Error ? error.name : 'unknown';
}

interface Said {
  readonly message: string;
  readonly code: string;
}

/** The message of an error, in the shapes that servers use: `{error: {message, code}}`, `{error: "…"}`, `{message}`, `{detail}`. */
function saidIn(body: unknown): Said | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { error, message, detail } = body as { error?: unknown; message?: unknown; detail?: unknown };
  const found = error ?? body;
  const { code, type } = found as { code?: unknown; type?: unknown };
  const inner = typeof found === 'object' ? (found as { message?: unknown }).message : found;
  const text = inner ?? message ?? detail ?? (error === undefined ? undefined : error);
  if (text === undefined) return undefined;
  return {
    message: typeof text === 'string' ? text : JSON.stringify(text),
    code: `${String(code)} ${String(type)}`,
  };
}

const isTooLong = (said: Said): boolean =>
  /context_length_exceeded/.test(said.code) || tooLong.test(said.message);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const maxMessageChars = 300;

/** Fit to be shown to a caller: one line, no key, no Authorization value, no URL, not longer than 300 characters. */
export function withoutSecrets(message: string, apiKey: string): string {
  let text = apiKey.length >= 4 ? message.replaceAll(apiKey, '[key]') : message;
  text = text
    .replaceAll(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+/gi, '[url]')
    .replaceAll(/\b(bearer|basic)\s+[^\s"',]+/gi, '$1 [key]')
    .replaceAll(/\b(sk|pk|key)[-_][\w*-]{4,}(\.[\w*-]+)*/gi, '[key]')
    // eslint-disable-next-line no-control-regex
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim();
  return text.length <= maxMessageChars
    ? cleanText(text)
    : `${cleanText(text.slice(0, maxMessageChars - 1))}…`;
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
function retryAfter(headers: Refusal['headers'], nowMs: number): number | undefined {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (exact >= 0) return exact;
  const given = String(headers['retry-after'] ?? '').trim();
  if (given === '') return undefined;
  const ms = Number.isNaN(Number(given)) ? Date.parse(given) - nowMs : Number(given) * 1000;
  return Number.isFinite(ms) ? Math.max(0, Math.round(ms)) : undefined;
}
