import { Link } from '../app/link.js';
import { pathWith, sessionPath } from '../lists/path.js';
import { count } from '../parts/format.js';
import { capitalised } from '../parts/status-looks.js';
import { type Column, Table } from '../parts/table.js';
import { Money, Said } from '../parts/values.js';
import { dayAfter } from './days.js';
import { type Group, METADATA, type UsageItem, cachedShare, valueOf } from './sums.js';

interface UsageTableProps {
  readonly items: readonly UsageItem[];
  readonly group: Group;
  readonly nameOf: (key: string) => string;
}

/** The sums by group, as the interface gives them: to the last digit on hover. */
export const UsageTable = ({ items, group, nameOf }: UsageTableProps) => (
  <Table
    name="Usage"
    columns={columnsOf(group, nameOf)}
    rows={items}
    keyOf={(item) => valueOf(item, group) ?? ''}
  />
);

const exact = (of: number) => <span title={String(of)}>{count(of)}</span>;

const columnsOf = (group: Group, nameOf: (key: string) => string): readonly Column<UsageItem>[] => [
  {
    name: group.startsWith(METADATA) ? group.slice(METADATA.length) : capitalised(group),
    grow: true,
    cell: (item) => <GroupValue value={valueOf(item, group)} group={group} nameOf={nameOf} />,
  },
  { name: 'Runs', end: true, cell: ({ runs }) => exact(runs) },
  { name: 'Calls', end: true, cell: ({ model_calls: calls }) => exact(calls) },
  { name: 'Input', end: true, cell: ({ input_tokens: tokens }) => exact(tokens) },
  {
    name: 'Cached',
    end: true,
    cell: (item) => <span title={String(item.cached_input_tokens ?? '')}>{cachedShare(item) || '–'}</span>,
  },
  { name: 'Output', end: true, cell: ({ output_tokens: tokens }) => exact(tokens) },
  {
    name: 'Without price',
    end: true,
    cell: ({ unpriced_calls: calls }) => (calls === 0 ? '–' : exact(calls)),
  },
  { name: 'Cost', end: true, cell: ({ cost }) => <Money amount={cost} /> },
];

interface GroupValueProps {
  readonly value: string | null;
  readonly group: Group;
  readonly nameOf: (key: string) => string;
}

function GroupValue({ value, group, nameOf }: GroupValueProps) {
  if (value === null) return <span class="none-there">none</span>;
  if (group === 'day')
    return <Link href={pathWith('/console/runs', { from: value, to: dayAfter(value) })}>{value}</Link>;
  if (group === 'session') return <Link href={sessionPath(value)}>{value}</Link>;
  return <Said text={group === 'key' ? nameOf(value) : value} />;
}
