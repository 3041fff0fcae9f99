import { effect, signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { RecordedSessionEvent } from '#domain/browser';
import { type ApiProblem, asProblem } from '../api/problem.js';
import { may, signInState } from '../app/session.js';
import { connection } from '../app/status.js';
import { erasedEvents } from './erased-event.js';
import { type LogEvent, type LogLine, knownEvents, logEvent } from './log-event.js';
import { followLog } from './log-stream.js';
import { Story } from './story.js';
import { HIDDEN_AFTER_MS, type StreamMessage, placeOf, reconnectWaitMs } from './stream.js';

/** While a long log is read, what is there of it is painted so often. */
const LOADING_PAINT_MS = 200;

/** `missing`: it does not exist, belongs to another project, or was erased, which only a key that administers it is told. */
export type StoreState = 'loading' | 'live' | 'lost' | 'paused' | 'missing' | 'erased' | 'refused';

/**
 * A session's log in this page, and the stream that fills it.
 * 1. `events[n]` is the event `n`: ids are contiguous, none is there twice, and a jump is no event but a reason to ask again.
 * 2. One stream at most is open, none while the page has been hidden for 10 s.
 * 3. `version` moves once a frame at most, whatever came.
 * 4. Of an erased session no text is kept.
 */
export class SessionStore {
  events: LogEvent[] = [];
  /** What folds run over: the events up to the first of an unknown type. */
  known: RecordedSessionEvent[] = [];
  story = new Story();
  /** Moves when there is something new in `events`. */
  readonly version = signal(0);
  /** Moves when something is in the place of an event that was there. */
  readonly replaced = signal(0);
  /** The last event that the service told of; -1: nothing is known. */
  readonly head = signal(-1);
  readonly state = signal<StoreState>('loading');
  readonly problem = signal<ApiProblem | null>(null);
  private stopped = new AbortController();
  private hungUp = new AbortController();
  private frame = 0;
  private later: ReturnType<typeof setTimeout> | undefined;
  private hidden: ReturnType<typeof setTimeout> | undefined;
  /** Ends the wait before the next try; null: nothing waits. */
  private wake: (() => void) | null = null;

  constructor(readonly session: string) {}

  get last(): number {
    return this.events.length - 1;
  }

  open(): void {
    this.stopped = new AbortController();
    const { signal: until } = this.stopped;
    document.addEventListener('visibilitychange', this.onVisibility, { signal: until });
    window.addEventListener('online', () => this.wake?.(), { signal: until });
    const ended = effect(() => {
      if (signInState.value === 'out') connection.value = 'Signed out';
    });
    until.addEventListener('abort', ended);
    void this.run(until);
  }

  close(): void {
    this.stopped.abort();
    this.hungUp.abort();
    clearTimeout(this.hidden);
    clearTimeout(this.later);
    cancelAnimationFrame(this.frame);
    connection.value = '';
  }

  /** Puts an event in the place of one whose text was not sent along. */
  replace(line: LogLine): void {
    const event = logEvent(line);
    if (this.events[event.id]?.data !== null || this.state.value === 'erased') return;
    this.events[event.id] = event;
    if (event.known !== null && event.id < this.known.length) this.known[event.id] = event.known;
    this.replaced.value += 1;
  }

  private async run(until: AbortSignal): Promise<void> {
    let tries = 0;
    while (!until.aborted) {
      const before = this.last;
      const isOver = await this.follow(until).catch((error: unknown) =>
        this.refused(asProblem(error), until),
      );
      if (isOver || until.aborted) return;
      if (this.last > before) tries = 0;
      if (this.state.value !== 'paused') this.lose();
      const retryAfterMs = (this.problem.value?.retryAfterS ?? 0) * 1000;
      const waitMs = Math.max(reconnectWaitMs(tries, Math.random()), retryAfterMs);
      await this.wait(this.state.value === 'paused' ? null : waitMs, until);
      tries += 1;
    }
  }

  /** @returns whether there is nothing more to ask for */
  private async follow(until: AbortSignal): Promise<boolean> {
    this.hungUp = new AbortController();
    const ends = AbortSignal.any([until, this.hungUp.signal]);
    await followLog({
      session: this.session,
      after: this.last,
      signal: ends,
      onOpen: (head) => {
        this.problem.value = null;
        this.head.value = Math.max(head, this.last);
        this.state.value = 'live';
        connection.value = 'Live';
      },
      onMessage: (message) => this.take(message),
    });
    return false;
  }

  /** Invariant 1. @returns whether the stream is as it should be */
  private take({ data }: StreamMessage): boolean {
    const event = logEvent(JSON.parse(data) as LogLine);
    const place = placeOf(event.id, this.last);
    if (place === 'gap') return false;
    if (place === 'double') return true;
    if (event.known !== null && this.known.length === this.events.length) this.known.push(event.known);
    this.events.push(event);
    this.story.push(event);
    if (event.id > this.head.value) this.head.value = event.id;
    this.paint();
    return true;
  }

  private async refused(problem: ApiProblem, until: AbortSignal): Promise<boolean> {
    if (until.aborted) return true;
    if (this.state.value === 'paused') return false;
    if (problem.status === 404 && (await this.isErased(until))) return true;
    if (until.aborted) return true;
    this.problem.value = problem;
    if (problem.status === 404) this.state.value = 'missing';
    else if (problem.status >= 400 && problem.status < 500 && problem.status !== 429)
      this.state.value = 'refused';
    else return false;
    connection.value = '';
    return true;
  }

  /** Invariant 4: at once with what is here, then with what the service still tells of it. */
  private async isErased(until: AbortSignal): Promise<boolean> {
    const wasHere = this.last >= 0;
    if (wasHere) this.keep(this.events.map(({ line }) => withoutText(line)));
    const left = may('admin') ? await leftOf(this.session, until) : null;
    if (left !== null && !until.aborted) this.keep(left);
    return wasHere || left !== null;
  }

  /** All that there is of an erased session. */
  private keep(lines: readonly LogLine[]): void {
    this.events = erasedEvents(lines);
    this.known = [...knownEvents(this.events)];
    this.story = new Story();
    for (const event of this.events) this.story.push(event);
    this.head.value = this.last;
    this.state.value = 'erased';
    connection.value = '';
    this.replaced.value += 1;
    this.paint();
  }

  private lose(): void {
    if (this.state.value === 'live') this.state.value = 'lost';
    connection.value = `Reconnecting, last event ${this.last}`;
  }

  /** @param ms null: until somebody looks at the page */
  private wait(ms: number | null, until: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === null ? undefined : setTimeout(() => this.wake?.(), ms);
      this.wake = () => {
        clearTimeout(timer);
        this.wake = null;
        resolve();
      };
      until.addEventListener('abort', () => this.wake?.(), { once: true });
    });
  }

  /** Invariant 2. */
  private readonly onVisibility = (): void => {
    clearTimeout(this.hidden);
    if (document.visibilityState === 'visible') {
      if (this.state.value === 'paused') this.state.value = 'lost';
      return this.wake?.();
    }
    this.hidden = setTimeout(() => {
      if (this.state.value !== 'live' && this.state.value !== 'lost') return;
      this.state.value = 'paused';
      connection.value = 'Paused while hidden';
      this.hungUp.abort();
    }, HIDDEN_AFTER_MS);
  };

  /**
   * Invariant 3. A page that is hidden has no frames, and nobody to paint for. While much is on its way it is not painted for
   * each part of it, but for the first and when all is there.
   */
  private paint(): void {
    const isAll = this.last >= this.head.peek();
    if (isAll && this.later !== undefined) {
      clearTimeout(this.later);
      this.later = undefined;
    }
    if (this.frame !== 0 || this.later !== undefined) return;
    const onFrame = (): void => {
      this.later = undefined;
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.version.value += 1;
      });
    };
    if (isAll || this.version.peek() === 0) onFrame();
    else this.later = setTimeout(onFrame, LOADING_PAINT_MS);
  }
}

/** Few sessions are erased: what reads them is fetched when one is. null: nothing is left for this key. */
const leftOf = (session: string, until: AbortSignal): Promise<readonly LogLine[] | null> =>
  import('./erased.js').then(({ readErased }) => readErased(session, until)).catch(() => null);

function withoutText(line: LogLine): LogLine {
  const { text: _text, salt: _salt, head: _head, bytes: _bytes, ...rest } = line;
  return rest;
}

/** The store of a session, open while the component is there. null: there is no session yet. */
export function useSessionStore(session: string | null): SessionStore | null {
  const [store, setStore] = useState<SessionStore | null>(null);
  useEffect(() => {
    if (session === null) return setStore(null);
    const opened = new SessionStore(session);
    opened.open();
    setStore(opened);
    return () => opened.close();
  }, [session]);
  return store?.session === session ? store : null;
}
