import type { Clock } from '#platform';
import { type ReadEntry, TreeEdge, type TreeHead, isSame, leafHash, linkOf, readEntry } from '#proof';
import type { Held, Heads } from '../held.js';
import { HeadTrie } from './head-trie.js';

/** The entries of a log, from one index until before another, in order. */
export interface Entries {
  /** @throws EntriesMissing */
  read(from: number, to: number, signal: AbortSignal): AsyncIterable<readonly Uint8Array[]>;
}

/** The entries cannot be had: says why, in one line. */
export class EntriesMissing extends Error {
  override readonly name = 'EntriesMissing';
}

export type Followed =
  | { readonly kind: 'right'; readonly edge: readonly Uint8Array[] }
  | { readonly kind: 'wrong'; readonly reason: string };

/** Made before others have a turn. */
const BUCKETS_AT_ONCE = 256;

/**
 * Reads every leaf of a log before its checkpoint is cosigned (docs/proof.md, monitors): (M1) the root of the entries is the
 * checkpoint's, (M2) each event is revision 0 of a new stream or the next of its stream, (M3) each directory is the trie over
 * the heads before it, with links made from the hashes, (M4) the last leaf is a directory. Owns the trie of what is held.
 */
export class LogFollower {
  private trie: HeadTrie | null = null;

  constructor(
    private readonly entries: Entries,
    private readonly heads: Heads,
    private readonly clock: Clock,
  ) {}

  /** Where it is right the heads are set and wait to be kept; otherwise, and where it throws, they are as before. */
  async follow(held: Held, to: TreeHead, signal: AbortSignal): Promise<Followed> {
    if (to.size === held.size && held.note !== null) return { kind: 'right', edge: held.edge };
    this.heads.drop();
    let followed: Followed | null = null;
    try {
      followed = await this.read(held, to, signal);
      return followed;
    } catch (error) {
      if (!(error instanceof EntriesMissing)) throw error;
      return wrong(error.message);
    } finally {
      if (followed?.kind !== 'right') this.forget();
    }
  }

  /** What was followed last was not kept. */
  forget(): void {
    this.trie = null;
    this.heads.drop();
  }

  private async read(held: Held, to: TreeHead, signal: AbortSignal): Promise<Followed> {
    const trie = await this.trieOfHeld();
    const tree = new TreeEdge(held.size, held.edge);
    let last: ReadEntry['kind'] | null = null;
    for await (const entries of this.entries.read(held.size, to.size, signal)) {
      for (const entry of entries) {
        const read = readEntry(entry);
        if (read === null) return wrong(`leaf ${tree.size} is neither an event nor a directory`);
        const fault = this.faultOf(read, trie);
        if (fault !== null) return wrong(`leaf ${tree.size} ${fault}`);
        tree.push(leafHash(entry));
        last = read.kind;
      }
      await this.clock.turn();
    }
    if (tree.size !== to.size || !isSame(tree.root, to.root))
      return wrong('the entries are not those of the checkpoint');
    if (last !== 'directory') return wrong('the last leaf is no directory');
    return { kind: 'right', edge: [...tree.edge] };
  }

  /** M2 and M3; null: it follows from what is before it. */
  private faultOf(read: ReadEntry, trie: HeadTrie): string | null {
    if (read.kind === 'directory')
      return isSame(read.root, trie.root)
        ? null
        : 'is a directory that does not follow from the leaves before it';
    const { tag, revision, hash } = read;
    const head = this.heads.get(tag);
    const next = head === null ? 0 : head.revision + 1;
    if (revision !== next) return `is revision ${revision} of a stream whose next is ${next}`;
    const now = { tag, revision, link: linkOf(head?.link ?? tag, hash) };
    this.heads.set(now);
    trie.note(now);
    return null;
  }

  private async trieOfHeld(): Promise<HeadTrie> {
    if (this.trie !== null) return this.trie;
    const trie = new HeadTrie(this.heads);
    while (trie.make(BUCKETS_AT_ONCE)) await this.clock.turn();
    this.trie = trie;
    return trie;
  }
}

const wrong = (reason: string): Followed => ({ kind: 'wrong', reason });
