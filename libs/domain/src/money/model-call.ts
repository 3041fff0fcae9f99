import type { RunId } from '../ids.js';
import type { Mode } from '../run-config.js';
import { type PicoDollars, parseDollars } from './dollars.js';

/** What a model call was for. */
export type CallKind = 'turn' | 'step' | 'final_output' | 'compaction';

/** Tokens of a call. A part is contained in its whole; absent: the server said nothing of it. */
export interface TokenCounts {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_input_tokens?: number;
  readonly cache_write_tokens?: number;
  readonly reasoning_tokens?: number;
}

/** US dollars for a million tokens, decimal strings with six decimals at most. A part without a price costs `input`. */
export interface Price {
  readonly input: string;
  readonly output: string;
  readonly cached_input?: string;
  readonly cache_write?: string;
}

/** One call of a model of which something came back, also where it broke then. It holds no text: erasure leaves it. */
export interface ModelCall extends TokenCounts {
  readonly kind: CallKind;
  readonly mode: Mode;
  readonly model: string;
  /** The server did not count input or output, or nothing: about four characters a token. */
  readonly estimated?: true;
  /** The call ended before its answer did. */
  readonly broken?: true;
  /** The counts as the server named them, those of objects in it with a dot. */
  readonly reported: Readonly<Record<string, number>>;
  /** Characters of all that the model was told and offered; absent: an earlier version recorded it. */
  readonly request_chars?: number;
  /** null: there is none for this model, and the cost is 0. */
  readonly price: Price | null;
  readonly cost: string;
}

const MILLION = 1_000_000n;
const perToken = (price: string): PicoDollars => parseDollars(price) / MILLION;

/** What a call costs: exactly, since a token costs whole picodollars. */
export function costOf(counts: TokenCounts, price: Price): PicoDollars {
  const { cached_input_tokens: cached = 0, cache_write_tokens: written = 0 } = counts;
  const fresh = counts.input_tokens - cached - written;
  return (
    BigInt(fresh) * perToken(price.input) +
    BigInt(cached) * perToken(price.cached_input ?? price.input) +
    BigInt(written) * perToken(price.cache_write ?? price.input) +
    BigInt(counts.output_tokens) * perToken(price.output)
  );
}

/** Sums over model calls. A part that no call reported is null. */
export interface CallSums {
  readonly cost: PicoDollars;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly modelCalls: number;
  readonly estimatedCalls: number;
  readonly unpricedCalls: number;
}

export const NO_CALLS: CallSums = {
  cost: 0n,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
  modelCalls: 0,
  estimatedCalls: 0,
  unpricedCalls: 0,
};

export const withCall = (sums: CallSums, call: ModelCall): CallSums => ({
  cost: sums.cost + parseDollars(call.cost),
  inputTokens: sums.inputTokens + call.input_tokens,
  outputTokens: sums.outputTokens + call.output_tokens,
  cachedInputTokens: plus(sums.cachedInputTokens, call.cached_input_tokens),
  cacheWriteTokens: plus(sums.cacheWriteTokens, call.cache_write_tokens),
  reasoningTokens: plus(sums.reasoningTokens, call.reasoning_tokens),
  modelCalls: sums.modelCalls + 1,
  estimatedCalls: sums.estimatedCalls + (call.estimated ? 1 : 0),
  unpricedCalls: sums.unpricedCalls + (call.price === null ? 1 : 0),
});

const plus = (sum: number | null, count: number | undefined): number | null =>
  count === undefined ? sum : (sum ?? 0) + count;

/** The calls of a run with a model on a day (UTC): what is kept of them when their session is erased. */
export interface KeptCalls extends Omit<CallSums, 'cost'> {
  readonly run: RunId;
  /** Of the first of them, ms since 1970. */
  readonly time: number;
  readonly key: string;
  readonly mode: Mode;
  readonly model: string;
  /** Picodollars, as text. */
  readonly cost: string;
}

/** Sums as interfaces show them. */
export interface UsageView extends TokenCounts {
  readonly model_calls: number;
  readonly estimated_calls: number;
  readonly unpriced_calls: number;
}

export const usageView = (sums: CallSums): UsageView => ({
  input_tokens: sums.inputTokens,
  output_tokens: sums.outputTokens,
  ...(sums.cachedInputTokens === null ? {} : { cached_input_tokens: sums.cachedInputTokens }),
  ...(sums.cacheWriteTokens === null ? {} : { cache_write_tokens: sums.cacheWriteTokens }),
  ...(sums.reasoningTokens === null ? {} : { reasoning_tokens: sums.reasoningTokens }),
  model_calls: sums.modelCalls,
  estimated_calls: sums.estimatedCalls,
  unpriced_calls: sums.unpricedCalls,
});
