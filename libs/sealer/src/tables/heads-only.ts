import { type Head, bucketOf, toHex } from '#proof';
import type { TreeTables } from './proof-store.js';

/** What it takes to make a tree again and to compare it: where the streams end, in memory. */
export class HeadsOnly implements TreeTables {
  private readonly buckets = new Map<number, Map<string, Head>>();

  async clear(): Promise<void> {
    this.buckets.clear();
  }

  async heads(tags: readonly Uint8Array[]): Promise<readonly Head[]> {
    return tags.flatMap((tag) => this.buckets.get(bucketOf(tag))?.get(toHex(tag)) ?? []);
  }

  async headsIn(buckets: readonly number[]): Promise<readonly Head[]> {
    return buckets.flatMap((bucket) => [...(this.buckets.get(bucket)?.values() ?? [])]);
  }

  async setHeads(heads: readonly Head[]): Promise<void> {
    for (const head of heads) {
      const bucket = this.buckets.get(bucketOf(head.tag)) ?? new Map<string, Head>();
      this.buckets.set(bucketOf(head.tag), bucket.set(toHex(head.tag), head));
    }
  }

  async setBuckets(): Promise<void> {}

  async grow(): Promise<void> {}

  async setTree(): Promise<void> {}
}
