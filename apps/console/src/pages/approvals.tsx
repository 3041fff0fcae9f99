import { useList } from '../api/list.js';
import type { ActionView } from '../api/types.js';
import { place, setQuery } from '../app/router.js';
import { useShortcuts } from '../app/shortcuts.js';
import { ApprovalCard } from '../actions/approval-card.js';
import { useKeptActions } from '../actions/kept-actions.js';
import { useKeyNames } from '../conversation/key-names.js';
import { LinkQuestion } from '../conversation/link-question.js';
import { CopyCurl, Curl, Seg } from '../parts/controls.js';
import { PageHead } from '../parts/page-head.js';
import { Empty, LoadMore, Region } from '../parts/region.js';

const SHOWN = [
  ['open', 'Open'],
  ['resolved', 'Resolved'],
  ['expired', 'Expired'],
] as const;
type Shown = (typeof SHOWN)[number][0];

/** The inbox is asked for often: somebody may be waiting. */
const EVERY_MS = 2000;

/** What waits for a person or for the caller, those first that expire first. */
export default function Page() {
  const asked = place.value.query.get('status');
  const shown: Shown = SHOWN.find(([status]) => status === asked)?.[0] ?? 'open';
  return (
    <div class="page approvals">
      <PageHead title="Approvals" />
      <div class="filters">
        <Seg name="Show" value={shown} options={SHOWN} onChange={(status) => setQuery({ status })} />
        <span class="grow" />
        <CopyCurl call={{ path: `/actions?status=${shown}` }} />
      </div>
      <Inbox key={shown} shown={shown} />
    </div>
  );
}

function Inbox({ shown }: { readonly shown: Shown }) {
  const path = `/actions?status=${shown}&limit=${shown === 'open' ? 200 : 50}`;
  const list = useList<ActionView>(path, { everyMs: EVERY_MS });
  const nameOfKey = useKeyNames();
  const kept = useKeptActions(list.data, list.refresh);
  // What is over does not change: it is told as the list has it, the newest first.
  const actions = shown === 'open' ? kept.actions : (list.data ?? []);
  useShortcuts({
    j: () => focusCard(1),
    k: () => focusCard(-1),
    a: () => focusButton('Approve'),
    d: () => focusButton('Deny'),
  });
  const empty = list.data !== null && actions.length === 0 ? <Nothing shown={shown} /> : null;
  return (
    <Region name="Actions" polled={list} empty={empty}>
      {actions.map((view) => (
        <ApprovalCard key={view.action_id} view={view} nameOfKey={nameOfKey} onDecided={kept.keep} />
      ))}
      <LoadMore more={list.loadMore} loading={list.loading} />
      <LinkQuestion />
    </Region>
  );
}

function Nothing({ shown }: { readonly shown: Shown }) {
  if (shown !== 'open')
    return (
      <Empty
        title={`Nothing ${shown}`}
        sentence="Actions that somebody decided on, or nobody in time, are listed here."
      />
    );
  const body = { message: 'Refund order 4711.', approvals: { default: 'ask' }, background: true };
  return (
    <Empty
      title="Nothing waits"
      sentence="Calls of tools that need a person wait here, for a day unless the run says otherwise. A run asks with approvals:"
    >
      <Curl call={{ method: 'POST', path: '/', body }} />
    </Empty>
  );
}

const cards = (): readonly HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>('article[data-action]'),
];

const focusedCard = (): HTMLElement | null =>
  document.activeElement?.closest<HTMLElement>('article[data-action]') ?? null;

function focusCard(step: 1 | -1): void {
  const all = cards();
  const card = focusedCard();
  const at = card === null ? (step === 1 ? -1 : all.length) : all.indexOf(card);
  all[Math.min(all.length - 1, Math.max(0, at + step))]?.focus();
}

/** A key never decides: it only goes to the button. */
function focusButton(name: string): void {
  const card = focusedCard() ?? cards().find((one) => buttonIn(one, name) !== undefined);
  if (card !== undefined) buttonIn(card, name)?.focus();
}

const buttonIn = (card: HTMLElement, name: string): HTMLButtonElement | undefined =>
  [...card.querySelectorAll('button')].find(
    (button) => (button.getAttribute('aria-label') ?? button.textContent) === name,
  );
