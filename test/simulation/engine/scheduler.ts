import type { Tape } from './tape.js';
import type { Trace } from './trace.js';

/** Whoever work is done for. The work of a dead owner is forgotten, that of a paused one waits. */
export interface Owner {
  readonly name: string;
  isAlive: boolean;
  isPaused: boolean;
}

export interface Entry {
  readonly owner: Owner;
  readonly label: string;
  readonly due: number;
  fire: (() => void) | null;
}

/**
 * The one loop of a simulated world: virtual time, and everything that may happen next.
 * 1. One entry a step; then every promise that can go on does, before the next step.
 * 2. Time stands still while an entry is ready, and jumps to the next one that is due when none is.
 * 3. Which ready entry comes next is a choice; on a calm tape it is the oldest.
 */
export class Scheduler {
  now: number;
  steps = 0;
  private ready: Entry[] = [];
  /** Sorted by the time when they are due, the latest first. */
  private readonly later: Entry[] = [];

  constructor(
    readonly tape: Tape,
    readonly trace: Trace,
    start: number,
    /** How often, per mille, another than the oldest entry may be next. */
    private readonly disorder = 1000,
  ) {
    this.now = start;
  }

  /** Has `fire` called after `ms` or later. Returns a function that cancels it. */
  after(owner: Owner, ms: number, label: string, fire: () => void): () => void {
    if (!owner.isAlive) return () => undefined;
    const entry: Entry = { owner, label, due: this.now + ms, fire };
    if (ms <= 0) this.ready.push(entry);
    else this.keepForLater(entry);
    return () => {
      entry.fire = null;
    };
  }

  /** Lets one thing happen. Returns false where nothing is left that could. */
  async step(): Promise<boolean> {
    const entry = this.next();
    if (entry === null) return false;
    this.steps++;
    this.trace.add(this.now, entry.owner.name, entry.label);
    const { fire } = entry;
    entry.fire = null;
    fire?.();
    await settled();
    return true;
  }

  /** Forgets what the dead had planned. */
  bury(): void {
    this.ready = this.ready.filter(isWanted);
  }

  private next(): Entry | null {
    for (;;) {
      this.promote();
      const candidates = this.candidates();
      if (candidates.length > 0) {
        const isAnyNext = candidates.length > 1 && this.tape.chance(this.disorder);
        const entry = candidates[isAnyNext ? this.tape.choose(candidates.length) : 0] as Entry;
        this.ready.splice(this.ready.indexOf(entry), 1);
        return entry;
      }
      const due = this.nextDue();
      if (due === null) return null;
      this.now = Math.max(this.now, due);
    }
  }

  /** What may happen now; entries that were cancelled, or whose owner has died, are dropped on the way. */
  private candidates(): Entry[] {
    let isPaused = false;
    let isStale = false;
    for (const entry of this.ready) {
      if (!isWanted(entry)) isStale = true;
      else if (entry.owner.isPaused) isPaused = true;
    }
    if (isStale) this.ready = this.ready.filter(isWanted);
    return isPaused ? this.ready.filter((entry) => !entry.owner.isPaused) : this.ready;
  }

  private promote(): void {
    for (let last = this.later.at(-1); last !== undefined && last.due <= this.now; last = this.later.at(-1)) {
      this.later.pop();
      if (isWanted(last)) this.ready.push(last);
    }
  }

  private nextDue(): number | null {
    for (let last = this.later.at(-1); last !== undefined; last = this.later.at(-1)) {
      if (isWanted(last)) return last.due;
      this.later.pop();
    }
    return null;
  }

  private keepForLater(entry: Entry): void {
    const { later } = this;
    let low = 0;
    let high = later.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((later[middle] as Entry).due > entry.due) low = middle + 1;
      else high = middle;
    }
    later.splice(low, 0, entry);
  }
}

const isWanted = (entry: Entry): boolean => entry.fire !== null && entry.owner.isAlive;

/** Resolves when every promise that can go on has gone on: the loop turns only then. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
