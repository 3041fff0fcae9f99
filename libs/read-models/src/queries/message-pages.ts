import {
  type Content,
  Cursors,
  type PageRequest,
  type ProjectId,
  type Revision,
  type RunId,
  type SessionId,
  asSessionEvent,
  forkOf,
  isCount,
  isKnownType,
  knownSessionEvent,
  lengthOfAll,
  sessionStream,
} from '#domain';
import type { MessageType } from '#projections';
import type { ContentStore } from '#vault';
import type { EventLog, RecordedEvent } from '#event-log';
import { type Weigh, unweighed } from '#platform';
import type { HistoryRows } from '../postgres/history-rows.js';
import { requestedMessage } from '../projection/batch-changes.js';
import { HistoryPassage } from './history-passage.js';
import { LOG_PAGE_BYTES, requireUnerased } from './history-tail.js';
import { type FoldStart, PageFold, type PageMessage, type ToolEvent } from './page-fold.js';
import type { SessionLines } from './session-lines.js';
import type { WeighedPage } from './weighed-page.js';

/** A message as `GET /sessions/{session}/messages` shows it. */
export interface MessageItem {
  /** Of the event with which it begins, as streams show it. */
  readonly id: string;
  readonly type: MessageType;
  readonly content: string;
  /** Of a tool use: what was called, and with what. */
  readonly tool?: string;
  readonly input?: unknown;
  /** What the tool answered, as soon as that is there. */
  readonly output?: string;
  readonly run_id: RunId;
  readonly created_at: string;
}

export interface MessageQuery extends PageRequest {
  readonly project: ProjectId;
  readonly session: SessionId;
}

export interface MessagePagesPorts {
  readonly rows: Pick<HistoryRows, 'bounds' | 'past' | 'rest'>;
  readonly lines: Pick<SessionLines, 'partsOf' | 'changed'>;
  readonly log: EventLog;
  readonly content: ContentStore;
  /** Where a run was requested. @throws Problem not_found */
  readonly placeOf: (project: ProjectId, run: RunId) => Promise<{ readonly requested: Revision }>;
}

interface Place {
  /** Up to which messages were shown. */
  readonly shown: Revision;
  readonly after: Revision;
  /** Of the session of the line in which it is, as forks count; absent: the last. */
  readonly depth?: number;
}

const START: Place = { shown: -1, after: -1 };

const CURSORS = new Cursors<Place>(
  'messages',
  ({ after, shown, depth }) => (depth === undefined ? [after, shown] : [after, shown, depth]),
  ([after, shown, depth]) => {
    if (!(after === -1 || isCount(after)) || !isCount(shown) || after > shown) return null;
    if (depth === undefined) return { after, shown };
    return isCount(depth) ? { after, shown, depth } : null;
  },
);

/** A session of a line: all of the last one, of the others what the next was forked from. */
interface LinePart {
  readonly session: SessionId;
  readonly at?: Revision;
  readonly depth?: number;
  readonly isCleared?: boolean;
}

/**
 * A session's messages a page at a time, in the order of the conversation. The tables say where the history begins, the log
 * what stands in it: a page costs what it holds, wherever it is. In a fork it goes through the sessions of its line.
 */
export class MessagePages {
  constructor(private readonly ports: MessagePagesPorts) {}

  /** Of a session that is there and the project's. @throws Problem not_found, invalid_request; LogUnavailable */
  async *page(
    { project, session, limit, cursor }: MessageQuery,
    weigh: Weigh = unweighed,
  ): WeighedPage<MessageItem> {
    const place = CURSORS.decode(cursor, { session });
    const begin = await this.beginOf(session);
    let room = limit;
    let held = 0;
    let last: Place | null = null;
    for (const part of await this.partsFrom(session, place?.depth ?? null, place === null, begin.inherits)) {
      const isHere = place !== null && place.depth === part.depth;
      const { after, shown } = isHere ? place : START;
      const fold = await this.foldOf(part, { after, shown }, begin, { room, held }, weigh);
      yield* this.items(project, part.session, fold, weigh);
      const end = fold.page.at(-1);
      const depth = part.depth === undefined ? {} : { depth: part.depth };
      if (end !== undefined) last = { after: end.safe, shown: end.revision, ...depth };
      if (fold.hasMore) return last === null ? null : CURSORS.encode(last, { session });
      room -= fold.page.length;
      held = fold.weight;
    }
    return null;
  }

  /** The sessions of the line, from the one at the depth on, or the next that is still there. */
  private async partsFrom(
    session: SessionId,
    depth: number | null,
    isFirst: boolean,
    inherits: boolean,
  ): Promise<readonly LinePart[]> {
    const isInOthers = inherits && (isFirst || depth !== null);
    const others = isInOthers ? await this.ports.lines.partsOf(session) : [];
    return [...others.toReversed().filter((part) => part.depth >= (depth ?? 0)), { session }];
  }

  /** @throws LogUnavailable where another session of the line was erased since then, too */
  private async foldOf(
    part: LinePart,
    { after, shown }: Place,
    begin: HistoryBegin,
    { room, held }: { readonly room: number; readonly held: number },
    weigh: Weigh,
  ): Promise<PageFold> {
    try {
      const start = await this.startOf(part, after, begin);
      const fold = new PageFold(start, shown, room, held);
      await this.read(part, start, fold, weigh);
      return fold;
    } catch (error) {
      throw part.at === undefined ? error : this.ports.lines.changed([part], error);
    }
  }

