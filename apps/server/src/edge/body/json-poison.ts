/** What is wrong with a value that JSON.parse took, and where: `rules[2]`, `final_output.schema.title`. */
export interface Poison {
  readonly path: string;
  readonly message: string;
}

interface Place {
  readonly parent: Place | null;
  readonly key: string | number;
}

/**
 * Finds the first U+0000, lone surrogate or `__proto__` key, or null. Walks with a list of its own, not by recursion.
 */
export function firstPoison(root: unknown): Poison | null {
  const open: { readonly value: unknown; readonly place: Place | null }[] = [{ value: root, place: null }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, place } = next;
    if (typeof value === 'string') {
      const message = wrongWith(value);
      if (message !== null) return { path: pathOf(place), message };
    } else if (typeof value === 'object' && value !== null) {
      const poison = keysPoison(value, place);
      if (poison !== null) return poison;
      for (const [key, item] of entriesBackwards(value))
        open.push({ value: item, place: { parent: place, key } });
    }
  }
  return null;
}

function keysPoison(value: object, place: Place | null): Poison | null {
  if (Array.isArray(value)) return null;
  for (const key of Object.keys(value)) {
    const message = key === '__proto__' ? 'must not have a key __proto__' : wrongWith(key);
    if (message !== null)
      return { path: pathOf(place), message: key === '__proto__' ? message : `has a key that ${message}` };
  }
  return null;
}

function wrongWith(text: string): string | null {
  if (text.includes('\0')) return 'must not contain U+0000';
  return text.isWellFormed() ? null : 'must not contain a lone surrogate';
}

/** Backwards, so that what is popped from the end comes in the order of the text. */
function entriesBackwards(value: object): (readonly [string | number, unknown])[] {
  const entries: (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item: unknown, index) => [index, item] as const)
    : Object.entries(value);
  return entries.reverse();
}

function pathOf(place: Place | null): string {
  const parts: string[] = [];
  for (let at = place; at !== null; at = at.parent) {
    parts.push(typeof at.key === 'number' ? `[${at.key}]` : at.parent === null ? at.key : `.${at.key}`);
  }
  return parts.length === 0 ? 'body' : parts.reverse().join('');
}
