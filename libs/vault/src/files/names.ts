import { createHmac, type Hmac } from 'node:crypto';

/** A file's name: HMAC-SHA256 of its content under a key of its scope, so that a name tells nothing of the content. */
export const nameOf = (secret: Uint8Array, scope: string, content: Uint8Array): string =>
  nameHash(secret, scope).update(content).digest('hex');

/** For content that comes in pieces: what `nameOf` makes a name with. */
export function nameHash(secret: Uint8Array, scope: string): Hmac {
  if (scope === '') throw new RangeError('a scope needs a name');
  const key = createHmac('sha256', secret).update(`annals file name\0${scope}`).digest();
  return createHmac('sha256', key);
}

/** A scope as the name of a folder: as it is where that is harmless, percent-encoded where not. */
export function scopeFolder(scope: string): string {
  return encodeURIComponent(scope).replaceAll('.', '%2E').replaceAll('*', '%2A');
}

/** The scope of a folder that `scopeFolder` named; null: the folder is not ours. */
export function scopeOfFolder(folder: string): string | null {
  try {
    const scope = decodeURIComponent(folder);
    return scopeFolder(scope) === folder ? scope : null;
  } catch {
    return null;
  }
}
