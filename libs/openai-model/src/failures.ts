import { beginningOf, cleanText } from '#platform';
import { ModelFailure } from '#agent';
import { type ServerWords, wordsIn } from './server-words.js';

/** The server did not send anything in time. */
export class ModelTimedOut extends Error {
  override readonly name = 'ModelTimedOut';
  constructor(readonly ms: number) {
    super(`the model server sent nothing for ${ms / 1000} s`);
  }
}

/** The server sent something that is no answer. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
}

/** How servers say that what they were sent is longer than their model can read. */
const TOO_LONG = [
  /context[ _-]?(length|window|size|limit)|model(?:'s)? (token limit|maximum length)|exceed_context/i,
  /max(imum)?[ _-](context|prompt|input|model[ _-]len|seq[a-z]*[ _-]len)|sequence length/i,
  /too many (input |prompt )?tokens|token (count|limit)[^.]{0,60}exceed|exceed[^.]{0,40}\b(tokens?|token limit|max length)\b/i,
  /(prompt|input|inputs|request|messages?|conversation|text) (is |are |was )?(too (long|large)|longer than)/i,
  /reduce (the length|your (prompt|message|input)|the number of (tokens|messages))|length is longer/i,
  /(prompt|input)[^.]{0,20} length[^.]{0,60}(exceed|greater|should be|must be|longer|limit)|current length is/i,
  /inputs?`? (tokens )?(\+[^.]{0,30})?must (be <=|have less than)|(payload|entity|body|content) too large/i,
  /超长|(超出|超过)[^。]{0,20}(长度|限制|token)|长度[^。]{0,20}(超|限)/i,
];
const isAboutRate = /per (minute|min\b|day|hour)|rate.?limit|\bTPM\b|quota/i;
/** What these say is about who asks, not about what is asked. */
const notOfLength = new Set([401, 402, 403, 404, 408, 409, 429]);

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
  const words = cut(wordsIn(parsed(body)) ?? { message: body, code: '', param: '', status: undefined });
  const shown = shownOf(words, apiKey) || 'no message';
  const message = `the model server answered ${status}: ${shown}`;
  const said = { status, words };
  if (!notOfLength.has(status) && isTooLong(words, status))
    return new ModelFailure('too_long', message, { said });
  if (isPassing(status)) {
    const retryAfterMs = retryAfter(headers, nowMs);
    return new ModelFailure('transient', message, {
      said,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }
  return new ModelFailure('refused', message, { said });
}

/** An error that stands in a stream, or in a 200 where a stream should be. */
export function failureOfWords(all: ServerWords, apiKey: string): ModelFailure {
  const words = cut(all);
  const message = `the model server broke off: ${shownOf(words, apiKey) || 'no message'}`;
  const status = words.status ?? (/invalid_request|bad_?request/i.test(words.code) ? 400 : 500);
  const said = { status, words };
  if (!notOfLength.has(status) && isTooLong(words, status))
    return new ModelFailure('too_long', message, { said });
  return new ModelFailure(isPassing(status) ? 'transient' : 'refused', message, { said });
}

/** Asking the same again may help. */
const isPassing = (status: number): boolean =>
  status === 408 || status === 409 || status === 429 || status >= 500;

/** What is too much for a minute is no matter of length, but where it is too much at once. */
const isTooLong = ({ message, code }: ServerWords, status: number): boolean =>
  /context_length_exceeded|exceed_context/.test(code) ||
  (TOO_LONG.some((words) => words.test(message)) && (status === 413 || !isAboutRate.test(message)));

/** What broke below HTTP. Only codes are shown: the messages of sockets hold addresses. */
export function failureOfConnection(error: unknown): ModelFailure {
  if (error instanceof ModelFailure) return error;
  if (error instanceof ModelTimedOut || error instanceof MalformedAnswer)
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** UTF-16 units of what a server says that are kept: where a template refuses, the reason stands at the end of a trace. */
const maxSaidChars = 2_000;

/** UTF-16 units of what a server says that are read at all. */
const maxReadChars = 16 * 1024;

/** Before any pattern is held against them. */
const cut = (words: ServerWords): ServerWords => ({
  ...words,
  message: words.message.slice(0, maxReadChars),
  code: words.code.slice(0, maxReadChars),
});

const shownOf = (words: ServerWords, apiKey: string): string => withoutSecrets(words.message, apiKey);

/** Fit to be shown to a caller: one line, no key, no Authorization value, no URL, not longer than 2,000 characters. */
export function withoutSecrets(message: string, apiKey: string): string {
  const keys = apiKey.length >= 4 ? [apiKey] : [];
  const part = beginningOf(message, maxReadChars, keys);
  let text = keys.reduce((rest, key) => rest.replaceAll(key, '[key]'), part);
  text = text
    .replaceAll(/(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/[^\s"'<>]+/gi, '[url]')
    .replaceAll(/\b(bearer|basic)\s+[^\s"',]+/gi, '$1 [key]')
    .replaceAll(/\b(sk|pk|key)[-_][\w*-]{4,}(\.[\w*-]+)*/gi, '[key]')
    .replaceAll(/\b(AIza[\w-]{20,}|eyJ[\w-]{10,}\.[\w-]{10,}(\.[\w-]+)?)/g, '[key]')
    // eslint-disable-next-line no-control-regex
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim();
  return text.length <= maxSaidChars ? cleanText(text) : `${cleanText(text.slice(0, maxSaidChars - 1))}…`;
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
