const words: Record<string, string> = {
  x: '*',
  '×': '*',
  '*': '*',
  times: '*',
  'multiplied by': '*',
  '÷': '/',
  '/': '/',
  'divided by': '/',
  '+': '+',
  plus: '+',
  '-': '-',
  '−': '-',
  minus: '-',
};

const value = String.raw`-?\d{1,15}(?:\.\d{1,15})?`;
// A bare hyphen or slash between digits is more likely a date: these two want a space on both sides.
const operator = String.raw`\s*(?:[x×*÷+−]|times|multiplied by|divided by|plus|minus)\s*|\s+[-/]\s+`;
const expression = new RegExp(
  String.raw`(?<![\w.])${value}(?:(?:${operator})${value}){1,20}(?![\w.]*\d)`,
  'iu',
);

export interface Sum {
  /** As it stands in the text: `6 x 7`. */
  readonly expression: string;
  /** Not finite where something is divided by zero. */
  readonly result: number;
}

/** The first sum in a text; undefined when there is none. */
export function sumIn(text: string): Sum | undefined {
  const found = expression.exec(text)?.[0];
  if (found === undefined) return undefined;
  return { expression: found, result: Number(evaluate(found.toLowerCase()).toPrecision(12)) };
}

/** The first sum in a text, with its result: `6 x 7 is 42`; undefined when there is none. */
export function solve(text: string): string | undefined {
  const sum = sumIn(text);
  if (sum === undefined) return undefined;
  return Number.isFinite(sum.result)
    ? `${sum.expression} is ${sum.result}`
    : `${sum.expression} has no answer: nothing can be divided by zero`;
}

/** Products before sums, each from left to right. */
function evaluate(found: string): number {
  const split = new RegExp(`(${value})|(${operator})`, 'giu');
  const terms: number[] = [];
  let pending = '+';
  for (const [, number, sign] of found.matchAll(split)) {
    if (sign !== undefined) pending = words[sign.trim()] ?? '+';
    else if (number !== undefined) apply(terms, pending, Number(number));
  }
  return terms.reduce((sum, term) => sum + term, 0);
}

function apply(terms: number[], sign: string, number: number): void {
  switch (sign) {
    case '*':
      terms.push((terms.pop() ?? 1) * number);
      return;
    case '/':
      terms.push((terms.pop() ?? 1) / number);
      return;
    default:
      terms.push(sign === '-' ? -number : number);
  }
}
