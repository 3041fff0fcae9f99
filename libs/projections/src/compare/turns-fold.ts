import {
  type Content,
  type RecordedSessionEvent,
  type SessionEvent,
  type TurnToolCall,
  lengthOf,
  lengthOfAll,
} from '#domain/browser';

/** A turn of a run: a finished one of the main agent or, as a run's last, what was said of one that was never finished. */
export interface RunTurn {
  /** Its text, in the pieces in which the log holds it. */
  readonly response: readonly Content[];
  readonly calls: readonly TurnToolCall[];
}

type TurnData = Extract<SessionEvent, { type: 'model_turn_completed' }>['data'];

/**
 * Folds the events of one run into its turns. What was said of a turn that broke counts only where no turn came after it:
 * one that was asked again takes its place. Workflow steps and answers to the request for the final output are no turns.
 */
export class TurnsFold {
  private text: Content[] = [];
  /** The text is that of a turn that broke. */
  private isBroken = false;
  private output: Content | null = null;

  /** JSON text of the final output, the last one where it was given more than once; null: none. */
  get finalOutput(): Content | null {
    return this.output;
  }

  /** What it holds: characters of texts, bytes of files. */
  get weight(): number {
    return lengthOfAll(this.text) + (this.output === null ? 0 : lengthOf(this.output));
  }

  /** Takes the next event. Returns the turn that it completes, or null. */
  push(event: RecordedSessionEvent): RunTurn | null {
    if (event.type === 'model_turn_completed') return this.complete(event.data);
    // A claim comes before the first turn, too, or behind a wait: then nothing was said of one.
    if (event.type === 'run_claimed' || event.type === 'model_turn_failed') this.isBroken = true;
    else if (event.type === 'agent_final_output') this.output = event.data.content;
    else if (event.type === 'agent_response') {
      this.dropBroken();
      this.text.push(event.data.content);
    }
    return null;
  }

  /** What was said of a turn that was not finished; null: nothing. */
  finish(): RunTurn | null {
    const response = this.takeText();
    return response.length === 0 ? null : { response, calls: [] };
  }

  private complete({ step, final_output: isFinal, tool_calls: calls = [] }: TurnData): RunTurn | null {
    if (step !== undefined || isFinal) return null;
    this.dropBroken();
    return { response: this.takeText(), calls };
  }

  private dropBroken(): void {
    if (this.isBroken) this.takeText();
  }

  private takeText(): Content[] {
    const { text } = this;
    this.text = [];
    this.isBroken = false;
    return text;
  }
}
