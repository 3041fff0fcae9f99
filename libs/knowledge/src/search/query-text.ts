import { lastOf, normalizeText, pairsOf, runsOf } from './index-text.js';

/** One thing that a searcher asks for. */
export type Wanted =
  | { readonly kind: 'word'; readonly text: string }
  /** Two letters of a script without spaces: there are no typing errors in so few. */
  | { readonly kind: 'pair'; readonly text: string }
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
  for (const [, phrase, word] of normalizeText(query.slice(0, MAX_CHARACTERS)).matchAll(
    /["“”]([^"“”]*)["“”]|([^\s"“”]+)/gu,
  )) {
    if (wanted.length >= MAX_WORDS) break;
    wanted.push(...(phrase === undefined ? readWord(word ?? '') : readPhrase(phrase)));
  }
  return wanted.slice(0, MAX_WORDS);
}

function readWord(word: string): Wanted[] {
  const prefix = /^(.*[\p{L}\p{N}\p{M}])\*+$/u.exec(word)?.[1];
  const parts = runsOf(prefix ?? word).filter(({ text }) => hasLetters(text));
  return parts.flatMap(({ text, isRun }, at): Wanted[] => {
    if (isRun) return readRun(text);
    const isLast = at === parts.length - 1;
    return [{ kind: prefix !== undefined && isLast ? 'prefix' : 'word', text }];
  });
}

/** Each letter is the beginning of a pair in the index, or the last one. */
function readRun(run: string): Wanted[] {
  const pairs = pairsOf(run);
  if (pairs.length === 0) return [{ kind: 'prefix', text: run }];
  return pairs.map((text) => ({ kind: 'pair', text }));
}

/** As the index has it, but for the end: where a stretch goes on there in the document, its last letter is none. */
function readPhrase(phrase: string): Wanted[] {
  const parts = runsOf(phrase.replace(/[^\p{L}\p{N}\p{M}]+$/u, ''));
  const [only] = parts;
  if (parts.length === 1 && only?.isRun === true && pairsOf(only.text).length === 0)
    return readRun(only.text);
  const text = parts
    .map((part, at) => {
      if (!part.isRun) return part.text;
      const pairs = pairsOf(part.text).join(' ');
      return at === parts.length - 1 ? ` ${pairs}` : ` ${pairs} ${lastOf(part.text)} `;
    })
    .join('');
  return hasLetters(text) ? [{ kind: 'phrase', text }] : [];
}

const hasLetters = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);
