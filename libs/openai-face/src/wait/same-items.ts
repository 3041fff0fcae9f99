import { type GivenItem, type GivenPart } from '#domain';
import { textOf } from '../given-view.js';

/** What an item is told by when it is compared with another; null: it is not compared. */
export function tokenOf(item: GivenItem): string | null {
  switch (item.kind) {
    case 'message':
      return JSON.stringify(['message', item.role, wordsOf(item.parts)]);
    case 'call':
      return JSON.stringify(['call', item.id, canonical(textOf(item.arguments))]);
    case 'result':
      return JSON.stringify(['result', item.id]);
    case 'server_call':
      // Its id is another one where it was given.
      return JSON.stringify([
        'server_call',
        item.server,
        item.name,
        canonical(textOf(item.arguments)),
        textOf(item.output),
      ]);
    case 'question':
      return JSON.stringify(['question', item.id]);
    case 'decision':
      return JSON.stringify(['decision', item.action]);
  }
}

const wordsOf = (parts: readonly GivenPart[]): string =>
  parts.map((part) => textOf(part.kind === 'text' ? part.text : part.url)).join('');

/** Arguments are compared as JSON. */
function canonical(text: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(text)));
  } catch {
    return text;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, sorted(part)]));
}

/** Whether what was given repeats just what a session holds, in order; what an assistant said may be missing. */
export function repeats(held: readonly GivenItem[], given: readonly GivenItem[]): boolean {
  let at = 0;
  for (const item of held) {
    const next = given[at];
    if (next !== undefined && tokenOf(next) === tokenOf(item)) at++;
    else if (!(item.kind === 'message' && item.role === 'assistant')) return false;
  }
  return at === given.length;
}
