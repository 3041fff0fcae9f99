import type { Block } from './passage.js';

/** More than this is a list of values, not text to be read in one piece. */
const SMALL = 400;
const MAX_DEPTH = 500;

/** The text as JSON, or undefined where it is none. Single numbers and words are text. */
export function parsedJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Every value with the path to it; what is small stays together. */
export function* readJson(value: unknown, path = '', depth = 0): Generator<Block> {
  const whole = typeof value === 'object' && value !== null ? null : String(value);
  if (whole !== null) {
    if (whole !== '') yield { text: path === '' ? whole : `${path}: ${whole}`, page: null };
    return;
  }
  const flat = depth > MAX_DEPTH ? '…' : flatText(value as object);
  if (flat !== null) {
    if (flat !== '') yield { text: path === '' ? flat : `${path}: ${flat}`, page: null };
    return;
  }
  for (const [key, item] of Object.entries(value as object)) {
    const here = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    yield* readJson(item, here, depth + 1);
  }
}

/** `name: Anna, age: 7` of an object of plain values; null: it is larger than that. */
function flatText(value: object): string | null {
  const isList = Array.isArray(value);
  let text = '';
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === 'object' && item !== null) return null;
    text += `${text === '' ? '' : ', '}${isList ? '' : `${key}: `}${String(item)}`;
    if (text.length > SMALL) return null;
  }
  return text;
}
