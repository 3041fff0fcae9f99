/** Parses the text of one variable; throws WrongValue, which says what it accepts. */
export type ReadValue<T> = (text: string) => T;

/** What a variable accepts, in words that complete "NAME must be …". */
export class WrongValue extends Error {
  override readonly name = 'WrongValue';
}

/** A positive integer, multiplied by `unit`, at most Number.MAX_SAFE_INTEGER. */
export const positive =
  (unit = 1): ReadValue<number> =>
  (text) => {
    if (!/^\d+$/.test(text) || !/[1-9]/.test(text)) throw new WrongValue('a positive whole number');
    return Math.min(Number(text) * unit, Number.MAX_SAFE_INTEGER);
  };

export const atLeast =
  (least: number): ReadValue<number> =>
  (text) => {
    const value = positive()(text);
    if (value < least) throw new WrongValue(`a whole number, ${least} or more`);
    return value;
  };

export const between =
  (least: number, most: number): ReadValue<number> =>
  (text) => {
    const value = atLeast(least)(text);
    if (value > most) throw new WrongValue(`a whole number from ${least} to ${most}`);
    return value;
  };

/** Whole seconds, 0 too, as milliseconds. */
export const seconds: ReadValue<number> = (text) => {
  if (!/^\d+$/.test(text)) throw new WrongValue('a whole number of seconds');
  return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER);
};

const LAST_PORT = 65_535;

export const port: ReadValue<number> = (text) => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > LAST_PORT) throw new WrongValue(`a port, 0 to ${LAST_PORT}`);
  return Number(text);
};

/** Text without blanks or control characters, e.g. a host or a model's name. */
export const word =
  (what: string): ReadValue<string> =>
  (text) => {
    // eslint-disable-next-line no-control-regex
    if (/[\s\u0000-\u001f]/.test(text)) throw new WrongValue(`${what}, without blanks`);
    return text;
  };

export const oneOf =
  <T extends string>(...values: readonly T[]): ReadValue<T> =>
  (text) => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw new WrongValue(`one of ${values.join(', ')}`);
    return found;
  };

/** An absolute URL with one of the schemes (`http`, `esdb+discover`). */
export const url =
  (example: string, ...schemes: readonly string[]): ReadValue<string> =>
  (text) => {
    const scheme = /^([a-z][a-z0-9+.-]*):\/\/[^/\s]/i.exec(text)?.[1]?.toLowerCase();
    if (scheme === undefined || !schemes.includes(scheme) || /\s/.test(text)) {
      throw new WrongValue(`a URL like ${example}`);
    }
    const hosts = /:\/\/(?:[^@/]*@)?([^/?]*)/.exec(text)?.[1] ?? '';
    if (hosts.split(',').some((host) => Number(/:(\d+)$/.exec(host)?.[1] ?? 1) > LAST_PORT))
      throw new WrongValue(`a URL like ${example}, with a port up to ${LAST_PORT}`);
    return text;
  };

export const httpUrl: ReadValue<string> = (text) => {
  const wrong = new WrongValue('an http or https URL without a query');
  if (!URL.canParse(text)) throw wrong;
  const { protocol, search, hash } = new URL(text);
  if ((protocol !== 'http:' && protocol !== 'https:') || search !== '' || hash !== '') throw wrong;
  return text.replace(/(?<!\/)\/+$/, '');
};

/** An origin as browsers send it (RFC 6454, 6.2): no path, no default port. */
export const origin: ReadValue<string> = (text) => {
  if (!/^https?:/.test(text) || !URL.canParse(text) || new URL(text).origin !== text)
    throw new WrongValue('a comma-separated list of origins like https://app.example.com, without a path');
  return text;
};

/** A name for all that a log signs. */
export const logOrigin: ReadValue<string> = (text) => {
  if (!/^[A-Za-z0-9._\-/]{1,200}$/.test(text))
    throw new WrongValue('1 to 200 of the characters A-Z a-z 0-9 . _ - /, like example.com/annals');
  return text;
};

/** An http or https URL that is shown to others: no credentials. */
export const publicUrl: ReadValue<string> = (text) => {
  const url = httpUrl(text);
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') throw new WrongValue('an http or https URL without a password');
  return url;
};

/** Comma-separated, at least one; surrounding blanks are ignored. */
export const list =
  <T>(item: ReadValue<T>): ReadValue<readonly T[]> =>
  (text) =>
    text.split(',').map((part) => {
      const trimmed = part.trim();
      if (trimmed === '') throw new WrongValue('a comma-separated list without gaps');
      return item(trimmed);
    });

export const hostAndPort: ReadValue<string> = (text) => {
  const match = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/.exec(text);
  if (match === null || Number(match[1]) < 1 || Number(match[1]) > LAST_PORT) {
    throw new WrongValue('a comma-separated list of host:port');
  }
  return text;
};

/** Every flag takes every spelling; a refusal names the two that are documented for it. */
export const flag =
  (yes: 'true' | 'on', no: 'false' | 'off'): ReadValue<boolean> =>
  (text) => {
    if (/^(true|1|on|yes)$/i.test(text)) return true;
    if (/^(false|0|off|no)$/i.test(text)) return false;
    throw new WrongValue(`${yes} or ${no}`);
  };

/** 32 bytes as base64 (with or without padding, also the URL alphabet) or as hex. */
export const key32: ReadValue<Buffer> = (text) => {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64');
  throw new WrongValue('32 bytes as base64 or hex');
};

export const adminKey: ReadValue<string> = (text) => {
  if (text.length < 16 || !/^[\u0021-\u007e]+$/.test(text)) {
    throw new WrongValue('16 characters or more, visible ASCII without blanks');
  }
  return text;
};

/** `whsec_` and base64 of 24 to 64 bytes, as Standard Webhooks has it. */
export const webhookSecret: ReadValue<string> = (text) => {
  const match = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text);
  const bytes = match === null ? 0 : Buffer.from(match[1] ?? '', 'base64').length;
  if (bytes < 24 || bytes > 64) throw new WrongValue('whsec_ followed by base64 of 24 to 64 bytes');
  return text;
};

export interface Sasl {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}

export const sasl: ReadValue<Sasl> = (text) => {
  const match = /^(plain|scram-sha-256|scram-sha-512):([^:\s]+):(\S+)$/i.exec(text);
  if (match === null) throw new WrongValue('plain|scram-sha-256|scram-sha-512:username:password');
  const [, mechanism = '', username = '', password = ''] = match;
  return { mechanism: mechanism.toLowerCase() as Sasl['mechanism'], username, password };
};
