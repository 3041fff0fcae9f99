import {
  AppendOutcomeUnknown,
  type AppendResult,
  EventLog,
  type Expected,
  LogUnavailable,
  type NewEvent,
  type ReadOptions,
} from '#event-log';
import type { Gate } from './scripted-turn.js';

/** What becomes of an append; `store` is the real log's. */
export type Outcome = (store: () => Promise<AppendResult>) => Promise<AppendResult>;

export const stored: Outcome = (store) => store();
export const unavailable: Outcome = () => Promise.reject(new LogUnavailable('scripted'));
/** Nothing is stored, and nobody knows. */
export const lost: Outcome = () => Promise.reject(new AppendOutcomeUnknown('scripted'));
/** It is stored, and nobody knows. */
export const answerLost: Outcome = async (store) => {
  await store();
  throw new AppendOutcomeUnknown('scripted');
};
/** It is stored when the gate is opened. */
export const heldBy =
  (gate: Gate): Outcome =>
  async (store) => {
    await gate.arrive();
    return store();
  };
/** Somebody else is faster. */
export const behind =
  (rival: () => Promise<unknown>): Outcome =>
  async (store) => {
    await rival();
    return store();
  };

export interface SeenAppend {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: readonly NewEvent[];
  readonly types: readonly string[];
}

/** A real log, whose appends have the outcomes that the test says; without one they are stored. */
export class ScriptedLog extends EventLog {
  /** Every append that was asked for, in order. */
  readonly appends: SeenAppend[] = [];
  /** Appends under way, and the most there ever were at once. */
  inFlight = 0;
  mostInFlight = 0;
  /** How many times a stream was read, and how many events that gave. */
  reads = 0;
  eventsRead = 0;
  isReadable = true;
  /** Others write to it, too. */
  isShared = false;
  /** The n-th reads of a stream, from 1, that do not see beyond a revision. */
  lag: { readonly stream: string; readonly upTo: number; readonly reads: readonly number[] } | null = null;
  private lagged = 0;
  /** Of the reads of streams whose names begin so, the one after `passed` others waits for the gate. */
  hold: { readonly prefix: string; passed: number; readonly gate: Gate } | null = null;
  private readonly outcomes: Outcome[] = [];

  constructor(private readonly real: EventLog) {
    super();
  }

  next(...outcomes: readonly Outcome[]): void {
    this.outcomes.push(...outcomes);
  }

  override get logId(): string {
    return this.real.logId;
  }

  override get exclusive(): boolean {
    return !this.isShared && this.real.exclusive;
  }

  override async append(
    stream: string,
    events: readonly NewEvent[],
    options: { expected: Expected },
  ): Promise<AppendResult> {
    this.appends.push({ stream, events, expected: options.expected, types: events.map((e) => e.type) });
    this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight);
    try {
      const outcome = this.outcomes.shift() ?? stored;
      return await outcome(() => this.real.append(stream, events, options));
    } finally {
      this.inFlight--;
    }
  }

  override async *readStream(stream: string, options?: ReadOptions) {
    this.reads++;
    if (!this.isReadable) throw new LogUnavailable('scripted');
    if (this.hold && stream.startsWith(this.hold.prefix) && this.hold.passed-- === 0)
      await this.hold.gate.arrive();
    const isLagging = this.lag?.stream === stream && this.lag.reads.includes(++this.lagged);
    const upTo = isLagging ? (this.lag?.upTo ?? Infinity) : Infinity;
    for await (const whole of this.real.readStream(stream, options)) {
      const page = upTo === Infinity ? whole : whole.filter(({ revision }) => revision <= upTo);
      this.eventsRead += page.length;
      if (page.length > 0) yield page;
    }
  }

  override readAll(options?: { after?: number; limit?: number }) {
    return this.real.readAll(options);
  }

  override subscribeStream(stream: string, options: { after?: number; signal: AbortSignal }) {
    return this.real.subscribeStream(stream, options);
  }

  override subscribeAll(options: { after?: number; prefixes?: readonly string[]; signal: AbortSignal }) {
    return this.real.subscribeAll(options);
  }

  override head(): Promise<number> {
    return this.real.head();
  }

  override health() {
    return this.real.health();
  }

  override close(): Promise<void> {
    return this.real.close();
  }
}
