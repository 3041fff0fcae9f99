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
  // The run that waits is one of the session that was forked: this one waits for nobody.
  const isElsewhere = item.isInherited && item.status === 'open';
  const isOpen = item.status === 'open' && !isElsewhere;
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
        ) : isElsewhere ? (
          'Waits in the session that this was forked from'
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
      <div class="decide">
        {(canDecide || !isOpen) && !isElsewhere && <Decide action={action} nameOfKey={nameOfKey} />}
      </div>
    </article>
  );
}
