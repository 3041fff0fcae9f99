import { isUtf8 } from 'node:buffer';
import { Problem, invalid, lossyNumberIn, lossyNumberMessage } from '#domain';
import { firstPoison } from './json-poison.js';

/** Arrays and objects within each other; far below what any serialiser can recurse. */
export const MAX_DEPTH = 64;

/** Only an escape can make these out of valid UTF-8; the underscore may itself be escaped. */
const SUSPECT = /\\u(?:0000|005f|d[89a-f])|__proto__/i;

/**
 * Parses a body strictly: valid UTF-8, at most MAX_DEPTH deep, without U+0000, lone surrogates and `__proto__` keys. Costs
 * a plain body three searches more than JSON.parse; values are walked only where a search found something. Of equal keys
 * the last counts, as everywhere in JavaScript.
 * @param keepsNumbers numbers are not rounded: those that would be are refused
 * @throws Problem invalid_request, naming the position or the path
 */
export function parseJson(bytes: Buffer, keepsNumbers = false): unknown {
  if (!isUtf8(bytes)) throw new Problem('invalid_request', 'the body is not valid UTF-8');
  const text = bytes.toString('utf8');
  if (isTooDeep(text)) {
    throw new Problem('invalid_request', `the body is nested deeper than ${MAX_DEPTH} levels`);
  }
  const value = parse(text);
  const lossy = keepsNumbers ? lossyNumberIn(text) : null;
  if (lossy !== null) throw invalid(lossy.path || 'body', lossyNumberMessage(lossy));
  if (SUSPECT.test(text)) {
    const poison = firstPoison(value);
    if (poison !== null) throw invalid(poison.path, poison.message);
  }
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const at = positionOf(text, error.message);
    throw new Problem(
      'invalid_request',
      `the body is not valid JSON${at === null ? '' : ` at position ${at}`}`,
      { reason: 'invalid_json' },
    );
  }
}

function isTooDeep(text: string): boolean {
  return opensMoreThan(text, MAX_DEPTH) && depthOf(text) > MAX_DEPTH;
}

/** Whether there are more opening brackets than `most`, strings included: what most bodies are spared the scan by. */
function opensMoreThan(text: string, most: number): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (++count > most) return true;
    }
  }
  return false;
}

/** The deepest nesting of brackets outside strings; stops where it is clear that it is too deep. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length && deepest <= MAX_DEPTH; at++) {
    const c = text.charCodeAt(at);
    if (c === QUOTE) at = endOfString(text, at);
    else if (c === OPEN_BRACE || c === OPEN_BRACKET) deepest = Math.max(deepest, ++depth);
    else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) depth--;
  }
  return deepest;
}

/** Where the string that opens at `from` closes; the end of the text where it never does. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c === BACKSLASH) at++;
    else if (c === QUOTE) return at;
  }
  return text.length;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Beyond this a missing position is not worth the parsing. */
const MAX_SEARCHED = 64 * 1024;

/** V8 names the position in some of its messages only; otherwise the shortest prefix that is already wrong tells it. */
function positionOf(text: string, message: string): number | null {
  const named = namedPosition(text, message);
  if (named !== null) return named;
  if (text.length > MAX_SEARCHED) return null;
  let good = 0;
  let bad = text.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isWrongAlready(text.slice(0, middle))) bad = middle;
    else good = middle;
  }
  return good;
}

/** Where a text ends too early is its end. */
function namedPosition(text: string, message: string): number | null {
  const named = /at position (\d+)/.exec(message)?.[1];
  if (named !== undefined) return Number(named);
  return /end of JSON input/.test(message) ? text.length : null;
}

/** Whether nothing that follows can make it JSON: the fault is before its end. */
function isWrongAlready(prefix: string): boolean {
  try {
    JSON.parse(prefix);
    return false;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const at = namedPosition(prefix, error.message);
    return !error.message.includes('Unterminated string') && (at === null || at < prefix.length);
  }
}
