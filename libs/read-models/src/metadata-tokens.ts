import { createHmac, createSecretKey } from 'node:crypto';
import type { ProjectId } from '#domain';

/** Stands for what callers say of their runs where it must be found without being readable: HMAC-SHA-256 under a secret. */
export class MetadataTokens {
  constructor(private readonly secret: Uint8Array) {}

  /** Of a key, and of a key with its value. */
  of(project: ProjectId, key: string, value?: string): string {
    const text = JSON.stringify(value === undefined ? [project, key] : [project, key, value]);
    return createHmac('sha256', createSecretKey(this.secret)).update(text).digest('hex');
  }
}
