import { beginningOf, percentDecoded, scrub } from '#platform';
import type { McpServerConfig } from '#agent';
import { basicCredentials } from './url-credentials.js';

const MASK = '***';
/** Shorter ones would eat into ordinary words, and hide nothing. */
const minTokenChars = 3;
const minPartChars = 8;
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
  private readonly address: RegExp | null;

  constructor(config: McpServerConfig) {
    const url = new URL(config.serverUrl);
    this.secrets = [...tokensOf(config, url).flatMap(spellings), ...urlsOf(config, url)];
    this.anywhere = patternOf(this.secrets);
    this.address = patternOf([...this.secrets, url.host, url.hostname.replace(/^\[|\]$/g, '')]);
  }

  /** For results and descriptions: links to other places of the same host are theirs to give. */
  clean(text: string): string {
    return this.anywhere === null ? text : text.replace(this.anywhere, MASK);
  }

  /** The same for the first UTF-16 units of a longer text. */
  cleanBeginning(text: string, maxChars: number): string {
    return this.clean(beginningOf(text, maxChars, this.secrets));
  }

  /** For what is said of a failure: no trace of where it was, and nothing that looks like anyone's secret. */
  cleanError(text: string): string {
    const clean = scrub(this.address === null ? text : text.replace(this.address, MASK));
    return clean.length > maxErrorChars ? `${beginning(clean)}…` : clean;
  }
}

function tokensOf({ auth }: McpServerConfig, url: URL): string[] {
  const token = auth?.type === 'bearer' ? auth.token : auth?.oauth.accessToken;
  const named = [...url.searchParams].filter(([name]) => SECRET_NAME.test(name)).map(([, value]) => value);
  const parts = [...url.searchParams.values(), ...url.pathname.split('/')].filter(looksSecret);
  return [token ?? '', ...credentialsOf(url), ...named, ...parts].filter((t) => t.length >= minTokenChars);
}

const beginning = (text: string): string => text.slice(0, maxErrorChars).replace(/[\uD800-\uDBFF]$/, '');

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
