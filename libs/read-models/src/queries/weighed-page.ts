import type { SelectQueryBuilder } from 'typeorm';
import {
  type CreationKey,
  type Cursors,
  type PageRequest,
  type ProjectId,
  type SessionId,
  pageOf,
} from '#domain';
import type { Weigh } from '#platform';
import type { Fields, StoredRow, Table } from '#postgres';
import type { Database } from '../postgres/database.js';
import type { SessionOwners } from './session-owners.js';

/**
 * The items of a page, some at a time, newest first, and then its `next_cursor`. Whoever reads it holds no more than those
 * that came last.
 */
export type WeighedPage<T> = AsyncGenerator<readonly T[], string | null>;

/** Rows of which nobody knows yet how many more there are, and of each further reading; one may be larger. */
const FIRST_BYTES = 64 * 1024;
const BATCH_BYTES = 256 * 1024;

interface Key {
  readonly id: string;
  readonly session: SessionId;
  /** ms since 1970, as text */
  readonly created: string;
  /** What its row holds of content. */
  readonly bytes: number;
}

export interface WeighedList {
  readonly table: Table<Fields>;
  /** Columns of it. */
  readonly id: string;
  readonly contents: readonly string[];
  readonly cursors: Cursors<CreationKey>;
}

/**
 * Reads the rows of a page that are of the project's own sessions, by what they weigh: first where they stand and how large
 * they are, then a few at a time. A row that no longer is what was asked for when its turn comes is left out.
 * @throws Problem invalid_request; ReadModelsUnavailable; LogUnavailable; what `weigh` throws
 */
export async function* weighedRows(
  { database, owners }: { readonly database: Database; readonly owners: SessionOwners },
  { table, id, contents, cursors }: WeighedList,
  { limit, cursor, project }: PageRequest & { readonly project: ProjectId },
  narrow: (select: SelectQueryBuilder<StoredRow>) => void,
  weigh: Weigh,
): WeighedPage<StoredRow> {
  const after = cursors.decode(cursor, { project });
  const { name } = table;
  const wanted = (select: SelectQueryBuilder<StoredRow>): SelectQueryBuilder<StoredRow> => {
    select.where(`${name}.project = :project`, { project });
    narrow(select);
    return select.orderBy(`${name}.created_at`, 'DESC').addOrderBy(`${name}.${id}`, 'DESC');
  };
  const sizes = contents.map((column) => `coalesce(octet_length(${name}.${column}), 0)`).join(' + ');
  const keys = await database.findRaw<Key>(table, (select) => {
    wanted(select);
    if (after !== null) select.andWhere(`(${name}.created_at, ${name}.${id}) < (:createdAt, :id)`, after);
    select.select(`${name}.${id}`, 'id').addSelect(`${name}.session`, 'session');
    return select
      .addSelect(`${name}.created_at`, 'created')
      .addSelect(sizes, 'bytes')
      .limit(limit + 1);
  });
  const { items: shown, next_cursor } = pageOf(keys, limit, (last) =>
    cursors.encode({ createdAt: Number(last.created), id: last.id }, { project }),
  );
  for (const { ids, bytes } of batchesOf(await owners.only(project, shown))) {
    await weigh(bytes);
    yield await database.find(table, (select) =>
      wanted(select).andWhere(`${name}.${id} IN (:...ids)`, { ids }),
    );
  }
  return next_cursor;
}

function* batchesOf(keys: readonly Key[]): Generator<{ readonly ids: string[]; readonly bytes: number }> {
  let most = FIRST_BYTES;
  let [ids, sum]: [string[], number] = [[], 0];
  for (const { id, bytes } of keys) {
    if (ids.length > 0 && sum + bytes > most) {
      yield { ids, bytes: sum };
      [ids, sum] = [[], 0];
      most = BATCH_BYTES;
    }
    ids.push(id);
    sum += bytes;
  }
  if (ids.length > 0) yield { ids, bytes: sum };
}
