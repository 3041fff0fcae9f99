import {
  type Content,
  type RecordedSessionEvent,
  type Revision,
  type RunId,
  isEndType,
  lengthOfAll,
} from '#domain';
import { HistoryFold, type HistoryMessage, type HistorySink } from '#projections';

/** A message of a page, its texts where they lie. */
export interface PageMessage {
  readonly type: HistoryMessage['type'];
  readonly run: RunId;
  /** Where it begins. */
  readonly revision: Revision;
  /** ms since 1970, of that event. */
  readonly at: number;
  /** A number: the revision of the `run_requested` that holds the text; -1: it stands before what was folded. */
  readonly pieces: readonly Content[] | Revision;
  /** After which revision a fold starts that shows this message and what follows it as this one does. */
  readonly safe: Revision;
}

/** A tool use, or a response to one of the same run. */
export interface ToolEvent {
  readonly isResponse: boolean;
  readonly run: RunId;
  readonly revision: Revision;
  readonly content: Content;
}

export interface FoldStart {
  /** What follows it is folded. */
  readonly after: Revision;
  readonly isHidden: boolean;
}

/** A page ends before its messages hold more than this. */
const PAGE_CHARS = 1024 * 1024;

/** Folds a stream into the messages that begin behind a revision, as many as a page holds. Owns them. */
export class PageFold implements HistorySink {
  /** Of the turns that the page is about, in their order. */
  tools: ToolEvent[] = [];
  private messages: PageMessage[] = [];
  private readonly fold: HistoryFold;
  private now = { revision: -1, time: 0 };
  /** When the block that is open began, and what was safe then: a claim may stand in its middle. */
  private begun: { readonly time: number; readonly safe: Revision };
  private safe: Revision;
  private chars: number;
  /** Revision of the last end of a turn or run. */
  private turnEnd = -1;
  private isFull = false;

  /**
   * @param shown what begins up to here is not told
   * @param held what the page holds of text already
   */
  constructor(
    { after, isHidden }: FoldStart,
    private readonly shown: Revision,
    private readonly limit: number,
    private readonly held = 0,
  ) {
    this.safe = after;
    this.begun = { time: 0, safe: after };
    this.chars = held;
    this.fold = new HistoryFold(this, { isHidden });
  }

  push(event: RecordedSessionEvent, time: number): void {
    const { type, revision, meta } = event;
    this.now = { revision, time };
    this.fold.push(event);
    if (type === 'agent_response_start' || type === 'agent_thinking_start')
      this.begun = { time, safe: this.safe };
    // A run's claim tells where its message is; behind a turn no call waits for its response.
    else if (type === 'run_claimed') this.safe = revision - 1;
    else if (type === 'agent_step' || isEndType(type)) this.safe = this.turnEnd = revision;
    else if (type === 'agent_tool_use' || type === 'agent_tool_response') {
      const isResponse = type === 'agent_tool_response';
      this.tools.push({ isResponse, run: meta.run ?? '', revision, content: event.data.content });
    }
  }

  finish(): void {
    this.fold.finish();
  }

  get page(): readonly PageMessage[] {
    return this.messages;
  }

  get hasMore(): boolean {
    return this.isFull;
  }

  /** Whether the page is whole, and what its tools answered has come. */
  get isComplete(): boolean {
    if (!this.isFull) return false;
    const lastUse = this.messages.findLast(({ type }) => type === 'agent_tool_use');
    return lastUse === undefined || this.turnEnd > lastUse.revision;
  }

  /** What the page holds of text. */
  get weight(): number {
    return this.chars;
  }

  add({ type, run, revision, pieces }: HistoryMessage): void {
    const isNow = revision === this.now.revision;
    const { time: at, safe } = isNow ? { time: this.now.time, safe: this.safe } : this.begun;
    this.keep({ type, run, revision, at, pieces, safe });
  }

  addRequest(run: RunId, revision: Revision, requested: Revision): void {
    const { safe, now } = this;
    this.keep({ type: 'user_message', run, revision, at: now.time, pieces: requested, safe });
  }

  clear(): void {
    this.messages = [];
    this.tools = [];
    this.chars = this.held;
    this.isFull = false;
  }

  private keep(message: PageMessage): void {
    if (message.revision <= this.shown || this.isFull) return;
    const { pieces } = message;
    const chars = typeof pieces === 'number' ? 0 : lengthOfAll(pieces);
    const { length } = this.messages;
    const isFirst = length === 0 && this.held === 0;
    this.isFull = length >= this.limit || (!isFirst && this.chars + chars > PAGE_CHARS);
    if (this.isFull) return;
    this.messages.push(message);
    this.chars += chars;
  }
}
