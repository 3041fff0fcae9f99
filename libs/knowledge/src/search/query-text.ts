/** One thing that a searcher asks for. */
export type Wanted =
  | { readonly kind: 'word'; readonly text: string }
  /** `inst*` */
  | { readonly kind: 'prefix'; readonly text: string }
  /** `"in this order"` */
  | { readonly kind: 'phrase'; readonly text: string };

/** A question is no essay: what comes after so many words adds nothing but cost. */
const MAX_WORDS = 32;
const MAX_CHARACTERS = 2_000;

/** Reads a query: words, `prefix*` and `"phrases"`. Whatever else is in it is punctuation. */
export function readQuery(query: string): readonly Wanted[] {
  const wanted: Wanted[] = [];
  for (const [, phrase, word] of query
    .slice(0, MAX_CHARACTERS)
    .matchAll(/["“”]([^"“”]*)["“”]|([^\s"“”]+)/gu)) {
    if (wanted.length >= MAX_WORDS) break;
    if (phrase !== undefined) {
      if (hasLetters(phrase)) wanted.push({ kind: 'phrase', text: phrase });
      continue;
    }
    const prefix = /^(.*[\p{L}\p{N}])\*+$/u.exec(word ?? '')?.[1];
    if (prefix !== undefined) wanted.push({ kind: 'prefix', text: prefix });
    else if (word !== undefined && hasLetters(word)) wanted.push({ kind: 'word', text: word });
  }
  return wanted;
}

const hasLetters = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);
