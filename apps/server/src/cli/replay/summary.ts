import { formatDollars, parseDollars } from '#domain';
import { type Both, type Compared, type Outcome, isCompared } from './evaluation.js';

/** An evaluation in figures. Rates are shares of `compared`, 0 to 1; null where that is 0. */
export interface Summary {
  /** All that were chosen. */
  readonly runs: number;
  readonly compared: number;
  /** Chosen, and without an outcome. */
  readonly left: number;
  readonly not_replayed: number;
  /** Replays that ended otherwise than `completed`. */
  readonly failed: Share;
  readonly same_answer: Share;
  readonly same_tool_calls: Share;
  readonly same_final_output: Share;
  /** Runs whose replay made calls that the record holds no result of, and how many calls that were. */
  readonly drift: Share & { readonly calls: number };
  readonly cost: Both<string>;
  readonly usage: Both<Readonly<Record<string, number>>>;
  readonly median_ms: Both<number | null>;
}

export interface Share {
  readonly count: number;
  readonly rate: number | null;
}

export function summaryOf(outcomes: readonly Outcome[], runs: number): Summary {
  const compared = outcomes.filter(isCompared);
  const share = (isTrue: (one: Compared) => boolean): Share => {
    const count = compared.filter(isTrue).length;
    return { count, rate: compared.length === 0 ? null : count / compared.length };
  };
  return {
    runs,
    compared: compared.length,
    left: runs - outcomes.length,
    not_replayed: outcomes.length - compared.length,
    failed: share(({ status }) => status !== 'completed'),
    same_answer: share((one) => one.same_response),
    same_tool_calls: share((one) => one.same_tool_calls),
    same_final_output: share((one) => one.same_final_output),
    drift: { ...share(({ drift }) => drift > 0), calls: compared.reduce((sum, { drift }) => sum + drift, 0) },
    cost: both((side) =>
      formatDollars(compared.reduce((sum, { cost }) => sum + parseDollars(cost[side]), 0n)),
    ),
    usage: both((side) => usageOf(compared.map(({ usage }) => usage[side]))),
    median_ms: both((side) => median(compared.flatMap(({ ms }) => ms[side] ?? []))),
  };
}

/** The same for a reader. */
export function tableOf(summary: Summary): string {
  const { runs, left, not_replayed, drift, cost, usage, median_ms } = summary;
  const rows: readonly (readonly string[])[] = [
    ['runs', String(runs)],
    ['same answer', shareText(summary.same_answer)],
    ['same tool calls', shareText(summary.same_tool_calls)],
    ['same final output', shareText(summary.same_final_output)],
    ['drift', `${shareText(drift)}, calls: ${drift.calls}`],
    ['failed', shareText(summary.failed)],
    ['not replayed', String(not_replayed)],
    ...(left === 0 ? [] : [['left', String(left)]]),
    [],
    ['', 'then', 'replayed'],
    ['cost, USD', cost.a, cost.b],
    ...Object.keys({ ...usage.a, ...usage.b }).map((name) => [
      name.replaceAll('_', ' '),
      String(usage.a[name] ?? 0),
      String(usage.b[name] ?? 0),
    ]),
    ['median ms', ...[median_ms.a, median_ms.b].map((ms) => String(ms ?? '-'))],
  ];
  const lineOf = ([name = '', first = '', second = '']: readonly string[]): string =>
    `${name.padEnd(19)}${first.padEnd(16)}${second}`.trimEnd();
  return `${rows.map(lineOf).join('\n')}\n`;
}

const shareText = ({ count, rate }: Share): string =>
  rate === null ? String(count) : `${count} (${(rate * 100).toFixed(1)} %)`;

const both = <T>(of: (side: 'a' | 'b') => T): Both<T> => ({ a: of('a'), b: of('b') });

function usageOf(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const usage of all)
    for (const [name, count] of Object.entries(usage)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

/** Of an even number of values the mean of the two in the middle. */
function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}
