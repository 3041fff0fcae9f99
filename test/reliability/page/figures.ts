import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../../support/median.js';
import type { RowReport } from '../verdict.js';
import { type CheckoutState, checkoutState } from './checkout.js';
import { partNamed } from './rows.js';

/** Milliseconds. */
export interface Spread {
  readonly times: number;
  /** Of the slowest, where several runs are added up. */
  readonly median: number;
  readonly worst: number;
}

/** One of the runs that figures add up. */
export interface Run {
  readonly commit: string;
  /** ISO 8601, when it ended. */
  readonly date: string;
  readonly seconds: number;
  /** What repeats just this. */
  readonly command: string;
  readonly faults: number;
}

/** What one part of the fault table came to, of one state of the product: a file of `docs/reliability`. */
export interface Figures extends CheckoutState {
  readonly part: string;
  /** ISO 8601, when it ended. */
  readonly date: string;
  readonly seconds: number;
  /** What repeats just this. */
  readonly command: string;
  readonly faults: number;
  /** How many events clients were shown; 0: that is not what was looked at, nor what was lost, doubled and re-ordered. */
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  readonly reordered: number;
  readonly problems: readonly string[];
  /** How long a start took until the service was ready again. */
  readonly ready: Spread | null;
  /** How long clients that came back had seen nothing. */
  readonly gaps: Spread | null;
  /** What else was measured, by its name, in the last run. */
  readonly more: Readonly<Record<string, string>>;
  /** Runs of the same product before this one, which are added up here. */
  readonly earlier?: readonly Run[];
  /** This and all earlier runs of the part whose figures were kept. */
  readonly ever: { readonly runs: number; readonly faults: number; readonly problems: number };
}

/** Of the checkout. */
export const FOLDER = 'docs/reliability';

/**
 * Keeps what a part of the fault table came to, for the page: one call after each run that counts. Its file in
 * `docs/reliability` is written anew; runs of the same product are added up, other runs counted under `ever`.
 * @param seconds how long it took
 * @param command what repeats just this
 * @throws Error where rows.ts does not name the part
 */
export function keepReport(name: string, report: RowReport, seconds: number, command: string): void {
  partNamed(name);
  const { faults, verdict, measured = {} } = report;
  const { acknowledged, lost, doubled, reordered, problems } = verdict;
  const before = figuresOf(name);
  const { ever } = before ?? { ever: { runs: 0, faults: 0, problems: 0 } };
  const figures: Figures = {
    part: name,
    ...checkoutState(),
    date: new Date().toISOString(),
    seconds: Math.round(seconds),
    command,
    faults,
    acknowledged,
    lost,
    doubled,
    reordered,
    problems,
    ready: spreadIn(measured.readyMs),
    gaps: spreadIn(measured.gapsMs),
    more: measured.more ?? {},
    ever: { runs: ever.runs + 1, faults: ever.faults + faults, problems: ever.problems + problems.length },
  };
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify(addedTo(before, figures), null, 2)}\n`);
}

/** The figures of a run with those before it. The same run again counts once, and so does one of a product that nobody can go back to. */
export function addedTo(before: Figures | undefined, now: Figures): Figures {
  if (before === undefined || before.product !== now.product || now.product.endsWith('+')) return now;
  const { commit, date, seconds, command, faults } = before;
  const runs = [...(before.earlier ?? []), { commit, date, seconds, command, faults: faultsOf(before) }];
  if (runs.some((run) => run.command === now.command)) return now;
  return {
    ...now,
    faults: faults + now.faults,
    acknowledged: before.acknowledged + now.acknowledged,
    lost: before.lost + now.lost,
    doubled: before.doubled + now.doubled,
    reordered: before.reordered + now.reordered,
    problems: [...before.problems, ...now.problems],
    ready: together(before.ready, now.ready),
    gaps: together(before.gaps, now.gaps),
    earlier: runs,
  };
}

/** Of the last run alone. */
const faultsOf = ({ faults, earlier = [] }: Figures): number =>
  faults - earlier.reduce((sum, run) => sum + run.faults, 0);

function together(a: Spread | null, b: Spread | null): Spread | null {
  if (a === null || b === null) return a ?? b;
  return {
    times: a.times + b.times,
    median: Math.max(a.median, b.median),
    worst: Math.max(a.worst, b.worst),
  };
}

/** What is kept of a part, or undefined. */
function figuresOf(name: string): Figures | undefined {
  return keptFigures().find(({ part }) => part === name);
}

/** The kept figures of all parts. */
export function keptFigures(): Figures[] {
  mkdirSync(FOLDER, { recursive: true });
  return readdirSync(FOLDER)
    .filter((file) => /^F\d+-[\w-]+\.json$/.test(file))
    .map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Figures);
}

function spreadIn(ms: readonly number[] = []): Spread | null {
  if (ms.length === 0) return null;
  return { times: ms.length, median: Math.round(median(ms)), worst: Math.round(Math.max(...ms)) };
}
