import { resolve } from 'node:path';

/** Loaded into the service: keeps of its requests what nobody needs. */
export const LEAK = resolve('test/reliability/hooks/leak.ts');

export interface Leak {
  /** Of each request; of each tenth a file besides. */
  readonly bytes: number;
}

export const leakEnv = (leak: Leak | undefined): Readonly<Record<string, string>> =>
  leak === undefined ? {} : { LEAK_BYTES: String(leak.bytes) };
