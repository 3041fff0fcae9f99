import {
  NO_SESSION,
  type RecordedSessionEvent,
  type SessionState,
  evolveSession,
  formatDollars,
} from '#domain/browser';
import { RunRecords } from '#projections';
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

/** Folds a session's events, from the first on, into what the head says. */
export class ChatFactsFold {
  private readonly records = new RunRecords();
  private state: SessionState = NO_SESSION;
  private last: string | null = null;
  private cost = 0n;
  private outputTokens = 0;

  constructor(private readonly session: string) {}

  push(event: RecordedSessionEvent): void {
    const { run } = event.meta;
    const before = this.spentOf(run);
    this.records.push(this.session, event);
    const after = this.spentOf(run);
    this.cost += after.cost - before.cost;
    this.outputTokens += after.outputTokens - before.outputTokens;
    this.state = evolveSession(this.state, event);
    if (event.type === 'run_requested') this.last = run ?? null;
  }

  get now(): ChatFacts {
    const { current, waiting } = this.state;
    const run = current?.run ?? this.last;
    return {
      run,
      status: run === null ? null : (this.records.get(run)?.status ?? null),
      isBusy: current !== null || waiting.length > 0,
      isCancelling: current?.isCancelRequested ?? false,
      cost: formatDollars(this.cost),
      outputTokens: this.outputTokens,
    };
  }

  private spentOf(run: string | undefined) {
    return (run === undefined ? undefined : this.records.get(run)?.spent) ?? NOTHING_SPENT;
  }
}

const NOTHING_SPENT = { cost: 0n, outputTokens: 0 };

export const NO_FACTS: ChatFacts = new ChatFactsFold('').now;

/** What the button says: what becomes of a message that is sent now. */
export function sendWord(isBusy: boolean, onBusy: string): 'Send' | 'Queue' | 'Steer' {
  if (!isBusy) return 'Send';
  if (onBusy === 'enqueue') return 'Queue';
  return onBusy === 'steer' ? 'Steer' : 'Send';
}
