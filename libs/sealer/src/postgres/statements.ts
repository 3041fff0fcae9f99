import type { Head } from '#proof';
import { bucketOf } from '#proof';
import { type Sql, arrays, raw, sql, statement, writeRows } from '#postgres';
import type { Published, Stop, TreeState } from '../seal.js';
import type { Bucket, TileGrowth, TilePlace } from '../tables/proof-store.js';
import { BUCKETS, HEADS, IN, TREE, treeRowOf } from './tables.js';

const itself = <T>(value: T): T => value;

/** Advisory lock of whoever changes the tree; any number that nobody else takes. */
const LOCK = 0x70726f66;
export const TAKE_LOCK = statement(sql<void>`SELECT pg_advisory_xact_lock(${() => LOCK})`);

/** Reads that follow are of one moment. */
export const ONE_MOMENT = 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY';

export const READ_TREE = statement(sql<void>`SELECT * FROM ${IN}.tree`);
export const READ_STATUS = statement(sql<void>`SELECT * FROM ${IN}.status`);
export const READ_DEMANDS = statement(sql<void>`SELECT asked, rebuild FROM ${IN}.demands`);
export const DEMAND = statement(sql<void>`UPDATE ${IN}.demands SET asked = asked + 1`);
export const WANT_REBUILD = statement(
  sql<boolean>`UPDATE ${IN}.demands SET rebuild = ${itself}, asked = asked + 1`,
);

export const CLEAR: readonly string[] = ['tree', 'heads', 'buckets', 'tiles'].map(
  (name) => statement(sql<void>`DELETE FROM ${IN}.${raw(name)}`)().text,
);

export const SET_TREE = statement(
  writeRows(TREE, { schema: IN, rows: (tree: TreeState) => [treeRowOf(tree)] }),
);

const tagsOf = (tags: readonly Uint8Array[]): Buffer => arrays.bytes(tags);

export const READ_HEADS = statement(sql<readonly Uint8Array[]>`
  SELECT * FROM ${IN}.heads WHERE tag = ANY (${tagsOf}::bytea[])`);

export const READ_HEADS_IN = statement(sql<readonly number[]>`
  SELECT * FROM ${IN}.heads WHERE bucket = ANY (${(buckets) => arrays.integers(buckets)}::integer[])`);

export const SET_HEADS = statement(
  writeRows(HEADS, {
    schema: IN,
    rows: (heads: readonly Head[]) =>
      heads.map(({ tag, revision, link }) => ({
        tag: Buffer.from(tag),
        bucket: bucketOf(tag),
        revision,
        link: Buffer.from(link),
      })),
  }),
);

interface SetBuckets {
  readonly buckets: readonly Bucket[];
  readonly seal: number;
}

export const SET_BUCKETS = statement(
  writeRows(BUCKETS, {
    schema: IN,
    rows: ({ buckets, seal }: SetBuckets) =>
      buckets.map(({ bucket, count, node }) => ({ bucket, count, node: Buffer.from(node), seal })),
  }),
);

/** The input is the seal after which they changed. */
export const READ_BUCKETS = statement(sql<number>`SELECT * FROM ${IN}.buckets WHERE seal > ${itself}`);

type Growth = readonly TileGrowth[];
const GIVEN: Sql<Growth> = sql<Growth>`unnest(
  ${(tiles) => arrays.integers(tiles.map(({ level }) => level))}::integer[],
  ${(tiles) => arrays.bigints(tiles.map(({ index }) => index))}::bigint[],
  ${(tiles) => arrays.bytes(tiles.map(({ bytes }) => bytes))}::bytea[])`;

export const GROW_TILES = statement(sql<Growth>`
  INSERT INTO ${IN}.tiles AS old (level, tile, bytes) SELECT * FROM ${GIVEN}
  ON CONFLICT (level, tile) DO UPDATE SET bytes = old.bytes || EXCLUDED.bytes`);

export const READ_TILE = statement(sql<TilePlace>`
  SELECT bytes FROM ${IN}.tiles WHERE level = ${({ level }) => level} AND tile = ${({ index }) => index}`);

export const PUBLISH = statement(sql<Published | null>`
  UPDATE ${IN}.status SET published_seal = ${(told) => told?.seal ?? null},
    published_note = ${(told) => told?.note ?? null}, asked_at = ${(told) => told?.askedAt ?? null}`);

export const SET_STOPPED = statement(sql<Stop | null>`
  UPDATE ${IN}.status SET stopped_origin = ${(stop) => stop?.origin ?? null},
    stop_reason = ${(stop) => stop?.reason ?? null}, stop_detail = ${(stop) => stop?.detail ?? null}`);
