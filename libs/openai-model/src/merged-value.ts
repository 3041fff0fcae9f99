export type Fields = Record<string, unknown>;

/** Texts whose pieces may be the same one after the other. */
const GROWS =
  /^(reasoning_content|reasoning|reasoning_text|thinking|text|summary|content|data|partial_json|encrypted_content)$/;
/** Texts that say what a thing is: of several the last one counts. */
const NAMES = new Set('type id index format role status phase name model provider'.split(' '));

/** What one piece after the other of the same field makes. */
export function mergedValue(key: string, before: unknown, value: unknown): unknown {
  if (before === undefined) return value;
  if (typeof before === 'string' && typeof value === 'string') return mergedText(key, before, value);
  if (Array.isArray(before) && Array.isArray(value)) return mergedList(before, value);
  if (isObject(before) && isObject(value)) return mergedObject(before, value);
  return value;
}

/** What nobody knows grows, as OpenAI's own libraries have it, but for servers that say the same again or all of it. */
function mergedText(key: string, before: string, value: string): string {
  if (NAMES.has(key)) return value;
  if (!GROWS.test(key) && value.startsWith(before)) return value;
  return before + value;
}

function mergedObject(before: Readonly<Fields>, value: Readonly<Fields>): Fields {
  const all: Fields = { ...before };
  for (const [key, inner] of Object.entries(value))
    if (!isNothing(inner) || !(key in all)) all[key] = mergedValue(key, all[key], inner);
  return all;
}

/** Pieces of a list: those of the same place, or of the same kind one after the other, are one. */
export function mergedList(before: readonly unknown[], more: readonly unknown[]): unknown[] {
  const all = [...before];
  for (const piece of more) {
    const at = isObject(piece) ? placeOf(all, piece) : -1;
    if (at < 0) all.push(piece);
    else all[at] = mergedObject(all[at] as Fields, piece as Fields);
  }
  return all;
}

function placeOf(list: readonly unknown[], piece: Readonly<Fields>): number {
  const { index, type, id } = piece;
  const isSame = (other: unknown): boolean =>
    isObject(other) &&
    other['type'] === type &&
    (isNothing(id) || isNothing(other['id']) || other['id'] === id);
  if (typeof index === 'number')
    return list.findLastIndex((other) => isSame(other) && (other as Fields)['index'] === index);
  const last = list.at(-1);
  if (!isSame(last) || typeof type !== 'string') return -1;
  const { signature, index: hasIndex } = last as Fields;
  // A signed part is complete.
  return isNothing(signature) && hasIndex === undefined ? list.length - 1 : -1;
}

export const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
