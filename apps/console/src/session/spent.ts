import type { PicoDollars } from '#domain/browser';
import type { SessionModel } from './model.js';

interface Spent {
  readonly cost: PicoDollars;
  readonly inputTokens: number;
}

/** Whether it is known what a run spent: what its calls of the model say of that is erased with what was said. */
export const knowsSpent = ({ store }: SessionModel, { cost, inputTokens }: Spent): boolean =>
  store.state.value !== 'erased' || cost > 0n || inputTokens > 0;
