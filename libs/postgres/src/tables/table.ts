import type { Column, Field, Opener, StoredRow } from './fields.js';

/** The properties of a row, by name. */
export type Fields = Readonly<Record<string, Field<unknown, boolean>>>;

type ValueIn<F> = F extends Field<infer V, boolean> ? V : never;
type Fixed<F extends Fields> = {
  readonly [P in keyof F as F[P]['changes'] extends true ? never : P]: ValueIn<F[P]>;
};
type Changing<F extends Fields> = {
  -readonly [P in keyof F as F[P]['changes'] extends true ? P : never]: ValueIn<F[P]>;
};
type Simple<T> = { [P in keyof T]: T[P] };

export type Row<F extends Fields> = Simple<Fixed<F> & Changing<F>>;

/** A row as its table's description says it is: only what changes can be set. */
export type RowOf<T extends Table<Fields>> = Row<T['fields']>;

/** A column with the property that it belongs to. */
export interface TableColumn extends Column<unknown> {
  readonly property: string;
  readonly changes: boolean;
  readonly isKey: boolean;
}

export interface Table<F extends Fields> {
  readonly name: string;
  readonly fields: F;
  readonly columns: readonly TableColumn[];
  /** Columns that make a row the one that it is. */
  readonly key: readonly string[];
  /** The column, and the property of that name, whose value content is sealed for; null: the rows hold none. */
  readonly scope: string | null;
}

/**
 * A table, said once: its statements, its entity, its reader and the type of its rows are made of this. The columns are in
 * the order of their properties.
 */
export function table<F extends Fields>(
  name: string,
  { key, scope }: { readonly key: readonly string[]; readonly scope?: string & keyof F },
  fields: F,
): Table<F> {
  const columns = Object.entries(fields).flatMap(([property, field]) =>
    field.columns.map((column) => ({
      ...column,
      property,
      changes: field.changes,
      isKey: key.includes(column.name),
    })),
  );
  return { name, fields, columns, key, scope: scope ?? null };
}

/** The row that was stored. Its content must be ready to be opened. */
export function readRow<F extends Fields>(
  { fields, scope }: Table<F>,
  stored: StoredRow,
  opener: Opener,
): Row<F> {
  const owner = scope === null ? '' : (stored[scope] as string);
  const row: Record<string, unknown> = {};
  for (const property in fields) row[property] = fields[property]!.read(stored, owner, opener);
  return row as Row<F>;
}

/** For rows without content. */
export const NOTHING_SEALED: Opener = {
  open: () => {
    throw new Error('the table was described without a scope');
  },
};
