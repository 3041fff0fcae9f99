import { DirectoryNodes, type Head, bucketNode, bucketOf } from '#proof';
import type { Heads } from '../held.js';

/**
 * The directory of a log whose heads are stored elsewhere (docs/proof.md): in memory are its upper nodes, 4 MB; a bucket is
 * made again from its few heads when one of them has changed.
 */
export class HeadTrie {
  private readonly nodes = new DirectoryNodes();
  private readonly changed: Set<number>;

  constructor(private readonly heads: Pick<Heads, 'buckets' | 'inBucket'>) {
    this.changed = new Set(heads.buckets());
  }

  /** A head of this tag was stored. */
  note({ tag }: Pick<Head, 'tag'>): void {
    this.changed.add(bucketOf(tag));
  }

  get root(): Uint8Array {
    this.make(Infinity);
    return this.nodes.root;
  }

  /** Makes some of the buckets that have changed, so that the root takes less at once. @returns whether there are more */
  make(atMost: number): boolean {
    let made = 0;
    for (const bucket of this.changed) {
      if (made++ >= atMost) return true;
      const heads = this.heads.inBucket(bucket);
      this.nodes.set(bucket, heads.length, bucketNode(heads));
      this.changed.delete(bucket);
    }
    return false;
  }
}
