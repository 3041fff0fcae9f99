const SECRETS: readonly (readonly [RegExp, string])[] = [
  // user:password@ of any URL
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, '$1***@'],
  [/\b(Bearer|Basic)\s+[^\s"',;]+/gi, '$1 ***'],
  [/\b(annals_|whsec_|sk-)[A-Za-z0-9+/=_-]{6,}/g, '$1***'],
  [
    /\b((?:api[-_]?key|access[-_]?token|token|password|secret|authorization)["']?\s*[=:]\s*["']?)[^\s"'&,;]+/gi,
    '$1***',
  ],
];

/** Hides what looks like a secret in a text that others made (an error's message, a stack). */
export function scrub(text: string): string {
  return SECRETS.reduce((cleaned, [pattern, mask]) => cleaned.replace(pattern, mask), text);
}
