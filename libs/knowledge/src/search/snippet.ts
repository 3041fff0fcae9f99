/** Around what was found in a marked text; no document holds them (control characters are taken out). */
export const FOUND_START = '\u0001';
export const FOUND_END = '\u0002';

const LONGEST = 600;

/** The stretch of a marked passage with the most of what was looked for, from a sentence's or a word's start. */
export function snippetOf(marked: string): string {
  const { text, hits } = unmark(marked);
  if (text.length <= LONGEST) return text;
  const start = beginningNear(text, densest(hits));
  const end = start + LONGEST >= text.length ? text.length : endBefore(text, start + LONGEST);
  return `${start > 0 ? '… ' : ''}${text.slice(start, end).trim()}${end < text.length ? ' …' : ''}`;
}

function unmark(marked: string): { text: string; hits: readonly number[] } {
  const hits: number[] = [];
  let text = '';
  for (const [index, part] of marked.replaceAll(FOUND_END, '').split(FOUND_START).entries()) {
    if (index > 0) hits.push(text.length);
    text += part;
  }
  return { text, hits };
}

/** Where a window with the most hits begins. */
function densest(hits: readonly number[]): number {
  let best = { at: 0, count: 0 };
  for (const [first, at] of hits.entries()) {
    const count = hits.filter((hit) => hit >= at && hit < at + LONGEST * 0.7).length;
    if (count > best.count) best = { at: hits[first] ?? 0, count };
  }
  return best.at;
}

/** Some text before the hit says what it is about. */
function beginningNear(text: string, hit: number): number {
  const earliest = Math.max(0, Math.min(hit - LONGEST / 4, text.length - LONGEST));
  if (earliest === 0) return 0;
  const before = text.slice(earliest, hit);
  const sentence = /[.!?\n]\s+|[。！？]\s*/.exec(before);
  if (sentence !== null) return earliest + sentence.index + sentence[0].length;
  const word = /\s+/.exec(before);
  return word === null ? earliest : earliest + word.index + word[0].length;
}

function endBefore(text: string, latest: number): number {
  const space = text.lastIndexOf(' ', latest);
  return space > latest - LONGEST / 4 ? space : latest;
}
