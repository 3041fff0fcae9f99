import { median } from '../support/median.js';

/** What the checkers found: every zero of a report is one of these numbers. */
export class Verdict {
  /** Events that a client was shown and that are not on the log, or acknowledged runs that are not. */
  lost = 0;
  doubled = 0;
  reordered = 0;
  /** How many events clients were shown. */
  acknowledged = 0;
  /** The first few of everything that was wrong. */
  readonly problems: string[] = [];

  note(problem: string): void {
    if (this.problems.length < 20) this.problems.push(problem);
  }

  /** Notes a problem unless it `holds`. */
  require(holds: boolean, problem: () => string): void {
    if (!holds) this.note(problem());
  }

  get line(): string {
    const { acknowledged, lost, doubled, reordered, problems } = this;
    return `${acknowledged} events acknowledged, ${lost} lost, ${doubled} doubled, ${reordered} reordered, ${problems.length} problems`;
  }
}

/** `median 0.61 s, worst 0.92 s` */
export function spreadOf(ms: readonly number[]): string {
  const seconds = (value: number): string => `${(value / 1000).toFixed(2)} s`;
  return `median ${seconds(median(ms))}, worst ${seconds(Math.max(0, ...ms))}`;
}

/** One line for each row of the fault table, where the runner of the tests shows it. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** What a row of the fault table came to. */
export interface RowReport {
  /** How often something was made to fail. */
  readonly faults: number;
  readonly verdict: Verdict;
  /** The row's summary. */
  readonly line: string;
  /** What the page tells besides. */
  readonly measured?: Measured;
}

/** What was measured while things were made to fail. */
export interface Measured {
  /** Milliseconds of each start until the service was ready again. */
  readonly readyMs?: readonly number[];
  /** Milliseconds that clients which came back had seen nothing. */
  readonly gapsMs?: readonly number[];
  /** Anything else, by its name: `{ 'memory with 350 clients': '12 MB' }`. */
  readonly more?: Readonly<Record<string, string>>;
}
