import type { ComponentChildren } from 'preact';

export interface Column<T> {
  readonly name: string;
  readonly cell: (item: T) => ComponentChildren;
  /** Numbers stand at the end. */
  readonly end?: boolean;
  /** It takes what room is left, and its text wraps. */
  readonly grow?: boolean;
  /** Its name is not shown, only said: for a column of buttons. */
  readonly unnamed?: boolean;
  readonly class?: string;
}

interface TableProps<T> {
  readonly name: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (item: T) => string;
  readonly rowClass?: (item: T) => string | undefined;
}

/** A table; below 760 px each row is a card, whose cells bear their column's name. Roles are stated, since cards lose them. */
export function Table<T>({ name, columns, rows, keyOf, rowClass }: TableProps<T>) {
  const classOf = ({ end, grow, class: own }: Column<T>): string | undefined =>
    [end && 'end', grow && 'grow', own].filter(Boolean).join(' ') || undefined;
  return (
    <div class="table-wrap">
      <table role="table" aria-label={name}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.name} role="columnheader" scope="col" class={classOf(column)}>
                <span class={column.unnamed ? 'away' : undefined}>{column.name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((item) => (
            <tr key={keyOf(item)} role="row" class={rowClass?.(item)}>
              {columns.map((column) => (
                <td
                  key={column.name}
                  role="cell"
                  class={classOf(column)}
                  data-label={column.unnamed ? undefined : column.name}
                >
                  {column.cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
