/** What a replay changes of every run: the body of `POST /runs/{id}/replay`. */
export interface Changes {
  readonly mode?: string;
  readonly model?: string;
  readonly system?: string;
  readonly rules?: readonly string[];
  readonly tools: 'recorded' | 'none';
}

/** Which runs are replayed, and with what: the same for all the calls that fill one file. */
export interface Evaluation {
  /** ISO 8601, of `created_at`; from inclusive, to exclusive. */
  readonly from: string;
  readonly to: string;
  readonly session?: string;
  readonly status: 'completed' | 'failed' | 'cancelled' | 'all';
  readonly changes: Changes;
}

export interface Both<T> {
  /** Of the run. */
  readonly a: T;
  /** Of its replay. */
  readonly b: T;
}

export interface Compared {
  readonly run: string;
  readonly replay: string;
  /** How the replay ended. */
  readonly status: string;
  readonly same_response: boolean;
  readonly same_tool_calls: boolean;
  readonly same_final_output: boolean;
  /** Calls that the record holds no result of. */
  readonly drift: number;
  /** US dollars, as decimal text. */
  readonly cost: Both<string>;
  readonly usage: Both<Readonly<Record<string, number>>>;
  /** null: it never started. */
  readonly ms: Both<number | null>;
  /** Why the replay failed. */
  readonly error?: object;
}

/** A run that could not be replayed, or whose replay could not be compared. */
export interface Refused {
  readonly run: string;
  readonly replay: string | null;
  readonly status: null;
  readonly error: { readonly code: string; readonly message: string };
}

/** What became of a run: one line of the file. */
export type Outcome = Compared | Refused;

export const isCompared = (outcome: Outcome): outcome is Compared => outcome.status !== null;
