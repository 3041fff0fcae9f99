/** UTF-16 units that are searched; the rest of the text is cut off. */
export const SCRUBBED_CHARS = 16 * 1024;

/**
 * Each pattern takes linear time on any text: no match attempt starts inside a stretch that another one has
 * scanned.
 */
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
/**
 * Secrets cut in half at the end, whose marker (the `@` behind a password, the tail of a key) was cut off.
 */
const BEGUN_AT_END: readonly (readonly [RegExp, string])[] = [
  [/:\/\/[^\s/]*$/, '://***'],
  [/\b(annals_|whsec_|sk-)[A-Za-z0-9+/=_-]*$/, '$1***'],
];

/**
 * Redacts what looks like a secret in a text from elsewhere (an error's message, a stack), cut to
 * SCRUBBED_CHARS.
 */
export function scrub(text: string): string {
  const part = text.slice(0, SCRUBBED_CHARS);
  const patterns = part.length < text.length ? [...BEGUN_AT_END, ...SECRETS] : SECRETS;
  return patterns.reduce((cleaned, [pattern, mask]) => cleaned.replace(pattern, mask), part);
}

/**
 * The first `maxChars` UTF-16 units of a text in which known secrets were redacted, without an end that is
 * the beginning of one of them, since half a secret is not recognised. Ignores case.
 */
export function beginningOf(text: string, maxChars: number, secrets: readonly string[]): string {
  if (text.length <= maxChars) return text;
  const part = text.slice(0, maxChars);
  return part.slice(0, part.length - Math.max(0, ...secrets.map((secret) => begunAtEnd(part, secret))));
}

/** Length of the beginning of a secret on which the text ends. */
function begunAtEnd(text: string, secret: string): number {
  const begun = secret.slice(0, -1).toLowerCase();
  const end = text.slice(-begun.length).toLowerCase();
  for (let length = Math.min(begun.length, end.length); length > 0; length--)
    if (end.endsWith(begun.slice(0, length))) return length;
  return 0;
}
