/**
 * Text as the index has it. Documents and queries pass through here alike, so that one is found by the other however either
 * is written; what is shown stays as it is in the document.
 * 1. Of several ways to write the same letters there is one (Unicode's NFKC): composed or not, ligatures, full width.
 * 2. Scripts without spaces between words are taken apart into pairs of letters that stand together, as Lucene's
 *    CJKAnalyzer does: any stretch of them is found, whatever its words are.
 */
export function indexText(text: string): string {
  if (isPlain(text)) return text;
  return normalizeText(text).replace(RUN, (run) => ` ${[...pairsOf(run), lastOf(run)].join(' ')} `);
}

/** Invariant 1. */
export function normalizeText(text: string): string {
  if (isPlain(text)) return text;
  return text.replace(IGNORED, '').replace(COMPATIBLE, (part) => part.normalize('NFKC'));
}

/** Whether the index has words of the text that a parser would not find in it as it stands. */
export const hasOtherWords = (text: string): boolean => wordsOf(indexText(text)) !== wordsOf(text);
const wordsOf = (text: string): string => text.replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ').trim();

/** Whether each character stands for itself alone. */
// eslint-disable-next-line no-control-regex
const isPlain = (text: string): boolean => !/[^\0-\x7f]/.test(text);

/** What shows a place to break a line, or forbids one: no part of the word that it stands in. */
const IGNORED = /[\u00ad\u2060\ufeff\p{Variation_Selector}]/gu;
/**
 * All but signs that stand beside a word: NFKC would make letters of its own of them, and `word¹` would not be found by
 * `word`. Raised figures, ℠, ™, fractions, figures in circles.
 */
const COMPATIBLE =
  /[^\u00b2\u00b3\u00b9\u00bc-\u00be\u2070\u2074-\u2079\u2120\u2122\u2150-\u215f\u2189\u2460-\u24ff]+/gu;

/** A letter of such a script with the marks on it. */
const LETTER =
  '(?=[\\p{L}\\p{N}])[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Bopomofo}\\p{sc=Hangul}\\p{sc=Yi}' +
  '\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\\u30fc]\\p{M}*';
const RUN = new RegExp(`(?:${LETTER})+`, 'gu');
const LETTERS = new RegExp(LETTER, 'gu');

/** The stretches of a normalised text that are taken apart, and what stands between them. */
export function runsOf(text: string): readonly { readonly text: string; readonly isRun: boolean }[] {
  const parts: { text: string; isRun: boolean }[] = [];
  let end = 0;
  for (const { 0: run, index } of text.matchAll(RUN)) {
    parts.push({ text: text.slice(end, index), isRun: false }, { text: run, isRun: true });
    end = index + run.length;
  }
  parts.push({ text: text.slice(end), isRun: false });
  return parts.filter((part) => part.text !== '');
}

/** Invariant 2. None of a single letter. */
export function pairsOf(run: string): readonly string[] {
  const letters = run.match(LETTERS) ?? [];
  return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}

/** So that each letter of a run is the beginning of something, and is found by that. */
export const lastOf = (run: string): string => run.match(LETTERS)?.at(-1) ?? '';
