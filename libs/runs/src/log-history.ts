import { type HistoryPart, type HistoryQuestion, HistoryReader, READ_HISTORY } from '#agent';
import {
  type Content,
  type RecordedSessionEvent,
  type SessionId,
  givenHistory,
  inLine,
  isFileRef,
  knownSessionEvent,
  placeText,
  sessionStream,
} from '#domain';
import { HistoryFold, type HistoryMessage, type HistorySink } from '#projections';
import type { EventLog } from '#event-log';
import type { ContentStore } from '#vault';
import { readRequest } from './load-session.js';
import { type LinePart, partsFrom, partsOfLine } from './line-parts.js';

type Found = HistoryPart['messages'][number];

/** Reads what was said and returned in a session from its log, a page at a time: as much as an answer has room for. */
export class LogHistory extends HistoryReader {
  constructor(
    private readonly log: EventLog,
    private readonly contents: ContentStore,
  ) {
    super();
  }

  override async read(
    session: SessionId,
    question: HistoryQuestion,
    signal: AbortSignal,
  ): Promise<HistoryPart> {
    const answer = new Answer(question);
    const { since, from = since } = question;
    const parts = await partsOfLine(this.log, session, since);
    for (const part of partsFrom(parts, from, session))
      for await (const said of this.saidIn(part, session, signal)) {
        const text = await this.textOf(said, session);
        if (isOwnCall(said, text)) continue;
        const content = said.type === 'agent_tool_response' ? resultIn(text) : text;
        if (!answer.take({ id: said.id, type: said.type, content })) return answer.part;
      }
    return answer.part;
  }

  private async *saidIn(part: LinePart, own: SessionId, signal: AbortSignal): AsyncGenerator<Said> {
    const { session, from, upTo } = part;
    const sink = new SaidSink(from, session === own ? undefined : session);
    const fold = new HistoryFold(sink);
    // The claim of a run says where its message stands; it comes directly before its start.
    const range = from > 1 ? { after: from - 2 } : {};
    for await (const page of this.log.readStream(sessionStream(session), range)) {
      signal.throwIfAborted();
      for (const recorded of page) {
        const known = recorded.revision > upTo ? null : knownSessionEvent(recorded);
        if (known === null) continue;
        const event = session === own ? known : inLine(known, session);
        fold.push(event);
        if (!fold.hides) sink.response(event);
      }
      yield* this.withRequests(sink.take(), session, own);
      if ((page.at(-1)?.revision ?? upTo) >= upTo) break;
    }
    fold.finish();
    yield* this.withRequests(sink.take(), session, own);
  }

  /** A run's message stands in its request, which may lie before what was read. */
  private async *withRequests(
    all: readonly Said[],
    session: SessionId,
    own: SessionId,
  ): AsyncGenerator<Said> {
    for (const said of all) {
      if (said.requested === undefined) yield said;
      if (said.requested === undefined || said.requested < 0) continue;
      const request = await readRequest(this.log, sessionStream(session), said.requested);
      const event = session === own ? request : inLine(request, session);
      if (event.type !== 'run_requested') continue;
      const { message, items } = event.data;
      const asked = [{ type: 'user_message', pieces: [message] } as const];
      for (const found of items === undefined ? asked : givenHistory(items)) yield { ...said, ...found };
    }
  }

  private async textOf({ pieces }: Said, session: SessionId): Promise<string> {
    const texts: string[] = [];
    for (const piece of pieces)
      texts.push(isFileRef(piece) ? await this.contents.textOrNote(session, piece) : piece);
    return texts.join('');
  }
}

interface Said {
  readonly id: string;
  readonly type: Found['type'];
  readonly pieces: readonly Content[];
  /** Where the request stands that holds it. */
  readonly requested?: number;
}

/** Takes what the fold of the history finds, with what tools returned. */
class SaidSink implements HistorySink {
  private said: Said[] = [];

