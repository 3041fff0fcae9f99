import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';

/** What the child programs are told, and the lines in which they tell what they did. */

export interface LogChildOptions {
  readonly folder: string;
  readonly appends: number;
  readonly walBytes: number;
  readonly seed: number;
  /** NORMAL: a planted fault, which loses what was acknowledged when the power fails. */
  readonly synchronous?: 'FULL' | 'NORMAL';
  /** A planted fault: appends are acknowledged before they are stored. */
  readonly isHasty?: boolean;
}

export interface FilesChildOptions {
  readonly folder: string;
  readonly files: number;
  readonly seed: number;
  /** One scope is filled and removed by turns, in the same way each time. */
  readonly isOneScope?: boolean;
}

export type Told =
  | {
      readonly kind: 'tried';
      readonly stream: string;
      readonly first: number;
      readonly ids: readonly string[];
    }
  | { readonly kind: 'stored'; readonly ids: readonly string[] }
  /** Told by the log that nothing was stored. */
  | { readonly kind: 'refused'; readonly ids: readonly string[] }
  | { readonly kind: 'not_opened'; readonly detail: string }
  /** What the folder's key makes; it must stay the same. */
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'keeping'; readonly scope: string; readonly number: number }
  /** With a key: of a file that came in pieces. */
  | ({ readonly kind: 'kept'; readonly scope: string; readonly number: number } & KeptAs)
  | { readonly kind: 'removing' | 'removed'; readonly scope: string }
  | { readonly kind: 'failed'; readonly detail: string };

export interface KeptAs {
  readonly name: string;
  readonly key?: string;
}

/** Exit code: the log did not open. */
export const REFUSED = 3;
/** Exit code: the same thing failed too often. */
export const GAVE_UP = 4;

export const FILES_PURPOSE = 'annals/calls/files';
export const DRAFT_BYTES = 16;

export const draftName = (n: number): string => n.toString(16).padStart(DRAFT_BYTES * 2, '0');

/** Bytes that a number stands for, up to 6 kB of them. */
export function contentOf(number: number): Buffer {
  const hash = createHash('sha256').update(String(number)).digest();
  return Buffer.alloc(hash.readUInt16BE(0) % 6_000, hash);
}

/** At once and whole, so that a line says what was done before whatever comes next. */
export function tell(told: Told): void {
  const line = Buffer.from(`${JSON.stringify(told)}\n`);
  for (let at = 0; at < line.length;)
    try {
      at += writeSync(1, line, at);
    } catch (error) {
      // The pipe is full: whoever reads it is slower.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
}

/** The lines of a child; one that its death has cut was not told. */
export function toldIn(text: string): Told[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Told);
}
