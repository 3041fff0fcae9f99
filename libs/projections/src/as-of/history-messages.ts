import type { Content, RecordedSessionEvent, Revision, RunId } from '#domain/browser';
import { HistoryFold, type HistoryMessage, type HistorySink, type MessageType } from '../history.js';

export interface FoldedMessage {
  readonly type: MessageType;
  /** A number: the revision of the `run_requested` that holds the message; -1: nobody can tell which. */
  readonly pieces: readonly Content[] | Revision;
}

/** Folds a session's events into the messages of its history, to be taken as they come. Owns those that nobody took. */
export class HistoryMessages implements HistorySink {
  private messages: FoldedMessage[] = [];
  private readonly fold: HistoryFold;

  /** @param from what begins before this revision is passed over */
  constructor(
    isHidden = false,
    private readonly from: Revision = -1,
  ) {
    this.fold = new HistoryFold(this, { isHidden });
  }

  push(event: RecordedSessionEvent): void {
    this.fold.push(event);
  }

  /** Those that are complete since the last call. */
  take(): readonly FoldedMessage[] {
    const { messages } = this;
    this.messages = [];
    return messages;
  }

  /** The same, with the block that is still being written. */
  finish(): readonly FoldedMessage[] {
    this.fold.finish();
    return this.take();
  }

  add({ type, revision, pieces }: HistoryMessage): void {
    if (revision >= this.from) this.messages.push({ type, pieces });
  }

  addRequest(_run: RunId, revision: Revision, requested: Revision): void {
    if (revision >= this.from) this.messages.push({ type: 'user_message', pieces: requested });
  }

  clear(): void {
    this.messages = [];
  }
}
