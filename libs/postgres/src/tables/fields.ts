/** A row as the driver reads it, by the names of its columns: bigint and numeric are text. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** Makes content bytes that only the owner of a scope can read, and text again of them. */
export interface Sealer {
  seal(scope: string, text: string): Buffer;
}
export interface Opener {
  /** null: it is erased. */
  open(scope: string, bytes: Buffer): string | null;
}

export type ColumnType = 'text' | 'bytea' | 'bigint' | 'integer' | 'boolean' | 'numeric' | 'jsonb';

/** A column, and what of a value V it holds. */
export interface Column<V> {
  readonly name: string;
  readonly type: ColumnType;
  readonly isNullable: boolean;
  of(value: V, scope: string, sealer: Sealer): unknown;
}

/** A property of a row: the columns that hold it. `Changes`: it may have another value in a later version of its row. */
export interface Field<V, Changes extends boolean = false> {
  readonly columns: readonly Column<V>[];
  readonly changes: Changes;
  read(stored: StoredRow, scope: string, opener: Opener): V;
}

const plain = <V>(name: string, type: ColumnType, read: (stored: never) => V): Field<V> => ({
  columns: [{ name, type, isNullable: false, of: (value) => value }],
  changes: false,
  read: (stored) => read(stored[name] as never),
});

const asItIs = <V>(stored: V): V => stored;

export const text = <T extends string = string>(name: string): Field<T> => plain(name, 'text', asItIs<T>);
export const integer = <N extends number = number>(name: string): Field<N> =>
  plain(name, 'integer', asItIs<N>);
export const truth = (name: string): Field<boolean> => plain(name, 'boolean', asItIs<boolean>);
export const bytes = (name: string): Field<Buffer> => plain(name, 'bytea', asItIs<Buffer>);
/** A number that may be larger than 32 bits, up to 2^53; e.g. ms since 1970. */
export const whole = <N extends number = number>(name: string): Field<N> =>
  plain(name, 'bigint', (stored: string) => Number(stored) as N);
/** A decimal number, as text. */
export const decimal = (name: string): Field<string> => plain(name, 'numeric', asItIs<string>);

/** The same property, which may be null. */
export function nullable<V>(field: Field<V>): Field<V | null> {
  const [first] = field.columns;
  return {
    columns: field.columns.map((column) => ({
      ...column,
      isNullable: true,
      of: (value, scope, sealer) => (value === null ? null : column.of(value, scope, sealer)),
    })),
    changes: false,
    read: (stored, scope, opener) =>
      stored[first!.name] === null ? null : field.read(stored, scope, opener),
  };
}

/** The same property, written anew with each later version of its row. Those of other properties stay as they are. */
export const changing = <V>(field: Field<V>): Field<V, true> => ({ ...field, changes: true });

/** A property that is kept as another one. */
export const mapped = <V, S>(field: Field<S>, to: (value: V) => S, from: (stored: S) => V): Field<V> => ({
  columns: field.columns.map((column) => ({
    ...column,
    of: (value, scope, sealer) => column.of(to(value), scope, sealer),
  })),
  changes: false,
  read: (stored, scope, opener) => from(field.read(stored, scope, opener)),
});

/** Anything that JSON holds, as text. */
export const json = <V>(field: Field<string>): Field<V> =>
  mapped(
    field,
    (value: V) => JSON.stringify(value),
    (stored) => JSON.parse(stored) as V,
  );

/** Content of the row's scope, sealed; it is read as null where it is erased. */
export const sealed = (name: string): Field<string | null> => ({
  columns: [
    {
      name,
      type: 'bytea',
      isNullable: false,
      of: (value, scope, sealer) => (value === null ? null : sealer.seal(scope, value)),
    },
  ],
  changes: false,
  read: (stored, scope, opener) => opener.open(scope, stored[name] as Buffer),
});

/** Anything that JSON holds, in a column that the server can look into. */
export const jsonb = <V>(name: string): Field<V> => ({
  columns: [{ name, type: 'jsonb', isNullable: false, of: (value) => JSON.stringify(value) }],
  changes: false,
  read: (stored) => stored[name] as V,
});

/** A property that several columns hold: each of the parts is a function of it. */
export function parted<V, Parts extends object>(
  parts: { readonly [P in keyof Parts]: Field<Parts[P]> },
  split: (value: V) => Parts,
  join: (parts: Parts) => V,
): Field<V> {
  const names = Object.keys(parts) as (keyof Parts)[];
  return {
    columns: names.flatMap((part) =>
      parts[part].columns.map((column) => ({
        ...column,
        of: (value: V, scope: string, sealer: Sealer) => column.of(split(value)[part], scope, sealer),
      })),
    ),
    changes: false,
    read: (stored, scope, opener) =>
      join(Object.fromEntries(names.map((part) => [part, parts[part].read(stored, scope, opener)])) as Parts),
  };
}
