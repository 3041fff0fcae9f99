import { createHmac } from 'node:crypto';

/** A file's name: HMAC-SHA256 of its content under a key of its scope, so that a name tells nothing of the content. */
export function nameOf(secret: Uint8Array, scope: string, content: Uint8Array): string {
  if (scope === '') throw new RangeError('a scope needs a name');
  const key = createHmac('sha256', secret).update(`annals file name\0${scope}`).digest();
  return createHmac('sha256', key).update(content).digest('hex');
}

/** A scope as the name of a folder: as it is where that is harmless, percent-encoded where not. */
export function scopeFolder(scope: string): string {
  return encodeURIComponent(scope).replaceAll('.', '%2E').replaceAll('*', '%2A');
}
