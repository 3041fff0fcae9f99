import { type Head, bucketOf, concat, toHex } from '#proof';
import {
  type Bucket,
  ProofStore,
  type ProofStatusRow,
  type Published,
  type Stop,
  type StreamPlace,
  type TileGrowth,
  type TilePlace,
  type TreeState,
  type TreeTables,
} from '#sealer';

const nameOf = ({ level, index }: TilePlace): string => `${level}/${index}`;

/** What a transaction may change; a copy of it is dropped where it fails. */
class Tables implements TreeTables {
  tree: TreeState | null = null;
  byTag = new Map<string, Head>();
  buckets = new Map<number, Bucket & { readonly seal: number }>();
  tiles = new Map<string, Uint8Array>();
  isRebuildWanted = false;

  copy(): Tables {
    const copy = new Tables();
    copy.tree = this.tree;
    copy.byTag = new Map(this.byTag);
    copy.buckets = new Map(this.buckets);
    copy.tiles = new Map(this.tiles);
    copy.isRebuildWanted = this.isRebuildWanted;
    return copy;
  }

  async clear(): Promise<void> {
    Object.assign(this, new Tables());
  }

  async heads(tags: readonly Uint8Array[]): Promise<readonly Head[]> {
    return tags.flatMap((tag) => this.byTag.get(toHex(tag)) ?? []);
  }

  async headsIn(buckets: readonly number[]): Promise<readonly Head[]> {
    const wanted = new Set(buckets);
    return [...this.byTag.values()].filter(({ tag }) => wanted.has(bucketOf(tag)));
  }

  async setHeads(heads: readonly Head[]): Promise<void> {
    for (const head of heads) this.byTag.set(toHex(head.tag), head);
  }

  async setBuckets(buckets: readonly Bucket[], seal: number): Promise<void> {
    for (const bucket of buckets) this.buckets.set(bucket.bucket, { ...bucket, seal });
  }

  async grow(tiles: readonly TileGrowth[]): Promise<void> {
    for (const tile of tiles)
      this.tiles.set(nameOf(tile), concat(this.tiles.get(nameOf(tile)) ?? new Uint8Array(), tile.bytes));
  }

  async setTree(tree: TreeState): Promise<void> {
    this.tree = tree;
  }
}

/** The tree in memory, with the transactions of the real tables. */
export class MemoryProofStore extends ProofStore {
  override readonly ready = Promise.resolve();
  tables = new Tables();
  private told: Published | null = null;
  private stop: Stop | null = null;
  private asked = 0;
  private turn: Promise<unknown> = Promise.resolve();

  /** As a database that was made anew. */
  lose(): void {
    this.tables = new Tables();
    this.told = null;
  }

  override async tree(): Promise<TreeState | null> {
    return this.tables.tree;
  }

  override async buckets(): Promise<readonly Bucket[]> {
    return [...this.tables.buckets.values()];
  }

  override write(work: (tables: TreeTables, tree: TreeState | null) => Promise<void>): Promise<void> {
    const next = this.turn.then(async () => {
      const draft = this.tables.copy();
      await work(draft, draft.tree);
      this.tables = draft;
    });
    this.turn = next.catch(() => undefined);
    return next;
  }

  get row(): ProofStatusRow {
    return { published: this.told, stop: this.stop };
  }

  override async status(): Promise<ProofStatusRow> {
    return this.row;
  }

  override async publish(published: Published | null): Promise<void> {
    this.told = published;
  }

  override async setStopped(stop: Stop | null): Promise<void> {
    this.stop = stop;
  }

  override async demands(): Promise<number> {
    return this.asked;
  }

  override async demand(): Promise<void> {
    this.asked += 1;
  }

  override async wantRebuild(): Promise<void> {
    this.tables.isRebuildWanted = true;
    this.asked += 1;
  }

  override async isRebuildWanted(): Promise<boolean> {
    return this.tables.isRebuildWanted;
  }

  override async tile(place: TilePlace): Promise<Uint8Array | null> {
    return this.tables.tiles.get(nameOf(place)) ?? null;
  }

  override async placeOf(
    tag: Uint8Array,
    known: { readonly tree: string; readonly seal: number } | null,
  ): Promise<StreamPlace | null> {
    const { tables } = this;
    if (tables.tree === null) return null;
    const after = known?.tree === tables.tree.tree ? known.seal : 0;
    const heads = await tables.headsIn([bucketOf(tag)]);
    return {
      tree: tables.tree,
      published: this.told,
      heads,
      head: tables.byTag.get(toHex(tag)) ?? null,
      buckets: [...tables.buckets.values()].filter(({ seal }) => seal > after),
    };
  }
}
