import { createHmac, type Hmac } from 'node:crypto';

/** A file's name: HMAC-SHA256 of its content under a key of its scope, so that it reveals nothing of the content. */
export const nameOf = (secret: Uint8Array, scope: string, content: Uint8Array): string =>
  nameHash(secret, scope).update(content).digest('hex');

/** The same as a streaming hash. */
export function nameHash(secret: Uint8Array, scope: string): Hmac {
  if (scope === '') throw new RangeError('a scope needs a name');
  const key = createHmac('sha256', secret).update(`annals file name\0${scope}`).digest();
  return createHmac('sha256', key);
}

/** Folder name of a scope: percent-encoded where it has to be. */
export function scopeFolder(scope: string): string {
  return encodeURIComponent(scope).replaceAll('.', '%2E').replaceAll('*', '%2A');
}

/** Inverse of `scopeFolder`; null: the folder is not ours. */
export function scopeOfFolder(folder: string): string | null {
  try {
    const scope = decodeURIComponent(folder);
    return scopeFolder(scope) === folder ? scope : null;
  } catch {
    return null;
  }
}
