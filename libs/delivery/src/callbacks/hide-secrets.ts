import { percentDecoded, scrub } from '#platform';
import type { Callback } from './callback.js';

const MASK = '***';
/** Shorter texts are no secrets, and would tear holes everywhere. */
const SHORTEST = 6;

/**
 * What a receiver answered, without what it was sent in confidence: the values of the caller's headers, and the parts of
 * the URL that may be tokens. Answers are kept on the log; some receivers echo what they get, most of them as JSON, and
 * of a long answer only the beginning is kept, which may end within a secret.
 */
export function hideSecrets(text: string, callback: Callback): string {
  if (text === '') return '';
  const secrets = secretsOf(callback)
    .flatMap(spellings)
    .filter((secret) => secret.length >= SHORTEST);
  const longestFirst = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  const cleaned = longestFirst.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
  return scrub(longestFirst.reduce(withoutBegunAtEnd, cleaned));
}

function secretsOf({ url, headers }: Callback): string[] {
  const { pathname, search, searchParams } = new URL(url);
  const values = Object.values(headers).flatMap((value) => [
    value,
    ...value.split(/[\s,;=]+/),
    ...basicOf(value),
  ]);
  // Receivers show them as they came or as they read them, and a `+` of the one is a space of the other.
  const raw = [...pathname.split('/'), ...search.slice(1).split('&').map(valueOf)];
  return [url, search, ...raw, ...raw.map(percentDecoded), ...searchParams.values(), ...values];
}

const valueOf = (pair: string): string => pair.slice(pair.indexOf('=') + 1);

/** User and password of `Basic …` (RFC 7617), which a receiver may have taken apart. */
function basicOf(value: string): string[] {
  const encoded = /^basic\s+([\w+/=-]+)$/i.exec(value.trim())?.[1];
  if (encoded === undefined) return [];
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const at = pair.indexOf(':');
  return [pair, pair.slice(at + 1)];
}

/** As it is, inside JSON (with `/` and with `\/`), inside JSON inside JSON, inside a URL, on a page. */
function spellings(secret: string): string[] {
  const json = inJson(secret);
  const inUrl = encodeURIComponent(secret.toWellFormed());
  return [secret, json, json.replaceAll('/', '\\/'), inJson(json), inUrl, inHtml(secret)];
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const inHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The text, without an end that is the beginning of the secret. */
function withoutBegunAtEnd(text: string, secret: string): string {
  for (let length = Math.min(secret.length - 1, text.length); length >= SHORTEST; length--)
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + MASK;
  return text;
}
