import { computed, effect, signal } from '@preact/signals';
import { type Finding, type Level, StreamCheck, type Verdict } from '#proof/browser';
import { type ApiProblem, asProblem } from '../api/problem.js';
import { Turns } from '../parts/turns.js';
import type { SessionModel } from '../session/model.js';
import { exportEvent } from './export-event.js';
import type { KeysFound } from './known-keys.js';
import { believedKeys, pin } from './pinned.js';
import { prove, readKeys } from './proving.js';

export type BadgeLevel = Level | 'not verified' | 'checking';

/** The last answer to what is asked of the service. */
export interface Proved {
  readonly verdict: Verdict | null;
  readonly problem: ApiProblem | null;
  readonly keys: KeysFound | null;
  /** What the service said of its keys; null: nothing. */
  readonly told: string | null;
}

/** A service is asked again for a proof no sooner, in ms. */
const BETWEEN_MS = 5000;
/** The service could not be reached, or went away in mid-sentence. */
const PASSING: ReadonlySet<string> = new Set(['unreachable', 'cut_off']);
/** After a refusal that may pass. */
const AGAIN_MS = 10_000;

/**
 * How far the session on the screen can be believed.
 * 1. Its events are checked by themselves as they come, in slices.
 * 2. When they are all there and no run is under way, or somebody asks, they are held against the proof of the export.
 * 3. One proof at most is under way.
 */
export class Verification {
  /** Events that were checked, and the first thing that is wrong with one. */
  readonly checked = signal<{ readonly count: number; readonly failure: Finding | null }>({
    count: 0,
    failure: null,
  });
  readonly proved = signal<Proved | null>(null);
  readonly isProving = signal(false);
  private check: StreamCheck;
  private readonly stopped = new AbortController();
  private isChecking = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private provedAt = -Infinity;
  /** How many events there were at the last proof. */
  private provedOf = -1;

  constructor(private readonly model: SessionModel) {
    this.check = new StreamCheck(model.store.session);
  }

  readonly level = computed<BadgeLevel>(() => {
    const { failure } = this.checked.value;
    const proved = this.proved.value;
    const verdict = proved?.verdict ?? null;
    if (failure !== null || proved?.keys?.kind === 'changed') return 'not verified';
    if (verdict !== null && verdict.level === null) return 'not verified';
    if (this.checked.value.count === 0) return 'checking';
    if (verdict !== null) return verdict.level ?? 'not verified';
    return proved !== null || this.isUnderWay.value ? 'chain' : 'checking';
  });

  /** How many events the newest proof covers; null: none is known. */
  readonly sealed = computed(() => this.proved.value?.verdict?.sealed ?? null);

  private readonly isUnderWay = computed(() => {
    const status = this.model.summary.value?.lastStatus;
    return this.model.store.state.value !== 'erased' && (status === 'queued' || status === 'running');
  });

  /** Begins. @returns ends it */
  open(): () => void {
    const { store } = this.model;
    const ended = [
      effect(() => {
        void store.replaced.value;
        this.check = new StreamCheck(store.session);
      }),
      effect(() => {
        void store.version.value;
        void store.replaced.value;
        if (store.last >= 0 && store.last >= store.head.value) void this.catchUp();
      }),
      effect(() => {
        void this.checked.value;
        if (!this.isUnderWay.value) this.plan();
      }),
    ];
    document.addEventListener('visibilitychange', () => this.plan(), { signal: this.stopped.signal });
    return () => {
      for (const end of ended) end();
      this.stopped.abort();
      clearTimeout(this.timer);
    };
  }

  /** Invariant 2, at somebody's request. */
  readonly ask = (): void => {
    clearTimeout(this.timer);
    this.timer = undefined;
    void this.prove();
  };

  /** Somebody believes the keys that the service tells now. */
  readonly believe = (): void => {
    const told = this.proved.peek()?.told ?? null;
    if (told === null) return;
    pin(told);
    this.ask();
  };

  /** Invariant 1. */
  private async catchUp(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    const turns = new Turns();
    while (this.check.count < this.model.store.events.length && !this.stopped.signal.aborted) {
      this.check.push(exportEvent(this.model.store.events[this.check.count]!.line));
      if (turns.isOver) await turns.next();
    }
    this.isChecking = false;
    this.checked.value = { count: this.check.count, failure: this.check.failure };
  }

  /** Invariant 2, by itself. A page that nobody sees asks for nothing. */
  private plan(afterMs = Math.max(0, this.provedAt + BETWEEN_MS - performance.now())): void {
    const isDue = this.checked.peek().count > Math.max(0, this.provedOf) && !this.isUnderWay.peek();
    if (!isDue || this.timer !== undefined || document.visibilityState !== 'visible') return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (document.visibilityState === 'visible') void this.prove();
    }, afterMs);
  }

  /** Invariant 3. */
  private async prove(): Promise<void> {
    if (this.isProving.peek()) return;
    this.isProving.value = true;
    const count = this.model.store.events.length;
    const proved = await this.proof();
    if (this.stopped.signal.aborted) return;
    const { problem } = proved;
    const isPassing =
      problem !== null && (problem.status === 429 || problem.status === 503 || PASSING.has(problem.code));
    if (!isPassing) this.provedOf = count;
    this.provedAt = performance.now();
    this.isProving.value = false;
    this.proved.value = proved;
    this.plan(isPassing ? (problem.retryAfterS ?? 0) * 1000 || AGAIN_MS : undefined);
  }

  /** What was proved before stays where nothing is proved now. */
  private async proof(): Promise<Proved> {
    const { store } = this.model;
    const { signal: until } = this.stopped;
    let { told = null, keys = null, verdict = null } = this.proved.peek() ?? {};
    let problem: ApiProblem | null = null;
    try {
      told = await readKeys(until);
      keys = believedKeys(told);
      const shown = (revision: number) => store.events[revision]?.line;
      verdict = await prove({ session: store.session, policy: keys?.policy ?? null, shown, signal: until });
    } catch (error) {
      problem = asProblem(error);
    }
    return { verdict, problem, keys, told };
  }
}
