import { type PicoDollars, parseDollars } from '#domain';
import type { ShowProgress } from '../progress.js';
import { type Outcome, isCompared } from './evaluation.js';
import { BudgetSpent } from './replay-run.js';

export interface Work {
  /** The runs that have no outcome yet. */
  readonly runs: readonly string[];
  readonly parallel: number;
  readonly budget: PicoDollars | null;
  readonly replay: (run: string, stopping: AbortSignal) => Promise<Outcome>;
  readonly stopping: AbortSignal;
}

/**
 * Replays the runs, `parallel` at once, and adds what becomes of each to `outcomes`. Once the replays have cost the budget,
 * or a budget of the service is spent, none is started; what is under way is waited for, since it costs the same either way.
 * Returns what the service said of its budget; null: nothing.
 * @throws what a replay throws, when the others have stopped
 */
export async function replayAll(
  { runs, parallel, budget, replay, stopping }: Work,
  outcomes: { readonly done: ReadonlyMap<string, Outcome>; readonly add: (outcome: Outcome) => void },
  show: ShowProgress,
): Promise<BudgetSpent | null> {
  const broken = new AbortController();
  const signal = AbortSignal.any([stopping, broken.signal]);
  let spent = costOf(outcomes.done.values());
  const before = outcomes.done.size;
  const left = [...runs].reverse();
  let ended = 0;
  let refusal: BudgetSpent | null = null;
  show(before);
  const isOver = (): boolean => signal.aborted || refusal !== null || (budget !== null && spent >= budget);
  const work = async (): Promise<void> => {
    while (!isOver()) {
      const run = left.pop();
      if (run === undefined) return;
      const outcome = await replay(run, signal);
      outcomes.add(outcome);
      spent += costOf([outcome]);
      show(before + ++ended);
    }
  };
  const works = Array.from({ length: parallel }, () =>
    work().catch((error: unknown) => {
      if (error instanceof BudgetSpent) return void (refusal = error);
      broken.abort(error);
      throw error;
    }),
  );
  const settled = await Promise.allSettled(works);
  if (stopping.aborted) return null;
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw broken.signal.reason;
  return refusal;
}

/** What the replays of these have cost. */
export const costOf = (outcomes: Iterable<Outcome>): PicoDollars =>
  Array.from(outcomes, (outcome) => (isCompared(outcome) ? parseDollars(outcome.cost.b) : 0n)).reduce(
    (sum, cost) => sum + cost,
    0n,
  );
