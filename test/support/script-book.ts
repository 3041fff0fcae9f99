import { type ChatRequest, indexOfTask, textOf } from '#demo-model';
import { type ScriptedTurn, say } from './scripted-turn.js';

/** What a run's turn is, by how often it was asked before. */
export type BookTurn = ScriptedTurn | ((attempt: number) => ScriptedTurn | Promise<ScriptedTurn>);

export interface Ask {
  /** The message of the run. */
  readonly message: string;
  /** 0 is the run's first turn. */
  readonly turn: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly request: ChatRequest;
}

const FORGOTTEN: ChatRequest = { model: '', messages: [] };

/**
 * The scripts of many runs, by their messages: what the model says depends on what it is told and on nothing else, so it
 * says the same to whichever process asks. A message without a script is answered with `You said: …`.
 */
export class ScriptBook {
  /** Every request, in order. */
  readonly asks: Ask[] = [];
  private readonly scripts = new Map<
    string,
    readonly BookTurn[] | ((turn: number) => BookTurn | undefined)
  >();

  /** What the model says in the runs with this message, turn by turn. Returns the message. */
  on(message: string, ...turns: readonly BookTurn[]): string {
    this.scripts.set(message, turns);
    return message;
  }

  /** The same for all messages with a script of their own making. */
  find: (message: string) => readonly BookTurn[] | undefined = () => undefined;

  /** For ScriptedModel. */
  readonly script = (request: ChatRequest): ScriptedTurn | Promise<ScriptedTurn> => {
    const at = indexOfTask(request.messages);
    const message = textOf(request.messages[at]);
    const turn = request.messages.slice(at).filter((m) => m.role === 'assistant').length;
    const attempt = this.asksOf(message, turn);
    this.asks.push({ message, turn, at: Date.now(), request });
    const script = this.scripts.get(message) ?? this.find(message);
    const wanted = typeof script === 'function' ? script(turn) : script?.[turn];
    if (wanted === undefined) return say(`You said: ${message.slice(0, 80)}`);
    return typeof wanted === 'function' ? wanted(attempt) : wanted;
  };

  /** How often a run's turn was asked for. */
  asksOf(message: string, turn: number): number {
    return this.asks.filter((ask) => ask.message === message && ask.turn === turn).length;
  }

  /** Keeps of what was asked that it was asked, and not with what: a session's every request holds its whole history. */
  forgetRequests(): void {
    for (const [n, ask] of this.asks.entries())
      if (ask.request !== FORGOTTEN) this.asks[n] = { ...ask, request: FORGOTTEN };
  }

  /** The last request of the runs with this message. */
  lastAsk(message: string): ChatRequest | undefined {
    return this.asks.findLast((ask) => ask.message === message)?.request;
  }
}
