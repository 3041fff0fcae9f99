import type { Receipt } from './receivers.js';
import type { StepPrompt } from './script.js';

/** What the outside world saw of the workers: effects of tools, questions to the model. The checkers read it. */
export interface Ledger {
  readonly effects: Effect[];
  readonly asks: Ask[];
  /** Summaries that the model gave. */
  readonly summaries: string[];
  /** Calls of tools that were begun, whatever became of them. */
  readonly calls: Call[];
  /** What arrived at receivers of callbacks. */
  readonly receipts: Receipt[];
  /** Runs whose receiver answers nothing but failures. */
  readonly down: Set<string>;
  /** So often a receiver fails for one event at most. */
  readonly mostFailures: number;
  /** Toolboxes that are open, by worker. */
  readonly open: Map<string, Set<string>>;
}

export interface Effect {
  readonly tool: string;
  /** Unique to the call: it holds a hash of what the model was told. */
  readonly key: string;
  readonly worker: string;
  /** Position of the log's last event at that moment. */
  readonly at: number;
  /** What the tool's server was reached with; null: the tool is the service's own. */
  readonly token: string | null;
}

/** When something was begun. */
export interface Moment {
  readonly step: number;
  /** In ms since 1970. */
  readonly time: number;
}

export interface Call {
  readonly key: string;
  readonly worker: string;
  readonly began: Moment;
}

export interface Ask {
  readonly worker: string;
  readonly began: Moment;
  /** The last user message. */
  readonly message: string;
  /** Turns of this run that stand in the prompt. */
  readonly turn: number;
  readonly at: number;
  /** null: the main agent is asked. */
  readonly step: StepPrompt | null;
  /** What the model answers. */
  readonly text: string;
  /** As JSON. */
  readonly calls: string;
  /** What it is told, without the system message: each message as JSON. */
  readonly told: readonly string[];
}

export const newLedger = (mostFailures: number): Ledger => ({
  effects: [],
  asks: [],
  summaries: [],
  calls: [],
  receipts: [],
  down: new Set(),
  mostFailures,
  open: new Map(),
});
