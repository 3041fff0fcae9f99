/** A sentence ends here: its mark, what closes with it, and white space behind; or a blank line. */
const END = /[.!?…](?=["'”’)\]]*\s)["'”’)\]]*|[。！？]|\n\s*\n/gu;
/** Longer than this nobody is kept waiting for the end. */
const LONG = 400;

/** What can be said aloud of a text that grows. */
export interface Spoken {
  /** Whole sentences that were not said yet; empty: none. */
  readonly say: string;
  /** Characters of the text that are said then. */
  readonly upTo: number;
}

/**
 * The sentences of a text that are complete and were not said yet.
 * @param from characters that were said
 * @param isOver nothing more will come: the rest is said, too
 */
export function sentencesFrom(text: string, from: number, isOver: boolean): Spoken {
  const rest = text.slice(from);
  if (isOver) return { say: rest.trim(), upTo: text.length };
  let end = 0;
  for (const match of rest.matchAll(END)) end = match.index + match[0].length;
  if (end === 0 && rest.length > LONG) end = Math.max(rest.lastIndexOf(' '), 0);
  return { say: rest.slice(0, end).trim(), upTo: from + end };
}
