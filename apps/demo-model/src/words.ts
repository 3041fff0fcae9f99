/** Words that say nothing of what a message is about. */
const EMPTY = new Set(
  (
    'a about all an and any are as at be been by can could did do does for from get give had has have how i if in into is ' +
    'it its just let many may me much my now of on one or our out over please show so some tell than that the their them ' +
    'then there these they this to up us use was we were what when where which who whose why will with would you your'
  ).split(' '),
);

const COUNTS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** The words of a text that say what it is about, in the singular: `Sell two apples` has `sell`, `two`, `apple`. */
export function contentWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu) ?? [];
  return words.filter((word) => !EMPTY.has(word)).map(singular);
}

/** The words of a tool's name, whichever way it joins them. */
export const wordsOfName = (name: string): string[] =>
  contentWords(name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_-]/g, ' '));

/** The numbers of a text, in figures or, up to twelve, in words. */
export function numbersIn(text: string): number[] {
  const found = text.toLowerCase().match(/(?<![\w.-])-?\d{1,15}(?:\.\d{1,15})?(?![\w]|\.\d)|\p{L}+/gu) ?? [];
  return found.flatMap((word) => {
    if (/\d/.test(word)) return [Number(word)];
    const count = COUNTS.indexOf(word);
    // "One" is an article more often than a count.
    return count < 0 || word === 'one' ? [] : [count];
  });
}

export const isNumber = (word: string): boolean => /^\d/.test(word) || COUNTS.includes(word);

const singular = (word: string): string =>
  /[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word;
