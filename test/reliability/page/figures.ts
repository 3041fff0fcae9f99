import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RowReport, medianOf } from '../verdict.js';
import { type CheckoutState, checkoutState } from './checkout.js';
import { partNamed } from './rows.js';

/** Milliseconds. */
export interface Spread {
  readonly times: number;
  readonly median: number;
  readonly worst: number;
}

/** What one part of the fault table came to, at one commit: a file of `docs/reliability`. */
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
  /** What else was measured, by its name. */
  readonly more: Readonly<Record<string, string>>;
  /** This and all earlier runs of the part whose figures were kept. */
  readonly ever: { readonly runs: number; readonly faults: number; readonly problems: number };
}

/** Of the checkout. */
export const FOLDER = 'docs/reliability';

/**
 * Keeps what a part of the fault table came to, for the page: one call after each run that counts. Its file in
 * `docs/reliability` is written anew; what its earlier runs add up to is carried over.
 * @param seconds how long it took
 * @param command what repeats just this
 * @throws Error where rows.ts does not name the part
 */
export function keepReport(name: string, report: RowReport, seconds: number, command: string): void {
  partNamed(name);
  const { faults, verdict, measured = {} } = report;
  const { acknowledged, lost, doubled, reordered, problems } = verdict;
  const { ever } = figuresOf(name) ?? { ever: { runs: 0, faults: 0, problems: 0 } };
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
  writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify(figures, null, 2)}\n`);
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
  return { times: ms.length, median: Math.round(medianOf(ms)), worst: Math.round(Math.max(...ms)) };
}
