import { useState } from 'preact/hooks';
import { usePolled } from '../api/polled.js';
import { place, setQuery } from '../app/router.js';
import { useKeyNames } from '../conversation/key-names.js';
import { may } from '../lists/may.js';
import { pathWith } from '../lists/path.js';
import { CopyCurl, Curl, Select } from '../parts/controls.js';
import { count } from '../parts/format.js';
import { Filters, PeriodFilter } from '../parts/filters.js';
import { PageHead } from '../parts/page-head.js';
import { Empty, Region } from '../parts/region.js';
import { capitalised } from '../parts/status-looks.js';
import { Money } from '../parts/values.js';
import { Budgets } from '../usage/budgets.js';
import { barsOf, lastDays } from '../usage/days.js';
import { DayBars } from '../usage/day-bars.js';
import { GROUPS, type Group, METADATA, type UsageItem, isGroup } from '../usage/sums.js';
import { UsageTable } from '../usage/usage-table.js';

const EVERY_MS = 30_000;
const OPTIONS: readonly (readonly [string, string])[] = [
  ...GROUPS.map((group) => [group, capitalised(group)] as const),
  [METADATA, 'Metadata'],
];

interface UsageAnswer {
  readonly items: readonly UsageItem[];
}

/** What model calls used and cost, by day and by group, and the budgets that hold it. */
export default function Page() {
  const { query } = place.value;
  const asked = query.get('by');
  const group = isGroup(asked) ? asked : 'model';
  const standard = lastDays(Date.now());
  const from = query.get('from') ?? standard.from;
  const to = query.get('to') ?? standard.to;
  const path = pathWith('/usage', { from, to, group_by: group });
  const sums = usePolled<UsageAnswer>(path, EVERY_MS);
  const days = usePolled<UsageAnswer>(pathWith('/usage', { from, to, group_by: 'day' }), EVERY_MS);
  // Runs do not add up: one may be of two days.
  const all = usePolled<UsageAnswer>(pathWith('/usage', { from, to }), EVERY_MS);
  const nameOf = useKeyNames();
  const bars = barsOf(days.data?.items ?? [], Date.parse(from), Date.parse(to));
  return (
    <div class="page">
      <PageHead
        title="Usage"
        facts={all.data !== null && <Total of={all.data.items[0] ?? null} from={from} to={to} />}
      />
      <Filters>
        <PeriodFilter />
        <GroupFilter group={group} />
        <span class="grow" />
        <CopyCurl call={{ path }} />
      </Filters>
      <Region name="Cost by day" polled={days} rows={3}>
        <DayBars days={bars} />
      </Region>
      <Region name="Usage" polled={sums} empty={sums.data?.items.length === 0 ? <NoUsage /> : null}>
        <UsageTable items={sums.data?.items ?? []} group={group} nameOf={nameOf} />
      </Region>
      {may('admin') && <Budgets nameOf={nameOf} />}
    </div>
  );
}

/** One of the sums' groups, or a key of the runs' metadata. */
function GroupFilter({ group }: { readonly group: Group }) {
  const isOfMetadata = group.startsWith(METADATA);
  const [isNaming, setNaming] = useState(false);
  const choose = (by: string): void => {
    setNaming(by === METADATA);
    if (by !== METADATA) setQuery({ by });
  };
  return (
    <>
      <Select
        label="Group by"
        value={isNaming || isOfMetadata ? METADATA : group}
        options={OPTIONS}
        onChange={choose}
      />
      {(isNaming || isOfMetadata) && (
        <label class="pick">
          <span class="dim">Metadata key</span>
          <input
            type="text"
            size={12}
            maxLength={64}
            value={isOfMetadata ? group.slice(METADATA.length) : ''}
            onChange={(event) => {
              const key = event.currentTarget.value.trim();
              if (key !== '') setQuery({ by: METADATA + key });
            }}
          />
        </label>
      )}
    </>
  );
}

interface TotalProps {
  /** null: there was no call. */
  readonly of: UsageItem | null;
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;

function Total({ of, from, to }: TotalProps) {
  const days = Math.ceil((Date.parse(to) - Date.parse(from)) / DAY_MS);
  const runs = of?.runs ?? 0;
  return (
    <>
      <span>
        <b>
          <Money amount={of?.cost ?? '0'} />
        </b>{' '}
        in {days === 1 ? 'a day' : `${days} days`}
      </span>
      <span>
        <b>{count(runs)}</b> {runs === 1 ? 'run' : 'runs'}
      </span>
    </>
  );
}

const NoUsage = () => (
  <Empty
    title="No usage"
    sentence="No model was called in this time. What calls use and cost is summed up here."
  >
    <Curl call={{ method: 'POST', path: '/', body: { message: 'Hello', background: true } }} />
  </Empty>
);
