import type { DecideProps } from '../actions/decision.js';
import { Outcome } from '../actions/outcome.js';
import { ASKS, decidableOfItem } from '../actions/decidable.js';
import { Asked } from '../actions/asked-view.js';
import { Expiry } from '../actions/expiry.js';
import { Link } from '../app/link.js';
import { Shape } from '../parts/icon.js';
import { later } from '../parts/later.js';
import { type ActionItem, nameOf } from './items.js';

const Decide = later<DecideProps>(async () => (await import('../actions/decision.js')).Decide);

interface ActionCardProps {
  readonly session: string;
  readonly item: ActionItem;
  readonly nameOfKey: (id: string) => string;
  /** At an event of the past nothing can be decided. */
  readonly canDecide: boolean;
}

/** Somebody is asked: what, until when, and the buttons; afterwards who decided. */
export function ActionCard({ session, item, nameOfKey, canDecide }: ActionCardProps) {
  const action = decidableOfItem(item, session);
  const isOpen = item.status === 'open';
  return (
    <article
      aria-label={nameOf(item) ?? undefined}
      class={isOpen ? 'msg card ask' : 'msg card'}
      data-event={item.event}
    >
      <p class="ch">
        {isOpen ? (
          <>
            <Shape name="wait" />
            {ASKS[item.asks]}
          </>
        ) : (
          <Outcome action={action} />
        )}
        <span class="ch-end">
          {isOpen && <Expiry at={item.expiresAt} />}
          <Link
            class="mono"
            href={`/console/approvals/${encodeURIComponent(item.id)}`}
            label={`Open approval ${item.event}`}
          >
            {item.event}
          </Link>
        </span>
      </p>
      <div class="asked">
        <Asked action={action} />
      </div>
      <div class="decide">{(canDecide || !isOpen) && <Decide action={action} nameOfKey={nameOfKey} />}</div>
    </article>
  );
}
