import { useEffect } from 'preact/hooks';
import { api } from '../api/client.js';
import { ERASED_SEEN_MS, usePoll } from '../api/polled.js';
import { ApiProblem } from '../api/problem.js';
import type { Ancestor } from './ancestors.js';

/** Tells when one of the sessions that a fork goes on from is erased: no stream of the page would. */
export function useErasure(line: readonly Ancestor[], onErased: () => void): void {
  const there = line.flatMap(({ session, isErased }) => (isErased ? [] : [session]));
  const { data: isErased } = usePoll<boolean>(
    there.length === 0 ? null : there.join(' '),
    (signal) => isOneGone(there, signal),
    ERASED_SEEN_MS,
  );
  useEffect(() => {
    if (isErased === true) onErased();
  }, [isErased]);
}

async function isOneGone(sessions: readonly string[], signal: AbortSignal): Promise<boolean> {
  const looks = sessions.map((session) => api.get(`/sessions/${encodeURIComponent(session)}`, { signal }));
  for (const look of await Promise.allSettled(looks)) {
    if (look.status === 'fulfilled') continue;
    if (look.reason instanceof ApiProblem && look.reason.status === 404) return true;
    throw look.reason;
  }
  return false;
}
