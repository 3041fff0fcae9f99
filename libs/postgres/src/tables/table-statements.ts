import { bigints, booleans, bytes, integers, texts } from './binary-arrays.js';
import type { ColumnType, Sealer } from './fields.js';
import { type Sql, type ValueOf, raw, sql } from './sql.js';
import type { Fields, Row, Table, TableColumn } from './table.js';

const NOTHING: Sql<unknown> = { parts: [] };

const listed = <I>(pieces: readonly Sql<I>[]): Sql<I> => ({
  parts: pieces.flatMap(({ parts }, index) => (index === 0 ? parts : [', ', ...parts])),
});

/** `a, b, c`: the columns in the order of their description. */
export const namesOf = ({ columns }: Pick<Table<Fields>, 'columns'>): Sql<unknown> =>
  raw(columns.map(({ name }) => name).join(', '));

/** Arrays of what has no binary form here are sent as text. */
const ELEMENTS: Readonly<Record<ColumnType, 'text' | 'bytea' | 'bigint' | 'integer' | 'boolean'>> = {
  text: 'text',
  bytea: 'bytea',
  bigint: 'bigint',
  integer: 'integer',
  boolean: 'boolean',
  numeric: 'text',
  jsonb: 'text',
};

const ENCODERS = {
  text: texts,
  bytea: bytes,
  bigint: bigints,
  integer: integers,
  boolean: booleans,
} as const;

export interface RowsOf<I, F extends Fields> {
  readonly schema: Sql<unknown>;
  readonly rows: (input: I) => readonly Row<F>[];
  /** Absent: the rows hold no content. */
  readonly sealer?: (input: I) => Sealer;
  /** Nothing is written unless this holds; it may name the columns of the given rows. */
  readonly when?: Sql<I>;
  /** A row that is there stays unless this holds, of `old` and `EXCLUDED`. */
  readonly replaceIf?: Sql<unknown>;
}

/**
 * Writes rows, from one array a column: as many rows as there are make one statement. Of a row that is there already, what
 * changes is written anew; where nothing changes it stays.
 */
export function writeRows<I, F extends Fields>(table: Table<F>, how: RowsOf<I, F>): Sql<I> {
  const { columns, name, key } = table;
  const changed = columns.filter(({ changes }) => changes);
  const given = columns.map((column) => {
    const array = raw(`::${ELEMENTS[column.type]}[]`);
    return sql<I>`${arrayOf(table, column, how)}${array}`;
  });
  const selected = columns.map(({ name, type }) => (ELEMENTS[type] === type ? name : `${name}::${type}`));
  const updates = changed.map(({ name }) => `${name} = EXCLUDED.${name}`);
  const replacing = updates.length === 0 ? 'NOTHING' : `UPDATE SET ${updates.join(', ')}`;
  return sql<I>`INSERT INTO ${how.schema}.${raw(name)} AS old (${namesOf(table)})
  SELECT ${raw(selected.join(', '))} FROM unnest(${listed(given)}) AS given (${namesOf(table)})
  ${clause('WHERE', how.when)}
  ON CONFLICT (${raw(key.join(', '))}) DO ${raw(replacing)} ${clause('WHERE', how.replaceIf)}`;
}

const clause = <I>(word: string, condition: Sql<I> | undefined): Sql<I> =>
  condition === undefined ? NOTHING : sql<I>`${raw(word)} ${condition}`;

function arrayOf<I, F extends Fields>(
  { scope }: Table<F>,
  column: TableColumn,
  { rows, sealer }: RowsOf<I, F>,
): ValueOf<I> {
  const encode = ENCODERS[ELEMENTS[column.type]] as (values: readonly unknown[]) => Buffer;
  return (input) => {
    const by = sealer?.(input) ?? NO_SEALER;
    const given = rows(input) as readonly Readonly<Record<string, unknown>>[];
    return encode(
      given.map((row) => column.of(row[column.property], scope === null ? '' : String(row[scope]), by)),
    );
  };
}

const NO_SEALER: Sealer = {
  seal: () => {
    throw new Error('content cannot be written without a sealer');
  },
};

/** `a = …, b = …` for some properties of a row, which hold no content. */
export function assignments<I, F extends Fields, P extends keyof F & string>(
  { columns }: Table<F>,
  properties: readonly P[],
  row: (input: I) => Pick<Row<F>, P & keyof Row<F>>,
): Sql<I> {
  const wanted: readonly string[] = properties;
  return listed(
    columns
      .filter(({ property }) => wanted.includes(property))
      .map((column) => {
        const value: ValueOf<I> = (input) =>
          column.of((row(input) as Readonly<Record<string, unknown>>)[column.property], '', NO_SEALER);
        return sql<I>`${raw(column.name)} = ${value}`;
      }),
  );
}

/** Makes the table, as it is described. */
export function createTable(table: Table<Fields>, schema: Sql<unknown>): Sql<unknown> {
  const columns = table.columns.map(({ name, type, isNullable }) =>
    raw(`${name} ${type}${isNullable ? '' : ' NOT NULL'}`),
  );
  return sql<unknown>`CREATE TABLE ${schema}.${raw(table.name)} (
    ${listed([...columns, raw(`PRIMARY KEY (${table.key.join(', ')})`)])}
  )`;
}
