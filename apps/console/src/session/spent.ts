import type { PicoDollars } from '#domain/browser';
import type { SessionModel } from './model.js';

/** Whether it is known what a run spent: with what was said, its calls of the model may have been erased. */
export const knowsSpent = ({ store }: SessionModel, { cost, modelCalls }: Spent): boolean =>
  store.state.value !== 'erased' || cost > 0n || modelCalls > 0;

interface Spent {
  readonly cost: PicoDollars;
  readonly modelCalls: number;
}
