import { scrub } from '#platform';
import type { Callback } from './callback.js';

/** Shorter texts are no secrets, and would tear holes everywhere. */
const SHORTEST = 6;

/**
 * What a receiver answered, without what it was sent in confidence: the values of the caller's headers, and the parts of
 * the URL that may be tokens. Answers are kept on the log; some receivers echo what they get.
 */
export function hideSecrets(text: string, { url, headers }: Callback): string {
  const { pathname, search, searchParams } = new URL(url);
  const parts = Object.values(headers).flatMap((value) => [value, ...value.split(/[\s,;=]+/)]);
  const secrets = new Set([url, search, ...searchParams.values(), ...pathname.split('/'), ...parts]);
  const found = [...secrets].filter((secret) => secret.length >= SHORTEST && text.includes(secret));
  const longestFirst = found.sort((a, b) => b.length - a.length);
  return scrub(longestFirst.reduce((cleaned, secret) => cleaned.replaceAll(secret, '***'), text));
}