  private async startOf(part: LinePart, after: Revision, begin: HistoryBegin): Promise<FoldStart> {
    if (part.at === undefined) return after > begin.after ? { after, isHidden: false } : begin;
    if (after >= 0) return { after, isHidden: false };
    const { log, rows } = this.ports;
    const passage = new HistoryPassage(log, rows, { ...part, at: part.at });
    return { after: await passage.beginOnLog(), isHidden: false };
  }

  private async *items(
    project: ProjectId,
    session: SessionId,
    fold: PageFold,
    weigh: Weigh,
  ): AsyncGenerator<readonly MessageItem[]> {
    const tools = await this.tools(session, fold.tools, weigh);
    for (const message of fold.page) {
      const { revision, run, at, type } = message;
      const content = await this.contentOf(project, session, message, weigh);
      const created_at = new Date(at).toISOString();
      yield [{ id: String(revision), type, content, ...tools.get(revision), run_id: run, created_at }];
    }
  }

  private async read(
    { session, at }: LinePart,
    { after }: FoldStart,
    fold: PageFold,
    weigh: Weigh,
  ): Promise<void> {
    const bound = at === undefined ? {} : { limit: at - after };
    if (bound.limit === 0) return;
    for await (const page of this.ports.log.readStream(sessionStream(session), { after, ...bound })) {
      requireUnerased(page);
      for (const event of page) {
        // Only a newer version knows it, and so what follows.
        if (!isKnownType(event.type)) return fold.finish();
        fold.push(asSessionEvent(event), event.time);
        if (fold.isComplete) return;
      }
      await weigh(LOG_PAGE_BYTES + fold.weight);
    }
    fold.finish();
  }

  /** Where the own history of a session begins: behind the last clear. */
  private async beginOf(session: SessionId): Promise<HistoryBegin> {
    const known = await this.ports.rows.bounds(session);
    const { foldedTo, isHidden, first } = known ?? { foldedTo: -1, isHidden: false, first: null };
    let inherits = known?.inherits ?? false;
    let claimedAt: Revision | null = null;
    // The claim of a run stands before its start, where its message is.
    let begin: FoldStart =
      first === null ? { after: foldedTo, isHidden } : { after: first - 2, isHidden: false };
    for await (const page of this.ports.log.readStream(sessionStream(session), { after: foldedTo }))
      for (const event of page) {
        const { type, revision } = event;
        if (type === 'run_claimed') claimedAt = revision;
        else if (type === 'agent_started') claimedAt = null;
        else if (type === 'session_opened') inherits = isFork(event);
        else if (type === 'messages_cleared') {
          begin = { after: (claimedAt ?? revision) - 1, isHidden: false };
          inherits = false;
        }
      }
    return { ...begin, inherits };
  }

  private async contentOf(
    project: ProjectId,
    session: SessionId,
    { pieces, run }: PageMessage,
    weigh: Weigh,
  ): Promise<string> {
    if (typeof pieces !== 'number') return this.textOf(session, pieces, weigh);
    const requested = pieces < 0 ? (await this.ports.placeOf(project, run)).requested : pieces;
    return this.textOf(session, [await requestedMessage(this.ports.log, session, requested)], weigh);
  }

  private async textOf(session: SessionId, pieces: readonly Content[], weigh: Weigh): Promise<string> {
    await weigh(lengthOfAll(pieces));
    let text = '';
    for (const piece of pieces) text += await this.ports.content.textOrNote(session, piece);
    return text;
  }

  /**
   * What is shown of each tool use, by its revision. A response does not say whose it is: those to calls of one tool come
   * in the order of the calls, and a workflow's own after those of its steps.
   */
  private async tools(
    session: SessionId,
    events: readonly ToolEvent[],
    weigh: Weigh,
  ): Promise<ReadonlyMap<Revision, ToolFields>> {
    const fields = new Map<Revision, ToolFields>();
    const waiting = new Map<string, Revision[]>();
    for (const { isResponse, run, revision, content } of events) {
      const { tool, input, content: output } = partsOf(await this.textOf(session, [content], weigh));
      const whose = `${run} ${tool}`;
      const calls = waiting.get(whose) ?? [];
      waiting.set(whose, calls);
      if (!isResponse) {
        fields.set(revision, { tool, input });
        calls.push(revision);
        continue;
      }
      const use = calls.shift();
      if (use !== undefined) fields.set(use, { ...fields.get(use)!, output: String(output) });
    }
    return fields;
  }
}

interface HistoryBegin extends FoldStart {
  /** What the session was forked from stands before it. */
  readonly inherits: boolean;
}

function isFork(opened: RecordedEvent): boolean {
  const event = knownSessionEvent(opened);
  return event?.type === 'session_opened' && forkOf(event.data) !== null;
}

interface ToolFields {
  readonly tool: string;
  readonly input: unknown;
  readonly output?: string;
}

/** The JSON text of a tool use or a response; where it does not open it is a note. */
function partsOf(text: string): { tool: string; input: unknown; content?: unknown } {
  try {
    return JSON.parse(text) as { tool: string; input: unknown };
  } catch {
    return { tool: '', input: null, content: text };
  }
}
