import { type Content, isFileRef, notFound, sessionStream, type RunId, type SessionId } from '#domain';
import type { ContentStore } from '#vault';
import type { EventLog, RecordedEvent } from '#event-log';
import type { Weigh } from '#platform';

/** UTF-16 units of a turn's text that are kept; of more it is remembered where it stands. */
const KEPT_CHARS = 16 * 1024;

/** The visible text of a turn: its pieces, or where they stand on the log, for as long as nobody asks for them. */
export class ResponseText {
  private kept: string[] | null = [];
  private chars = 0;
  private first: number | null = null;
  private last = -1;

  constructor(private readonly run: RunId) {}

  get isEmpty(): boolean {
    return this.chars === 0;
  }

  /** An `agent_response` of the run. */
  add(event: RecordedEvent): void {
    const { content = '' } = event.data as { readonly content?: Content };
    this.first ??= event.revision;
    this.last = event.revision;
    this.chars += isFileRef(content) ? content.bytes : content.length;
    if (isFileRef(content) || this.chars > KEPT_CHARS) this.kept = null;
    else this.kept?.push(content);
  }

  /** Its text, piece by piece. @throws Problem not_found: the session is erased; LogUnavailable; what `weigh` throws */
  async *pieces(
    { log, contents }: { readonly log: EventLog; readonly contents: ContentStore },
    session: SessionId,
    weigh: Weigh,
  ): AsyncGenerator<string> {
    if (this.kept !== null) return yield this.kept.join('');
    const after = (this.first ?? 0) - 1;
    for await (const page of log.readStream(sessionStream(session), { after })) {
      for (const event of page) {
        if (event.isErased === true) throw notFound('the session');
        if (event.revision > this.last) return;
        if (event.type !== 'agent_response' || event.meta.run !== this.run || event.isUnreadable) continue;
        const { content } = event.data as { readonly content: Content };
        if (isFileRef(content)) await weigh(content.bytes);
        yield await contents.textOrNote(session, content);
      }
    }
  }
}

/**
 * The visible text of a run's last turn, from its events in their order. A turn that is taken again has said nothing; one
 * that says nothing leaves what the turn before it said.
 */
export class FinalText {
  private turn: ResponseText;
  private last: ResponseText;

  constructor(private readonly run: RunId) {
    this.turn = new ResponseText(run);
    this.last = new ResponseText(run);
  }

  /** An event of the run that can be read. */
  push(event: RecordedEvent): void {
    if (event.type === 'agent_response') this.turn.add(event);
    else if (event.type === 'model_turn_failed' || event.type === 'run_claimed') this.beginTurn();
    else if (event.type === 'agent_step') {
      this.last = this.turn;
      this.beginTurn();
    }
  }

  get text(): ResponseText {
    return this.turn.isEmpty ? this.last : this.turn;
  }

  private beginTurn(): void {
    this.turn = new ResponseText(this.run);
  }
}

/** The inside of the JSON text of pieces that are one text; a pair of surrogates may be parted between two. */
export async function* insideOfJson(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let carried = '';
  for await (const piece of pieces) {
    const text = carried + piece;
    const last = text.charCodeAt(text.length - 1);
    carried = last >= 0xd800 && last <= 0xdbff ? text.slice(-1) : '';
    yield JSON.stringify(text.slice(0, text.length - carried.length)).slice(1, -1);
  }
  if (carried !== '') yield JSON.stringify(carried).slice(1, -1);
}
