import { useEffect, useRef } from 'preact/hooks';
import { forkOf } from '#domain/browser';
import { api } from '../api/client.js';
import { ApiProblem } from '../api/problem.js';
import type { SessionView } from '../api/types.js';
import { type Polled, usePoll, usePolled } from '../api/polled.js';
import type { LogEvent } from './log-event.js';
import type { SessionModel } from './model.js';
import type { ToldReader } from './told.js';
import type { ToldSoFar } from './told-so-far.js';

/** What lists tell of the session: its title, which a fork may have been given. Asked anew when a run has ended. */
export function useSessionView(model: SessionModel): Polled<SessionView> {
  const isErased = model.store.state.value === 'erased';
  const path = `/sessions/${encodeURIComponent(model.store.session)}`;
  const polled = usePolled<SessionView>(isErased ? null : path);
  const status = model.summary.value?.lastStatus ?? null;
  const isTitled = polled.data !== null && polled.data.title !== null;
  useEffect(() => {
    if (status !== null && polled.data !== null && !isTitled) polled.refresh();
  }, [status, isTitled]);
  return polled;
}

const isFork = ({ data }: LogEvent): boolean => data !== null && forkOf(data) !== null;

/** Reads what a fork goes on from, once its first event is there. @param onErased some of what was read was erased since */
export function useAncestors(model: SessionModel, onErased: () => void): void {
  const isThere = model.last.value >= 0;
  useEffect(() => {
    const first = model.store.events[0];
    if (!isThere || first === undefined || !isFork(first)) return;
    const ended = new AbortController();
    import('./ancestors.js')
      .then(async ({ readAncestors, watchErasure }) => {
        model.ancestors.value = await readAncestors(first, ended.signal);
        watchErasure(model.ancestors.value, ended.signal, onErased);
      })
      .catch((error: unknown) => {
        if (!ended.signal.aborted) model.store.problem.value = error instanceof ApiProblem ? error : null;
      });
    return () => ended.abort();
  }, [isThere]);
}

const EVERY_MS = 5000;

/** What callbacks were told, while some run of the session has one. */
export function useTold(model: SessionModel): void {
  const hasCallback = model.store.known.some(
    (event) => event.type === 'run_requested' && event.data.callback !== undefined,
  );
  const reader = useRef<ToldReader | null>(null);
  const path = `/deliveries?session=${encodeURIComponent(model.store.session)}&limit=200`;
  const { data } = usePoll<ToldSoFar>(
    hasCallback ? path : null,
    async (signal) => {
      // Few sessions have callbacks: what reads them is fetched for one that has.
      reader.current ??= new (await import('./told.js')).ToldReader();
      return reader.current.read((cursor) =>
        api.get(cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`, { signal }),
      );
    },
    EVERY_MS,
  );
  useEffect(() => {
    if (data !== null) model.toldSoFar.value = data;
  }, [data]);
}

/** Makes a fork. @returns its id @throws ApiProblem */
export async function forkSession(session: string, at: number, title: string): Promise<string> {
  const body = { at: String(at), ...(title.trim() === '' ? {} : { title: title.trim() }) };
  const fork = await api.post<SessionView>(`/sessions/${encodeURIComponent(session)}/fork`, body);
  return fork.session;
}

export const eraseSession = (session: string): Promise<unknown> =>
  api.delete(`/sessions/${encodeURIComponent(session)}`);