  /** @param from what begins before it is passed over @param session absent: the one that is asked for */
  constructor(
    private readonly from: number,
    private readonly session: SessionId | undefined,
  ) {}

  take(): readonly Said[] {
    const { said } = this;
    this.said = [];
    return said;
  }

  add({ type, revision, pieces }: HistoryMessage): void {
    if (type === 'agent_thinking' || revision < this.from) return;
    this.said.push({ id: this.idOf(revision), type, pieces });
  }

  addRequest(_run: string, revision: number, requested: number): void {
    if (revision < this.from) return;
    this.said.push({ id: this.idOf(revision), type: 'user_message', pieces: [], requested });
  }

  clear(): void {
    this.said = [];
  }

  response(event: RecordedSessionEvent): void {
    if (event.type !== 'agent_tool_response' || event.revision < this.from) return;
    this.said.push({ id: this.idOf(event.revision), type: event.type, pieces: [event.data.content] });
  }

  private idOf(revision: number): string {
    return placeText({ revision, ...(this.session === undefined ? {} : { session: this.session }) });
  }
}

/** What fits into one answer. */
class Answer {
  private readonly messages: Found[] = [];
  private next: string | null = null;
  private room: number;
  /** As it stands in a text, and as it stands in the JSON of a call. */
  private readonly query: { readonly plain: string; readonly json: string } | null;

  constructor(private readonly question: HistoryQuestion) {
    this.room = question.maxChars;
    const plain = question.query?.toLowerCase();
    this.query = plain === undefined ? null : { plain, json: JSON.stringify(plain).slice(1, -1) };
  }

  get part(): HistoryPart {
    return { messages: this.messages, next: this.next };
  }

  /** Returns whether there may be room for more. */
  take({ id, type, content }: Found): boolean {
    if (content === '') return true;
    const at = this.placeIn(content, type);
    if (at < 0) return true;
    const shown = shortened(content, at, this.question.maxMessageChars);
    if (this.messages.length >= this.question.limit || shown.length > this.room) {
      this.next = id;
      return false;
    }
    this.room -= shown.length;
    this.messages.push({ id, type, content: shown });
    return true;
  }

  /** -1: it does not hold what is looked for. */
  private placeIn(content: string, type: Found['type']): number {
    if (this.query === null) return 0;
    const lower = content.toLowerCase();
    const at = lower.indexOf(type === 'agent_tool_use' ? this.query.json : this.query.plain);
    return lower.length === content.length ? at : placeInCased(content, at);
  }
}

/** The place in a text of what stands at a place of the same in lower case, which may be longer. */
function placeInCased(text: string, place: number): number {
  let lower = 0;
  let at = 0;
  for (const character of text) {
    if (lower >= place) break;
    lower += character.toLowerCase().length;
    at += character.length;
  }
  return place < 0 ? place : at;
}

/** The part around what was looked for, of whole characters. */
function shortened(text: string, at: number, max: number): string {
  if (text.length <= max) return text;
  const first = Math.min(Math.max(0, at - Math.floor(max / 4)), text.length - max);
  // Of a pair that is cut neither half is shown.
  const start = isHalf(text, first) ? first + 1 : first;
  const end = isHalf(text, first + max) ? first + max - 1 : first + max;
  const part = text.slice(start, end).toWellFormed();
  return `[${text.length} characters, from ${start} on] ${part}`;
}

/** Whether a pair of surrogates stands around a place. */
const isHalf = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff;

/** What was looked up before is no part of what was said. */
function isOwnCall({ type }: Said, text: string): boolean {
  if (type !== 'agent_tool_use' && type !== 'agent_tool_response') return false;
  return text.startsWith(OWN_CALL);
}

const OWN_CALL = `{"tool":"${READ_HISTORY}",`;

/** What a tool returned, with its name: `content` of the event is JSON text of both. */
function resultIn(text: string): string {
  try {
    const { tool, content } = JSON.parse(text) as { readonly tool: string; readonly content: string };
    return `${tool}: ${content}`;
  } catch {
    return text;
  }
}
