/**
 * The JSON values that a text may be meant as, the likeliest first: all of it, what stands in its fences, what stands
 * between its first and its last bracket.
 */
export function* jsonIn(text: string): Generator<{ readonly json: string; readonly value: unknown }> {
  const tried = new Set<string>();
  for (const candidate of candidatesIn(text)) {
    const json = candidate.trim();
    if (json === '' || tried.has(json)) continue;
    tried.add(json);
    const value = parsed(json);
    if (value !== undefined) yield { json, value };
  }
}

/** More fences than anybody means. */
const MAX_FENCES = 5;

function* candidatesIn(text: string): Generator<string> {
  yield text;
  const parts = text.split('```', 2 * MAX_FENCES + 1);
  // The last one first: models think before they answer. An unclosed fence reaches to the end.
  const fences = parts.filter((_, i) => i % 2 === 1).reverse();
  for (const fence of fences) yield fence.replace(/^[a-zA-Z0-9_+-]*[ \t]*\r?\n/, '');
  yield between(text, '{', '}');
  yield between(text, '[', ']');
}

const between = (text: string, open: string, close: string): string => {
  const from = text.indexOf(open);
  return from < 0 ? '' : text.slice(from, text.lastIndexOf(close) + 1);
};

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
