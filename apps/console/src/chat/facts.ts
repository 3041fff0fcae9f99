import { type RecordedSessionEvent, foldView, formatDollars } from '#domain/browser';
import type { RunStatus } from '../api/types.js';

/** What the head of a chat says of its session. */
export interface ChatFacts {
  /** The run under way, or that was asked for last; null: there was none. */
  readonly run: string | null;
  readonly status: RunStatus | null;
  /** A message that is sent now does not start at once. */
  readonly isBusy: boolean;
  /** It is being cancelled. */
  readonly isCancelling: boolean;
  /** US dollars, a decimal. */
  readonly cost: string;
  readonly outputTokens: number;
}

/** @param events of the session, from the first on */
export function factsOf(session: string, events: readonly RecordedSessionEvent[]): ChatFacts {
  const { runs, state, spent } = foldView(session, events);
  const { current, waiting } = state;
  const shown = runs.find(({ listed }) => listed.run === current?.run) ?? runs.at(-1);
  return {
    run: shown?.listed.run ?? null,
    status: shown?.listed.status ?? null,
    isBusy: current !== null || waiting.length > 0,
    isCancelling: current?.isCancelRequested ?? false,
    cost: formatDollars(spent.cost),
    outputTokens: spent.outputTokens,
  };
}

/** What the button says: what becomes of a message that is sent now. */
export function sendWord(isBusy: boolean, onBusy: string): 'Send' | 'Queue' | 'Steer' {
  if (!isBusy) return 'Send';
  if (onBusy === 'enqueue') return 'Queue';
  return onBusy === 'steer' ? 'Steer' : 'Send';
}
