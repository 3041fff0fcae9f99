/** UTF-16 units that are looked at; nobody reads on behind them, and what is cut off costs nothing. */
export const SCRUBBED_CHARS = 16 * 1024;

/** Each takes linear time, whatever the text: no place from which one is tried lies in a stretch that another ran through. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  // user:password@ of any URL
  [/:\/\/[^\s/]*@/g, '://***@'],
  [/\b(Bearer|Basic)\s+[^\s"',;]+/gi, '$1 ***'],
  [/\b(annals_|whsec_|sk-)[A-Za-z0-9+/=_-]{6,}/g, '$1***'],
  [
    /\b((?:api[-_]?key|access[-_]?token|token|password|secret|authorization)["']?\s*[=:]\s*["']?)[^\s"'&,;]+/gi,
    '$1***',
  ],
];
/** What was cut off may have been the `@` behind a password, or all but the first characters of a key. */
const BEGUN_AT_END: readonly (readonly [RegExp, string])[] = [
  [/:\/\/[^\s/]*$/, '://***'],
  [/\b(annals_|whsec_|sk-)[A-Za-z0-9+/=_-]*$/, '$1***'],
];

/** Hides what looks like a secret in a text that others made (an error's message, a stack). Longer ones are cut first. */
export function scrub(text: string): string {
  const part = text.slice(0, SCRUBBED_CHARS);
  const patterns = part.length < text.length ? [...BEGUN_AT_END, ...SECRETS] : SECRETS;
  return patterns.reduce((cleaned, [pattern, mask]) => cleaned.replace(pattern, mask), part);
}

/**
 * The first UTF-16 units of a text that known secrets are taken out of: without an end that one of them begins with, since
 * what is cut off cannot be recognised. Letters of either case count as the same.
 */
export function beginningOf(text: string, maxChars: number, secrets: readonly string[]): string {
  if (text.length <= maxChars) return text;
  const part = text.slice(0, maxChars);
  return part.slice(0, part.length - Math.max(0, ...secrets.map((secret) => begunAtEnd(part, secret))));
}

/** How many units at the end of the text are the beginning of a secret that does not end there. */
function begunAtEnd(text: string, secret: string): number {
  const begun = secret.slice(0, -1).toLowerCase();
  const end = text.slice(-begun.length).toLowerCase();
  for (let length = Math.min(begun.length, end.length); length > 0; length--)
    if (end.endsWith(begun.slice(0, length))) return length;
  return 0;
}
