import { beginningOf, percentDecoded, scrub } from '#platform';
import type { McpServerConfig } from '#agent';
import { basicCredentials } from './url-credentials.js';

const MASK = '***';
/** Shorter ones would eat into ordinary words, and hide nothing. */
const minTokenChars = 3;
const minPartChars = 8;
/** Shorter ones stand in a text that means nothing (an id, a state) by chance. */
const minOpaqueChars = 6;
/** So many times over a secret may be encoded in a link. */
const maxEncodings = 3;
/** Of an error; some servers answer with all that they know. */
const maxErrorChars = 10_000;
const SECRET_NAME = /key|token|secret|pass|pwd|auth|sig|cred|code/i;

/**
 * Takes what only the caller may know out of texts that the server made: of an mcp_servers entry nothing but the name may
 * reach the log, and servers like to repeat a token or an address in an error, or in a result.
 */
export class SecretMask {
  private readonly secrets: readonly string[];
  private readonly anywhere: RegExp | null;
  /** A shorter text holds none of them: most names and values in a schema are. */
  private readonly fewestChars: number;
  private readonly address: RegExp | null;
  private readonly inLinks: RegExp | null;
  private readonly credentials: RegExp | null;

  constructor(config: McpServerConfig) {
    const url = new URL(config.serverUrl);
    const credentials = credentialsIn(config, url);
    const tokens = [...credentials, ...partsOf(url)];
    this.secrets = [...tokens.flatMap(spellings), ...urlsOf(config, url)];
    this.anywhere = patternOf(this.secrets);
    this.fewestChars = Math.min(
      ...this.secrets.filter((secret) => secret !== '').map(({ length }) => length),
    );
    this.inLinks = patternOf(tokens.flatMap(spellings));
    this.credentials = patternOf(credentials.filter((t) => t.length >= minOpaqueChars).flatMap(spellings));
    this.address = patternOf([...this.secrets, url.host, url.hostname.replace(/^\[|\]$/g, '')]);
  }

  /** For results and descriptions: links to other places of the same host are theirs to give. */
  clean(text: string): string {
    return this.anywhere === null ? text : text.replace(this.anywhere, MASK);
  }

  /** Whether `clean` would change it. */
  holds(text: string): boolean {
    return text.length >= this.fewestChars && isIn(text, this.anywhere);
  }

  /** The same for a text, or what JSON there is, however deep. */
  holdsWithin(value: unknown): boolean {
    const left = [value];
    while (left.length > 0) {
      const next = left.pop();
      if (typeof next === 'object' && next !== null) {
        const isList = Array.isArray(next);
        for (const [key, inner] of Object.entries(next)) {
          if (!isList && this.holds(key)) return true;
          left.push(inner);
        }
      } else if (this.holds(String(next))) return true;
    }
    return false;
  }

  /** Whether a link holds what only the caller may know, in whatever encoding. That it is on the server's own host is not. */
  linkHolds(url: string): boolean {
    let text = url;
    for (let times = 0; times <= maxEncodings; times++) {
      if (isIn(text, this.inLinks) || isIn(text.replaceAll('+', ' '), this.inLinks)) return true;
      text = decodedWherePossible(text);
    }
    return false;
  }

  /** Whether a text that means something to the server alone, and cannot be given back to it changed, holds a credential. */
  opaqueHolds(text: string): boolean {
    return isIn(text, this.credentials) || isIn(decodedWherePossible(text), this.credentials);
  }

  /** The same for the first UTF-16 units of a longer text. */
  cleanBeginning(text: string, maxChars: number): string {
    return this.clean(beginningOf(text, maxChars, this.secrets));
  }

  /** For what is said of a failure: no trace of where it was, and nothing that looks like anyone's secret. */
  cleanError(text: string, maxChars = maxErrorChars): string {
    const clean = scrub(this.address === null ? text : text.replace(this.address, MASK));
    return clean.length > maxChars ? `${beginning(clean, maxChars)}…` : clean;
  }
}

function credentialsIn({ auth }: McpServerConfig, url: URL): string[] {
  const token = auth?.type === 'bearer' ? auth.token : auth?.oauth.accessToken;
  const named = paramsOf(url).flatMap(({ name, values }) => (SECRET_NAME.test(name) ? values : []));
  return [token ?? '', ...credentialsOf(url), ...named].filter((t) => t.length >= minTokenChars);
}

/** Of an address, what may be a secret by its looks. */
const partsOf = (url: URL): string[] => {
  const places = url.pathname.split('/').flatMap((part) => [part, percentDecoded(part)]);
  return [...paramsOf(url).flatMap(({ values }) => values), ...places].filter(looksSecret);
};

/** Of the query, each value as a form has it and as it stands there, where a `+` is no space. */
function paramsOf(url: URL): { readonly name: string; readonly values: readonly string[] }[] {
  const raw = url.search.slice(1).split('&');
  return raw.map((pair) => {
    const [name = '', value = ''] = [...new URLSearchParams(pair)][0] ?? [];
    const sent = pair.includes('=') ? pair.slice(pair.indexOf('=') + 1) : '';
    return { name, values: [value, sent, percentDecoded(sent)] };
  });
}

/** A pattern that finds all of them has a place where it goes on, which `search` does not look at. */
const isIn = (text: string, pattern: RegExp | null): boolean => pattern !== null && text.search(pattern) >= 0;

/** What is encoded properly is decoded, whatever else there is. */
const decodedWherePossible = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => percentDecoded(encoded));

const beginning = (text: string, maxChars: number): string =>
  text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '');

const looksSecret = (part: string): boolean => part.length >= minPartChars && /\d|[A-Z]/.test(part);

/** Of a URL with user and password, as they are and as they are sent; a user without a password is a token. */
function credentialsOf(url: URL): string[] {
  const secret = url.password || url.username;
  const sent = basicCredentials(url) ?? '';
  return [percentDecoded(secret), secret, sent, sent.replace(/(?<!=)=+$/, '')];
}

/** As it is, inside JSON, inside a URL. */
function spellings(token: string): string[] {
  return [token, JSON.stringify(token).slice(1, -1), encodeURIComponent(token.toWellFormed())];
}

function urlsOf({ serverUrl }: McpServerConfig, url: URL): string[] {
  const place = url.origin + url.pathname;
  const hosts = url.port === '' ? [] : [url.host];
  return [serverUrl, url.href, place, place.replace(/(?<!\/)\/+$/, ''), ...hosts];
}

function patternOf(texts: readonly string[]): RegExp | null {
  const longestFirst = [...new Set(texts)].filter((t) => t !== '').sort((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return null;
  return new RegExp(longestFirst.map((t) => t.replace(/[^a-z0-9_]/gi, escaped)).join('|'), 'gi');
}

/** A code unit as a pattern that means nothing but itself. */
const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
