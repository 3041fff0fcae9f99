import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { ActionView } from '../api/types.js';
import { onTabMessage } from '../app/session.js';

/**
 * The actions of a list as they are read, those first that expire first; what was on the screen and is not in the list any
 * more stays in its place, as it became.
 * @param listed what the list has now; null: nothing was read yet
 */
export function useKeptActions(listed: readonly ActionView[] | null, refresh: () => void) {
  const [became, setBecame] = useState<ReadonlyMap<string, ActionView>>(new Map());
  const order = useRef<readonly string[]>([]);
  const seen = useRef(new Map<string, ActionView>());
  const keep = (view: ActionView): void =>
    setBecame((before) => new Map([...before, [view.action_id, view]]));

  const now = new Map((listed ?? []).map((view) => [view.action_id, view]));
  for (const [id, view] of now) seen.current.set(id, view);
  const fresh = [...now.values()]
    .filter(({ action_id: id }) => !order.current.includes(id))
    .toSorted(byExpiry);
  if (fresh.length > 0) order.current = merged(order.current, fresh, seen.current);

  const gone = listed === null ? [] : order.current.filter((id) => !now.has(id) && !became.has(id));
  useEffect(() => {
    for (const id of gone)
      void api
        .get<ActionView>(`/actions/${encodeURIComponent(id)}`)
        .then((view) => view.status !== 'open' && keep(view))
        .catch(() => undefined);
  }, [gone.join()]);
  useEffect(() => onTabMessage(({ what }) => what === 'decided' && refresh()), [refresh]);

  const actions = order.current.flatMap((id) => became.get(id) ?? now.get(id) ?? seen.current.get(id) ?? []);
  return { actions, keep };
}

const byExpiry = (a: ActionView, b: ActionView): number =>
  Date.parse(a.expires_at) - Date.parse(b.expires_at);

/** New ones go before the first that expires later; nothing else moves. */
function merged(
  order: readonly string[],
  fresh: readonly ActionView[],
  seen: ReadonlyMap<string, ActionView>,
): readonly string[] {
  const next = [...order];
  for (const view of fresh) {
    const at = next.findIndex((id) => byExpiry(seen.get(id) ?? view, view) > 0);
    next.splice(at === -1 ? next.length : at, 0, view.action_id);
  }
  return next;
}
