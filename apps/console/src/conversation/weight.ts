import { type Item, loadedText } from './items.js';

/** Elements that the texts of one conversation are drawn with beyond one each; what is older is drawn as it was written. */
const FORMATTED_ELEMENTS = 120;

/** About how many elements a text is drawn with. Linear in the text, and exact for none. */
export function weightOfText(text: string): number {
  let marks = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (
      character === '\n' ||
      character === '|' ||
      character === '*' ||
      character === '`' ||
      character === '['
    )
      marks += 1;
  }
  return 1 + Math.ceil(marks / 2);
}

/** The same of JSON text: an element or two for each value. */
export function weightOfJson(text: string): number {
  let values = 1;
  for (let at = 0; at < text.length; at += 1) if (text[at] === ',' || text[at] === ':') values += 1;
  return Math.min(values * 2, 300);
}

/** Which of the items are drawn with all their form, from the newest on: their keys. */
export function formattedKeys(items: readonly Item[]): ReadonlySet<string> {
  const keys = new Set<string>();
  let left = FORMATTED_ELEMENTS;
  for (const item of items.toReversed()) {
    left -= weightOf(item);
    if (left < 0) break;
    keys.add(item.key);
  }
  return keys;
}

/** Items do not change: each is weighed once. */
const weighed = new WeakMap<Item, number>();

function weightOf(item: Item): number {
  const known = weighed.get(item);
  if (known !== undefined) return known;
  const weight = weigh(item);
  weighed.set(item, weight);
  return weight;
}

function weigh(item: Item): number {
  switch (item.kind) {
    case 'response':
      return weightOfText(loadedText(item.text).slice(0, 20_000));
    case 'tool':
      return (
        weightOfJson(loadedText(item.input)) +
        (item.result === null ? 0 : weightOfJson(loadedText(item.result)))
      );
    case 'output':
      return weightOfJson(loadedText(item.text));
    case 'action':
      return weightOfJson(loadedText(item.input)) + 10;
    case 'user':
    case 'thinking':
    case 'handoff':
    case 'error':
    case 'note':
      return 0;
  }
}
