import type { ComponentChildren } from 'preact';
import { Link } from '../app/link.js';
import { Time } from '../parts/values.js';
import { Bdi } from './bdi.js';
import type { Item } from './items.js';
import { nameOf } from './items.js';

interface ArticleProps {
  readonly session: string;
  readonly item: Item;
  readonly who: string;
  readonly class: string;
  readonly children: ComponentChildren;
  /** Beside the name: how long it took, what became of it. */
  readonly more?: ComponentChildren;
}

/** One thing that was said or done: who, when, the event's id as a link to it, and the text, which stands in it once. */
export function Article({ session, item, who, class: name, children, more }: ArticleProps) {
  return (
    <article aria-label={nameOf(item) ?? undefined} class={`msg ${name}`} data-event={item.event}>
      <p class="by">
        <b>
          <Bdi text={who} />
        </b>
        <Time at={item.time} />
        <EventLink session={session} item={item} />
        {more}
      </p>
      {children}
    </article>
  );
}

/** An inherited event is one of another session's log, whose id the item does not tell. */
function EventLink({
  session,
  item: { event, isInherited },
}: {
  readonly session: string;
  readonly item: Item;
}) {
  if (isInherited) return <span class="mono">{event}</span>;
  return (
    <Link
      class="mono"
      href={`/console/sessions/${encodeURIComponent(session)}@${event}`}
      title={`Event ${event}`}
    >
      {event}
    </Link>
  );
}
