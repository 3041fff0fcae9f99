import { type Draft, type LeftOut, SHARE, sizeOfAll } from '#domain';
import type { ModelTurn, TurnRequest } from '../model/model-turn.js';
import { TurnFailed } from '../model/turn-failed.js';
import { CONTEXT_BUDGETS, type ContextBudgets } from './context-budgets.js';
import type { RunRecord } from './run-record.js';
import { SummaryText, SummaryTooLong, askForSummary } from './summary-text.js';

/** Past this part of its budget a context is compacted before the next turn. */
const FULL = 0.8;

/**
 * Keeps a run's context within its budget: what is too old is told to the model as a summary, or not at all. Between two
 * compactions each request begins with the one before, so servers can keep what they have read.
 *
 * 1. It happens between two turns only, so no call is parted from its result.
 * 2. The log holds it before the model is asked with what is left.
 * 3. What goes wrong with a summary ends no run: then the oldest turns are left out.
 */
export class Compaction {
  /** A summary could not be had, and nothing was left out for it: it is not asked for again. */
  private isGivenUp = false;

  constructor(
    private readonly record: RunRecord,
    private readonly turn: ModelTurn,
    private readonly budgets: ContextBudgets = CONTEXT_BUDGETS,
  ) {}

  /**
   * Asks for a turn, with room for it, when the log holds all that is told: after a crash the next request begins as this one
   * did. @param request made anew when the context has changed
   */
  async ask<T>(
    request: () => TurnRequest,
    take: (request: TurnRequest) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    await this.record.settled();
    const { model } = this.record.state;
    const { scale, messages } = this.record.context;
    if (scale.tokensOf(model, sizeOfAll(messages)) > this.budget * FULL)
      await this.compact(request(), this.budgetChars, this.mayAsk, signal);
    return this.untilItFits(request, take, signal);
  }

  /** Asks, and again with less where the model finds the context too long. @throws TurnFailed */
  async untilItFits<T>(
    request: () => TurnRequest,
    take: (request: TurnRequest) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    for (let mayAsk = this.mayAsk; ; mayAsk = false) {
      try {
        return await take(request());
      } catch (error) {
        if (!(error instanceof TurnFailed) || error.code !== 'context_too_long') throw error;
        // Whatever the budget says: so much is too long.
        const size = Math.min(this.budgetChars, sizeOfAll(this.record.messages));
        const isDone = await this.compact(request(), size, mayAsk, signal, error);
        if (!isDone) throw error;
      }
    }
  }

  private get budget(): number {
    return this.budgets[this.record.state.mode];
  }

  private get budgetChars(): number {
    return this.record.context.scale.charsOf(this.record.state.model, this.budget);
  }

  private get mayAsk(): boolean {
    return this.record.state.config.compaction !== false && !this.isGivenUp;
  }

  /** Returns whether there is more room. */
  private async compact(
    request: TurnRequest,
    budget: number,
    isSummed: boolean,
    signal: AbortSignal,
    failure?: TurnFailed,
  ): Promise<boolean> {
    const { record } = this;
    // Only then it is known where on the log the turns end.
    await record.settled();
    const plan = record.context.planned({ budget, isSummed });
    if (plan === null) return false;
    if (!isSummed) return this.write(plan, '', [], failure);
    const { text, calls } = await this.summaryOf(request, budget, signal);
    // It was paid for, whether there is a turn behind it or not.
    if (signal.aborted && calls.length > 0) record.write(calls);
    signal.throwIfAborted();
    if (text !== '') return this.write(plan, text, calls, failure);
    const rest = record.context.planned({ budget, isSummed: false });
    this.isGivenUp = rest === null;
    if (rest !== null) return this.write(rest, '', calls, failure);
    if (calls.length > 0) record.write(calls);
    return false;
  }

  /** Invariant 2. */
  private async write(
    left: LeftOut,
    summary: string,
    calls: readonly Draft[],
    failure?: TurnFailed,
  ): Promise<true> {
    const { record } = this;
    const content = await record.contents.store(record.session, summary);
    const failed: readonly Draft[] =
      failure === undefined
        ? []
        : [{ type: 'model_turn_failed', data: { attempt: 1, error: failure.message } }];
    record.write([...failed, { type: 'agent_compacted', data: { content, ...left } }, ...calls]);
    await record.settled();
    return true;
  }

  /** Invariant 3: an empty text where the model gives none that is worth it. */
  private async summaryOf(
    request: TurnRequest,
    budget: number,
    signal: AbortSignal,
  ): Promise<{ readonly text: string; readonly calls: readonly Draft[] }> {
    const room = Math.floor(budget / SHARE);
    const output = new SummaryText(room);
    const messages = [...request.messages, askForSummary(room)];
    const { forcedTool: _, ...turn } = request;
    const asked = { ...turn, kind: 'compaction' as const, messages, output, toolChoice: 'none' as const };
    try {
      const { calls } = await this.turn.take(asked, signal);
      return { text: output.summary, calls };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof TurnFailed || error instanceof SummaryTooLong) return { text: '', calls: [] };
      throw error;
    }
  }
}
