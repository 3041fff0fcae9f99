import type { QueryConfig, QueryResult } from 'pg';
import type { Head } from '#proof';
import { bucketOf } from '#proof';
import {
  type Fields,
  NOTHING_SEALED,
  type Row,
  type Table,
  type TransactionClient,
  isMissingTable,
  readRow,
} from '#postgres';
import type { Published, Stop, TreeState } from '../seal.js';
import {
  type Bucket,
  ProofStore,
  type ProofStatusRow,
  type StreamPlace,
  type TileGrowth,
  type TilePlace,
  type TreeTables,
} from '../tables/proof-store.js';
import { migrateProof } from './migrate.js';
import type { ProofDatabase } from './proof-database.js';
import * as statements from './statements.js';
import { BUCKETS, HEADS, STATUS, TREE, headOf, treeOf } from './tables.js';

const rowsOf = <F extends Fields>(table: Table<F>, { rows }: QueryResult): Row<F>[] =>
  rows.map((row) => readRow(table, row as Record<string, unknown>, NOTHING_SEALED));

/** The tree in PostgreSQL. Makes its tables when they are first asked for, and anew where the server has lost them. */
export class PostgresProofStore extends ProofStore {
  private prepared: Promise<void> | null = null;

  constructor(private readonly database: ProofDatabase) {
    super();
  }

  override get ready(): Promise<void> {
    return this.database.ready;
  }

  override async tree(): Promise<TreeState | null> {
    return treeIn(await this.ask(statements.READ_TREE()));
  }

  override async buckets(): Promise<readonly Bucket[]> {
    return bucketsIn(await this.ask(statements.READ_BUCKETS(0)));
  }

  override async write(work: (tables: TreeTables, tree: TreeState | null) => Promise<void>): Promise<void> {
    await this.transaction(async (client) => {
      await client.query(statements.TAKE_LOCK());
      const tree = treeIn(await client.query(statements.READ_TREE()));
      await work(new OpenTables(client), tree);
    });
  }

  override async status(): Promise<ProofStatusRow> {
    return statusIn(await this.ask(statements.READ_STATUS()));
  }

  override async publish(published: Published | null): Promise<void> {
    await this.ask(statements.PUBLISH(published));
  }

  override async setStopped(stop: Stop | null): Promise<void> {
    await this.ask(statements.SET_STOPPED(stop));
  }

  override async demands(): Promise<number> {
    return Number((await this.demandsRow())?.asked ?? 0);
  }

  override async demand(): Promise<void> {
    await this.ask(statements.DEMAND());
  }

  override async wantRebuild(): Promise<void> {
    await this.ask(statements.WANT_REBUILD(true));
  }

  override async isRebuildWanted(): Promise<boolean> {
    return (await this.demandsRow())?.rebuild === true;
  }

  override async tile(place: TilePlace): Promise<Uint8Array | null> {
    const { rows } = await this.ask(statements.READ_TILE(place));
    return (rows[0] as { bytes: Buffer } | undefined)?.bytes ?? null;
  }

  override async placeOf(
    tag: Uint8Array,
    known: { readonly tree: string; readonly seal: number } | null,
  ): Promise<StreamPlace | null> {
    let place: StreamPlace | null = null;
    await this.transaction(async (client) => {
      await client.query(statements.ONE_MOMENT);
      const tree = treeIn(await client.query(statements.READ_TREE()));
      if (tree === null) return;
      const after = known?.tree === tree.tree ? known.seal : 0;
      const heads = await headsIn(client, [bucketOf(tag)]);
      place = {
        tree,
        published: statusIn(await client.query(statements.READ_STATUS())).published,
        heads,
        head: heads.find((head) => Buffer.compare(head.tag, tag) === 0) ?? null,
        buckets: bucketsIn(await client.query(statements.READ_BUCKETS(after))),
      };
    });
    return place;
  }

  private async demandsRow(): Promise<{ asked: string; rebuild: boolean } | undefined> {
    const { rows } = await this.ask(statements.READ_DEMANDS());
    return rows[0] as { asked: string; rebuild: boolean } | undefined;
  }

  private ask(config: QueryConfig): Promise<QueryResult> {
    return this.withTables(() => this.database.query(config));
  }

  private async transaction(work: (client: TransactionClient) => Promise<void>): Promise<void> {
    await this.withTables(() =>
      this.database.transaction(async (client) => {
        await work(client);
        return true;
      }),
    );
  }

  private async withTables<T>(ask: () => Promise<T>): Promise<T> {
    await this.prepare();
    try {
      return await ask();
    } catch (error) {
      if (isMissingTable(error)) this.prepared = null;
      throw error;
    }
  }

  private prepare(): Promise<void> {
    this.prepared ??= migrateProof(this.database).catch((error: unknown) => {
      this.prepared = null;
      throw error;
    });
    return this.prepared;
  }
}

class OpenTables implements TreeTables {
  constructor(private readonly client: TransactionClient) {}

  async clear(): Promise<void> {
    for (const statement of statements.CLEAR) await this.client.query(statement);
    await this.client.query(statements.WANT_REBUILD(false));
  }

  async heads(tags: readonly Uint8Array[]): Promise<readonly Head[]> {
    return rowsOf(HEADS, await this.client.query(statements.READ_HEADS(tags))).map(headOf);
  }

  headsIn(buckets: readonly number[]): Promise<readonly Head[]> {
    return headsIn(this.client, buckets);
  }

  async setHeads(heads: readonly Head[]): Promise<void> {
    await this.client.query(statements.SET_HEADS(heads));
  }

  async setBuckets(buckets: readonly Bucket[], seal: number): Promise<void> {
    await this.client.query(statements.SET_BUCKETS({ buckets, seal }));
  }

  async grow(tiles: readonly TileGrowth[]): Promise<void> {
    await this.client.query(statements.GROW_TILES(tiles));
  }

  async setTree(tree: TreeState): Promise<void> {
    await this.client.query(statements.SET_TREE(tree));
  }
}

async function headsIn(client: TransactionClient, buckets: readonly number[]): Promise<readonly Head[]> {
  return rowsOf(HEADS, await client.query(statements.READ_HEADS_IN(buckets))).map(headOf);
}

function treeIn(result: QueryResult): TreeState | null {
  const [row] = rowsOf(TREE, result);
  return row === undefined ? null : treeOf(row);
}

const bucketsIn = (result: QueryResult): readonly Bucket[] =>
  rowsOf(BUCKETS, result).map(({ bucket, count, node }) => ({ bucket, count, node: Uint8Array.from(node) }));

function statusIn(result: QueryResult): ProofStatusRow {
  const [row] = rowsOf(STATUS, result);
  const { publishedSeal: seal = null, publishedNote: note = null, askedAt } = row ?? {};
  const { stoppedOrigin: origin = null, stopReason: reason = null, stopDetail: detail } = row ?? {};
  return {
    published: seal === null || note === null ? null : { seal, note, askedAt: askedAt ?? 0 },
    stop: origin === null || reason === null ? null : { origin, reason, detail: detail ?? '' },
  };
}
