import { useEffect, useReducer, useRef } from 'preact/hooks';
import { api } from './client.js';
import { type ApiProblem, asProblem } from './problem.js';

/** What is on the screen is said to be old when it could not be refreshed for so long. */
const STALE_MS = 30_000;
const TICK_MS = 1000;

/** Where words of a session are on the screen it is asked for so often: erased, they are gone within 2 s. */
export const ERASED_SEEN_MS = 1500;

export interface Polled<T> {
  /** Of the last call that went well; null: none yet. */
  readonly data: T | null;
  readonly problem: ApiProblem | null;
  readonly loading: boolean;
  /** Seconds since it was last refreshed; null while that is less than 30. */
  readonly staleForS: number | null;
  /** Seconds until it is tried again by itself; null: it will not be, before its next turn. */
  readonly retryInS: number | null;
  readonly refresh: () => void;
}

/** Owns one repeated call: at most one is under way, none while the page is hidden, and a refusal's Retry-After is kept. */
class Poll {
  data: unknown = null;
  problem: ApiProblem | null = null;
  loading = false;
  freshAt = Date.now();
  retryAt: number | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private readonly tick: ReturnType<typeof setInterval>;
  private abort: AbortController | null = null;

  constructor(
    private readonly read: (signal: AbortSignal) => Promise<unknown>,
    private readonly everyMs: number | null,
    private readonly onChange: () => void,
  ) {
    this.tick = setInterval(() => {
      if (this.problem !== null) onChange();
    }, TICK_MS);
    document.addEventListener('visibilitychange', this.onVisible);
    void this.now();
  }

  readonly now = async (): Promise<void> => {
    if (this.timer !== null) clearTimeout(this.timer);
    this.abort?.abort();
    const abort = (this.abort = new AbortController());
    this.loading = true;
    this.onChange();
    try {
      this.data = await this.read(abort.signal);
      if (abort.signal.aborted) return;
      this.problem = null;
      this.retryAt = null;
      this.freshAt = Date.now();
    } catch (error) {
      if (abort.signal.aborted) return;
      this.fail(asProblem(error));
    }
    this.loading = false;
    this.plan();
    this.onChange();
  };

  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    clearInterval(this.tick);
    this.abort?.abort();
    document.removeEventListener('visibilitychange', this.onVisible);
  }

  private fail(problem: ApiProblem): void {
    this.problem = problem;
    // It is there no more, or was erased: nothing of it is kept, on the screen or behind it.
    if (problem.status === 404) this.data = null;
    const isPassing = problem.status === 429 || problem.status === 503;
    this.retryAt = isPassing ? Date.now() + (problem.retryAfterS ?? 5) * 1000 : null;
  }

  private plan(): void {
    const wait = this.retryAt !== null ? this.retryAt - Date.now() : this.everyMs;
    if (wait === null) return;
    this.timer = setTimeout(
      () => {
        if (document.visibilityState === 'visible') void this.now();
        else this.timer = null;
      },
      Math.max(0, wait),
    );
  }

  private readonly onVisible = (): void => {
    if (document.visibilityState === 'visible' && this.timer === null && !this.loading) void this.now();
  };
}

/**
 * What `path` answers, asked again `everyMs` after each answer while the page is visible. A new path begins anew; null asks
 * for nothing.
 * @param everyMs null: once, and when `refresh` is called
 */
export function usePolled<T>(path: string | null, everyMs: number | null = null): Polled<T> {
  return usePoll<T>(path, path === null ? null : (signal) => api.get<T>(path, { signal }), everyMs);
}

/** As `usePolled`, with a call of one's own; `key` says when it is another one. */
export function usePoll<T>(
  key: string | null,
  read: ((signal: AbortSignal) => Promise<T>) | null,
  everyMs: number | null,
): Polled<T> {
  const [, paint] = useReducer((n: number) => n + 1, 0);
  const poll = useRef<{ readonly key: string | null; readonly of: Poll | null } | null>(null);
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    const of =
      key === null
        ? null
        : new Poll(
            async (signal) => latest.current?.(signal),
            everyMs,
            () => paint(0),
          );
    poll.current = { key, of };
    return () => of?.close();
  }, [key, everyMs]);
  const of = poll.current?.key === key ? (poll.current?.of ?? null) : null;
  const data = (of?.data ?? null) as T | null;
  const staleMs = of === null || of.problem === null ? 0 : Date.now() - of.freshAt;
  return {
    data,
    problem: of?.problem ?? null,
    loading: key !== null && (of === null || of.loading),
    staleForS: data !== null && staleMs >= STALE_MS ? Math.floor(staleMs / 1000) : null,
    retryInS: secondsUntil(of?.retryAt ?? null),
    refresh: () => void of?.now(),
  };
}

const secondsUntil = (at: number | null): number | null =>
  at === null ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000));
