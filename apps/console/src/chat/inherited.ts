import { useEffect, useState } from 'preact/hooks';
import type { ConversationEvent } from '../conversation/items.js';
import { readAncestors } from '../session/ancestors.js';
import type { SessionStore } from '../session/store.js';

const NONE: readonly ConversationEvent[] = [];

/** What a fork has of its ancestors' logs; null: it is being read, or nothing of the session is there yet. */
export function useInherited(store: SessionStore | null): readonly ConversationEvent[] | null {
  const [inherited, setInherited] = useState<readonly ConversationEvent[] | null>(null);
  const first = store !== null && store.version.value > 0 ? store.events[0] : undefined;
  useEffect(() => {
    if (first === undefined) return;
    const abort = new AbortController();
    readAncestors(first, abort.signal)
      .then((line) =>
        setInherited(
          line.length === 0
            ? NONE
            : line.flatMap(({ session, events, isErased }) =>
                isErased ? [] : events.map((event) => ({ ...event, session })),
              ),
        ),
      )
      .catch(() => abort.signal.aborted || setInherited(NONE));
    return () => abort.abort();
  }, [first?.line.id]);
  return inherited;
}
