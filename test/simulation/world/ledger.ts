/** What the outside world saw of the workers: effects of tools, questions to the model. The checkers read it. */
export interface Ledger {
  readonly effects: Effect[];
  readonly asks: Ask[];
  /** Toolboxes that are open, by worker. */
  readonly open: Map<string, Set<string>>;
}

export interface Effect {
  readonly tool: string;
  /** Unique to the call: it holds a hash of what the model was told. */
  readonly key: string;
  readonly session: string;
  readonly run: string;
  readonly worker: string;
  /** Position of the log's last event at that moment. */
  readonly at: number;
}

export interface Ask {
  readonly worker: string;
  /** The last user message. */
  readonly message: string;
  /** Turns of this run that stand in the prompt. */
  readonly turn: number;
  /** The model had found the whole prompt too long: what this one leaves out cannot be told. */
  readonly isCut: boolean;
  readonly at: number;
}

export const newLedger = (): Ledger => ({ effects: [], asks: [], open: new Map() });
