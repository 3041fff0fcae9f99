import type { Position, Revision, StreamName } from '#domain';
import { type Head, splitHashes } from '#proof';
import {
  type Field,
  type RowOf,
  bytes,
  changing,
  createTable,
  integer,
  mapped,
  nullable,
  raw,
  statement,
  table,
  text,
  whole,
} from '#postgres';
import type { StopReason, TreeState } from '../seal.js';

/** The tree's tables stand in a schema of their own: a rebuild of the read models does not touch them. */
export const SCHEMA = 'annals_proof';

/** For statements over the tables. */
export const IN = raw(SCHEMA);

/** Raised with every change of the tables: older ones are dropped and filled anew from the log. */
export const VERSION = 1;

/** There is one row. */
const one = mapped(
  integer('one'),
  () => 1,
  () => undefined,
);

/** Hashes one behind the other. */
const hashes = (name: string): Field<readonly Uint8Array[]> =>
  mapped(bytes(name), (list: readonly Uint8Array[]) => Buffer.concat(list), splitHashes);

export const TREE = table(
  'tree',
  { key: ['one'] },
  {
    one,
    origin: changing(text('origin')),
    tree: changing(text('tree')),
    logId: changing(text('log_id')),
    seal: changing(whole('seal')),
    size: changing(whole('size')),
    events: changing(whole('events')),
    position: changing(whole<Position>('position')),
    lastStream: changing(text<StreamName>('last_stream')),
    lastRevision: changing(whole<Revision>('last_revision')),
    lastHash: changing(text('last_hash')),
    directory: changing(text('directory')),
    note: changing(text('note')),
    edge: changing(hashes('edge')),
    path: changing(hashes('path')),
  },
);

/** Where the streams end. */
export const HEADS = table(
  'heads',
  { key: ['tag'] },
  {
    tag: bytes('tag'),
    bucket: integer('bucket'),
    revision: changing(whole<Revision>('revision')),
    link: changing(bytes('link')),
  },
);

export const BUCKETS = table(
  'buckets',
  { key: ['bucket'] },
  {
    bucket: integer('bucket'),
    count: changing(integer('count')),
    node: changing(bytes('node')),
    /** In which it changed last. */
    seal: changing(whole('seal')),
  },
);

/** What the world is told, and what the replicas tell each other. */
export const STATUS = table(
  'status',
  { key: ['one'] },
  {
    one,
    publishedSeal: changing(nullable(whole('published_seal'))),
    publishedNote: changing(nullable(text('published_note'))),
    askedAt: changing(nullable(whole('asked_at'))),
    stoppedOrigin: changing(nullable(text('stopped_origin'))),
    stopReason: changing(nullable(text<StopReason>('stop_reason'))),
    stopDetail: changing(nullable(text('stop_detail'))),
  },
);

export const TABLES: readonly string[] = [
  statement(createTable(TREE, IN))(undefined).text,
  statement(createTable(HEADS, IN))(undefined).text,
  `CREATE INDEX ON ${SCHEMA}.heads (bucket)`,
  statement(createTable(BUCKETS, IN))(undefined).text,
  statement(createTable(STATUS, IN))(undefined).text,
  `INSERT INTO ${SCHEMA}.status (one) VALUES (1)`,
  // Random bytes: nothing is to be compressed. A tile grows 255 times before it is full.
  `CREATE TABLE ${SCHEMA}.tiles (
    level integer NOT NULL, tile bigint NOT NULL, bytes bytea STORAGE EXTERNAL NOT NULL, PRIMARY KEY (level, tile)
  ) WITH (fillfactor = 70)`,
  `CREATE TABLE ${SCHEMA}.demands (one integer PRIMARY KEY, asked bigint NOT NULL, rebuild boolean NOT NULL)`,
  `INSERT INTO ${SCHEMA}.demands VALUES (1, 0, false)`,
];

export const treeRowOf = ({ last, ...tree }: TreeState): RowOf<typeof TREE> => ({
  ...tree,
  one: undefined,
  lastStream: last.stream,
  lastRevision: last.revision,
  lastHash: last.hash,
});

export function treeOf({ lastStream, lastRevision, lastHash, ...row }: RowOf<typeof TREE>): TreeState {
  return { ...row, last: { stream: lastStream, revision: lastRevision, hash: lastHash } };
}

export const headOf = ({ tag, revision, link }: RowOf<typeof HEADS>): Head => ({
  tag: Uint8Array.from(tag),
  revision,
  link: Uint8Array.from(link),
});
