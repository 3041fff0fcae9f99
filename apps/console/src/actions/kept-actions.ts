import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { ApiProblem } from '../api/problem.js';
import type { ActionView } from '../api/types.js';
import { onTabMessage } from '../app/session.js';
import { forgetContext } from './context.js';

/** So many of those that are in the list no more are asked for with each reading of it, by turns. */
const LOOKS = 10;

/**
 * The actions of a list as they are read, those first that expire first; what was on the screen and is not in the list any
 * more stays in its place, as it became, and is asked for again: what is erased leaves.
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

  const drop = (id: string): void => {
    order.current = order.current.filter((other) => other !== id);
    seen.current.delete(id);
    forgetContext(id);
    setBecame((before) => new Map([...before].filter(([other]) => other !== id)));
  };
  useLooks(listed === null ? [] : order.current.filter((id) => !now.has(id)), { listed, keep, drop });
  useEffect(() => onTabMessage(({ what }) => what === 'decided' && refresh()), [refresh]);

  const actions = order.current.flatMap((id) => became.get(id) ?? now.get(id) ?? seen.current.get(id) ?? []);
  return { actions, keep };
}

interface Looked {
  /** Another one with each reading. */
  readonly listed: readonly ActionView[] | null;
  readonly keep: (view: ActionView) => void;
  readonly drop: (id: string) => void;
}

/** Asks what became of actions, each time that the list was read: of those first that were not asked for the longest time. */
function useLooks(ids: readonly string[], { listed, keep, drop }: Looked): void {
  const asked = useRef(new Map<string, number>());
  const underWay = useRef(new Set<string>());
  const look = async (id: string): Promise<void> => {
    underWay.current.add(id);
    asked.current.set(id, Date.now());
    try {
      const view = await api.get<ActionView>(`/actions/${encodeURIComponent(id)}`);
      if (view.status !== 'open') keep(view);
    } catch (error) {
      // Anything else is asked again with the next reading.
      if (error instanceof ApiProblem && error.status === 404) drop(id);
    } finally {
      underWay.current.delete(id);
    }
  };
  useEffect(() => {
    const next = ids
      .filter((id) => !underWay.current.has(id))
      .toSorted((a, b) => (asked.current.get(a) ?? 0) - (asked.current.get(b) ?? 0));
    for (const id of next.slice(0, LOOKS)) void look(id);
  }, [listed]);
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
