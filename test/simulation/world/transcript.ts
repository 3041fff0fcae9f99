import type { OnBusy, TaskCommand } from '#domain';
import type { Verdict } from './deciding-clients.js';
import type { Moment } from './ledger.js';

/** What clients sent and saw. With the log and the ledger it is all that the checkers read. */
export interface Transcript {
  readonly starts: StartRequest[];
  readonly commands: CommandRequest[];
  readonly taskCommands: TaskCommandRequest[];
  readonly erasures: EraseRequest[];
  readonly connections: Connection[];
  readonly verdicts: Verdict[];
}

/** A client's wish for a run, over all its tries. Its actor is its own, so the log tells what came of it. */
export interface StartRequest {
  readonly actor: string;
  readonly message: string;
  readonly session?: string;
  readonly onBusy: OnBusy;
  /** With an idempotency key, so that tries after the first are the same wish. */
  readonly isKeyed: boolean;
  tries: number;
  /** Of two at once, those that still wait for an answer: what the other was refused, they may have brought about. */
  unsettled: number;
  /** Absent while no try was answered. */
  answer?:
    | { readonly kind: 'started'; readonly session: string; readonly run: string; readonly requested: number }
    /** The service said that nothing was started: with which code to each that asked. */
    | { readonly kind: 'refused'; readonly codes: string[] };
  /** Another answer to the same wish. */
  others: { readonly session: string; readonly run: string; readonly requested: number }[];
}

export interface CommandRequest {
  readonly kind: 'cancel' | 'clear';
  readonly actor: string;
  readonly session: string;
  readonly run?: string;
  answer?:
    { readonly kind: 'done'; readonly at: number } | { readonly kind: 'refused'; readonly code: string };
}

export interface TaskCommandRequest {
  readonly command: TaskCommand;
  readonly task: string;
  readonly actor: string;
  answer?: NonNullable<CommandRequest['answer']>;
}

export interface EraseRequest {
  readonly actor: string;
  readonly session: string;
  tries: number;
  answer?:
    | {
        readonly kind: 'done';
        readonly events: number;
        /** The life that answered. */
        readonly worker: string;
        readonly answered: Moment;
      }
    | { readonly kind: 'refused'; readonly code: string };
}

/** One SSE connection: what was asked for and what came. */
export interface Connection {
  readonly began: Moment;
  readonly session: string;
  readonly run?: string;
  readonly after: number;
  readonly received: Received[];
  /** How it ended: by the server, by the client or the server's death, or not at all. */
  end: 'served' | 'cut' | 'open';
}

export interface Received {
  readonly id: number;
  readonly json: string;
  /** The last revision of the session that was on the log when the client saw this. */
  readonly stored: number;
}

export const newTranscript = (): Transcript => ({
  starts: [],
  commands: [],
  taskCommands: [],
  erasures: [],
  connections: [],
  verdicts: [],
});
