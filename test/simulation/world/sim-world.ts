import type { Owner, Scheduler } from '../engine/scheduler.js';
import type { Tape } from '../engine/tape.js';
import type { Flaw } from './flaws.js';
import type { Ledger, Moment } from './ledger.js';
import type { LogStore } from './log-store.js';
import type { Marks } from './marks.js';
import type { Parts } from './parts.js';
import type { ProjectedTable } from './sim-projection.js';
import type { Fault, Weather } from './weather.js';

/** What all parts of one simulated world share. */
export interface SimWorld {
  readonly scheduler: Scheduler;
  readonly tape: Tape;
  readonly weather: Weather;
  readonly store: LogStore;
  readonly ledger: Ledger;
  readonly marks: Marks;
  readonly parts: Parts;
  /** The one planted mistake, if any. */
  readonly flaw: Flaw | null;
  /** Whether only one worker can write to the log. */
  readonly isExclusive: boolean;
  /** Runs that a worker may drive at the same time. */
  readonly maxRuns: number;
  /** What the workers' followers make of the log; null in worlds without. */
  readonly table: ProjectedTable | null;
  /** Something that no correct program does. */
  readonly violated: (invariant: string, detail: string) => void;
}

/** Whether the fault happens on this occasion; if so it is counted. */
export function strikes(world: SimWorld, fault: Fault): boolean {
  if (!world.tape.chance(world.weather[fault])) return false;
  world.marks.hit(fault);
  return true;
}

export const momentOf = ({ scheduler }: SimWorld): Moment => ({ step: scheduler.steps, time: scheduler.now });

/** How long something takes: mostly no time at all, sometimes long enough for anything to happen meanwhile. */
export function latency(world: SimWorld): number {
  if (!strikes(world, 'answerDelayed')) return 0;
  return [5, 100, 1000, 15_000][world.tape.choose(4)] ?? 0;
}

/** An owner whose work outlives whoever asked for it. */
export const immortal = (name: string): Owner => ({ name, isAlive: true, isPaused: false });
