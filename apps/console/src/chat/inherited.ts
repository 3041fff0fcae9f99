import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ConversationEvent } from '../conversation/items.js';
import { type Ancestor, readAncestors, watchErasure } from '../session/ancestors.js';
import type { SessionStore } from '../session/store.js';

const NONE: readonly Ancestor[] = [];

/**
 * What a fork has of its ancestors' logs; null: it is being read, or nothing of the session is there yet.
 * @param onErased some of what was read was erased since
 */
export function useInherited(
  store: SessionStore | null,
  onErased: () => void,
): readonly ConversationEvent[] | null {
  const [line, setLine] = useState<readonly Ancestor[] | null>(null);
  const first = store !== null && store.version.value > 0 ? store.events[0] : undefined;
  useEffect(() => {
    if (first === undefined) return;
    const abort = new AbortController();
    readAncestors(first, abort.signal)
      .then((read) => {
        setLine(read.length === 0 ? NONE : read);
        watchErasure(read, abort.signal, onErased);
      })
      .catch(() => abort.signal.aborted || setLine(NONE));
    return () => abort.abort();
  }, [first?.line.id]);
  return useMemo(
    () =>
      line?.flatMap(({ session, events, isErased }) =>
        isErased ? [] : events.map((event) => ({ ...event, session })),
      ) ?? null,
    [line],
  );
}
