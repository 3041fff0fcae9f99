/** JSON in JSON in JSON: nobody means more. */
const maxLayers = 4;

/**
 * The arguments that the pieces of a call mean, as JSON text. Servers send them in pieces that follow each other, or each
 * with all that came before it, or twice, or with `{}` before them, or as JSON inside a JSON string. Where none of this
 * makes an object of them they stay as they came.
 */
export function argumentsOfPieces(pieces: readonly string[]): string {
  const joined = pieces.join('');
  if (joined.trim() === '') return '{}';
  const whole = objectIn(joined);
  if (whole !== null) return whole;
  return cumulative(pieces) ?? doubled(pieces) ?? among(valuesIn(withoutFence(joined))) ?? joined;
}

/** Whether the text is an object, or one in a JSON string: then nothing of it is missing. */
export const isWholeObject = (text: string): boolean => objectIn(text) !== null;

/** The object that a text is: as it stands there, or as it stands inside JSON strings. */
function objectIn(text: string): string | null {
  let at = text;
  for (let layer = 0; layer < maxLayers; layer++) {
    const value = parsed(at);
    if (isObject(value)) return at === text ? text : at;
    if (typeof value !== 'string') return null;
    at = value;
  }
  return null;
}

/** Each piece begins with the one before it, and the last is whole. */
function cumulative(pieces: readonly string[]): string | null {
  const said = pieces.filter((piece) => piece !== '');
  const last = objectIn(said.at(-1) ?? '');
  return last !== null && said.every((piece, at) => at === 0 || piece.startsWith(said[at - 1]!))
    ? last
    : null;
}

/** Each piece came twice. */
function doubled(pieces: readonly string[]): string | null {
  const said = pieces.filter((piece) => piece !== '');
  if (said.length % 2 !== 0 || said.some((piece, at) => at % 2 === 1 && piece !== said[at - 1])) return null;
  return objectIn(said.filter((_, at) => at % 2 === 0).join(''));
}

/** The one object among values of which the others say nothing, or the same. */
function among(values: readonly string[] | null): string | null {
  const objects = (values ?? []).map(objectIn).filter((text) => text !== null);
  if (values === null || objects.length === 0) return null;
  const isOther = values.some((text) => objectIn(text) === null && !isNothing(text));
  const telling = new Map<string, string>();
  for (const text of objects) {
    const plain = JSON.stringify(parsed(text));
    if (plain !== '{}') telling.set(plain, text);
  }
  if (isOther || telling.size > 1) return null;
  return [...telling.values()][0] ?? '{}';
}

const isNothing = (text: string): boolean => text === 'null' || text === '""';

/** The JSON values that a text consists of, one after the other; null: it consists of something else, too. */
function valuesIn(text: string): string[] | null {
  const values: string[] = [];
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const end = endOfValue(text, at);
    if (end === at || parsed(text.slice(at, end)) === undefined) {
      // Marks of the model's own language that its server did not take away.
      return values.length > 0 && /^(<[|/][^<>]*>\s*)+$/.test(text.slice(at)) ? values : null;
    }
    values.push(text.slice(at, end));
    at = end;
  }
  return values;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \n\r\t'.includes(text[at]!)) at++;
  return at;
}

function endOfValue(text: string, from: number): number {
  if (text.startsWith('null', from)) return from + 4;
  let depth = 0;
  let isString = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at]!;
    if (isString) {
      if (char === '\\') at++;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    else if (depth === 0) return from;
    if (depth === 0 && !isString) return at + 1;
  }
  return from;
}

function withoutFence(text: string): string {
  const whole = text.trim();
  const fence = /^```(?:json)?/i.exec(whole)?.[0];
  if (fence === undefined || whole.length < fence.length + 3 || !whole.endsWith('```')) return text;
  return whole.slice(fence.length, -3).trim();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
