import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useRowWindow } from './use-row-window.js';

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
  const classOf = ({ end, grow, unnamed, class: own }: Column<T>): string | undefined =>
    [end && 'end', grow && 'grow', unnamed && 'acts', own].filter(Boolean).join(' ') || undefined;
  const body = useRef<HTMLTableSectionElement>(null);
  const { from, to, abovePx, belowPx } = useRowWindow(rows.length, body);
  const isWhole = to - from === rows.length;
  return (
    <div class="table-wrap">
      <table role="table" aria-label={name} aria-rowcount={isWhole ? undefined : rows.length + 1}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.name} role="columnheader" scope="col" class={classOf(column)}>
                <span class={column.unnamed ? 'away' : undefined}>{column.name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" ref={body}>
          <Gap px={abovePx} columns={columns.length} />
          {rows.slice(from, to).map((item, n) => (
            <tr
              key={keyOf(item)}
              role="row"
              aria-rowindex={isWhole ? undefined : from + n + 2}
              class={rowClass?.(item)}
            >
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
          <Gap px={belowPx} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

/** Room of the rows that are not in the page. */
const Gap = ({ px, columns }: { readonly px: number; readonly columns: number }) =>
  px === 0 ? null : (
    <tr role="presentation" class="gap" aria-hidden="true">
      <td role="presentation" colSpan={columns} style={{ height: `${px}px` }} />
    </tr>
  );
