import { concat, u64, utf8 } from './bytes.js';
import { sha256 } from './hashing.js';

/** What the leaves of the tree say (docs/proof.md): an event's place in its stream, or where all streams end. */

const EVENT = Uint8Array.of(1);
const DIRECTORY = Uint8Array.of(2);
const HEAD = Uint8Array.of(3);
const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** Stands for a stream's name. */
export const tagOf = (stream: string): Uint8Array => sha256(utf8(stream));

/** The second chain over all events of a stream. @param before link of the revision before; of revision 0 the tag */
export const linkOf = (before: Uint8Array, hash: Uint8Array): Uint8Array => sha256(before, hash);

export const eventEntry = (tag: Uint8Array, revision: number, hash: Uint8Array): Uint8Array =>
  concat(EVENT, tag, u64(revision), hash);

export const directoryEntry = (root: Uint8Array): Uint8Array => concat(DIRECTORY, root);

/** Where a stream ends: stands in the trie alone. */
export const headEntry = (tag: Uint8Array, revision: number, link: Uint8Array): Uint8Array =>
  concat(HEAD, tag, u64(revision), link);

/** An entry of the tree as it reads; null: it is none. */
export function readEntry(entry: Uint8Array): ReadEntry | null {
  if (entry[0] === 2 && entry.length === 33) return { kind: 'directory', root: entry.slice(1) };
  if (entry[0] !== 1 || entry.length !== 73) return null;
  const revision = new DataView(entry.buffer, entry.byteOffset + 33, 8).getBigUint64(0);
  if (revision > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  return { kind: 'event', tag: entry.slice(1, 33), revision: Number(revision), hash: entry.slice(41) };
}

export type ReadEntry =
  | {
      readonly kind: 'event';
      readonly tag: Uint8Array;
      readonly revision: number;
      readonly hash: Uint8Array;
    }
  | { readonly kind: 'directory'; readonly root: Uint8Array };

/** RFC 6962, 2.1. */
export const leafHash = (entry: Uint8Array): Uint8Array => sha256(LEAF, entry);

export const nodeHash = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(NODE, left, right);
