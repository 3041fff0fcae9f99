import { useState } from 'preact/hooks';
import { useList } from '../api/list.js';
import { Button } from '../parts/controls.js';
import { money } from '../parts/format.js';
import { Empty, LoadMore, Region } from '../parts/region.js';
import { type Column, Table } from '../parts/table.js';
import { Money, Said, Time } from '../parts/values.js';
import { type BudgetView, limitInWords } from './budget.js';
import { BudgetDialog, RemoveBudget } from './budget-dialogs.js';
import { leftOf, shareOf } from './sums.js';

type Asked = { readonly what: 'add' } | { readonly what: 'change' | 'remove'; readonly budget: BudgetView };

/** What keys and projects may spend, and what is left of it. */
export function Budgets({ nameOf }: { readonly nameOf: (key: string) => string }) {
  const list = useList<BudgetView>('/budgets');
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = (): void => setAsked(null);
  return (
    <section class="section">
      <div class="section-head">
        <h2>Budgets</h2>
        <Button icon="plus" onClick={() => setAsked({ what: 'add' })}>
          Add budget
        </Button>
      </div>
      <Region name="Budgets" polled={list} rows={2} empty={list.data?.length === 0 ? <NoBudgets /> : null}>
        <Table
          name="Budgets"
          columns={columnsOf(nameOf, setAsked)}
          rows={list.data ?? []}
          keyOf={({ scope, id }) => `${scope}/${id}`}
        />
        <LoadMore more={list.loadMore} loading={list.loading} />
      </Region>
      {(asked?.what === 'add' || asked?.what === 'change') && (
        <BudgetDialog
          of={asked.what === 'change' ? asked.budget : null}
          onClose={close}
          onSaved={list.refresh}
        />
      )}
      {asked?.what === 'remove' && (
        <RemoveBudget of={asked.budget} onClose={close} onRemoved={list.refresh} />
      )}
    </section>
  );
}

const columnsOf = (
  nameOf: (key: string) => string,
  ask: (asked: Asked) => void,
): readonly Column<BudgetView>[] => [
  {
    name: 'Budget',
    cell: ({ scope, id }) => (
      <span>
        {scope} <Said text={scope === 'key' ? nameOf(id) : id} />
      </span>
    ),
  },
  { name: 'Limit', cell: (budget) => <span title={`$${budget.limit}`}>{limitInWords(budget)}</span> },
  { name: 'Used', grow: true, cell: (budget) => <Gauge of={budget} /> },
  { name: 'Spent', end: true, cell: ({ spent }) => <Money amount={spent} /> },
  { name: 'Left', end: true, cell: ({ limit, spent }) => <Money amount={leftOf(limit, spent)} /> },
  { name: 'Renews', cell: ({ renews_at: at }) => <Time at={at} full /> },
  {
    name: 'Actions',
    unnamed: true,
    end: true,
    cell: (budget) => (
      <span class="row-do">
        <Button small onClick={() => ask({ what: 'change', budget })}>
          Change
        </Button>
        <Button small kind="danger" onClick={() => ask({ what: 'remove', budget })}>
          Remove
        </Button>
      </span>
    ),
  },
];

function Gauge({ of: { limit, spent } }: { readonly of: BudgetView }) {
  const share = shareOf(spent, limit);
  const tone = share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : 'fine';
  return (
    <span
      class={`gauge ${tone}`}
      role="img"
      aria-label={`${Math.floor(share * 100)} % used, ${money(leftOf(limit, spent))} left`}
    >
      <span style={{ width: `${share * 100}%` }} />
    </span>
  );
}

const NoBudgets = () => (
  <Empty
    title="No budgets"
    sentence="A budget says what a key or a project may spend in a day, a month or in all; where it is reached runs wait."
  />
);
