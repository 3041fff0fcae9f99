import { type Fields, type Row, type StoredRow, type Table, readRow } from '#postgres';
import type { ContentCodec } from '../content-codec.js';

/** Rows with their content, what is erased left out. @throws LogUnavailable */
export async function openedRows<F extends Fields>(
  table: Table<F>,
  stored: readonly StoredRow[],
  codec: ContentCodec,
): Promise<Row<F>[]> {
  const contents = table.columns.filter(({ type }) => type === 'bytea').map(({ name }) => name);
  await codec.ready(stored.flatMap((row) => contents.map((name) => row[name] as Buffer | null)));
  return stored.map((row) => readRow(table, row, codec));
}
