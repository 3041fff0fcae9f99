import type { FoldedMessage, MessageType } from '#projections';
import { type ProjectId, type SessionId, type SessionMoment, lengthOfAll, notFound } from '#domain';
import type { ContentStore } from '#vault';
import type { EventLog } from '#event-log';
import { type Weigh, unweighed } from '#platform';
import type { HistoryRows, ProjectedHistory } from '../postgres/history-rows.js';
import { requestedMessage } from '../projection/batch-changes.js';
import { ReadModelsUnavailable } from '../unavailable.js';
import { HistoryPassage } from './history-passage.js';
import { HistoryTail } from './history-tail.js';
import type { InheritedPart, SessionLines } from './session-lines.js';
import type { SessionOwners } from './session-owners.js';

/** A message as `POST /get-messages` shows it. */
export interface MessageView {
  readonly type: MessageType;
  readonly content: string;
}

const NOTHING: ProjectedHistory = {
  foldedTo: -1,
  isHidden: false,
  inherits: false,
  messages: [],
  rest: null,
};

/** Parts of a line that are read at once, and how many messages such a part has at the most. */
const AHEAD = 8;
const SHORT_PART = 16;

/** A longer message is weighed by itself. */
const LONG_CHARS = 64 * 1024;

/**
 * The messages of a session: rows of what is projected and a fold of the stream behind them. Complete at the moment when
 * a client has seen an event, without waiting for the projection; without the database a fold of the whole stream.
 */
export class History {
  constructor(
    private readonly rows: HistoryRows,
    private readonly log: EventLog,
    private readonly content: ContentStore,
    private readonly owners: SessionOwners,
    private readonly lines: SessionLines,
  ) {}

  /**
   * In the order of the conversation, as it was at the moment of the first page; of a large history a page at a time is
   * in memory.
   * @throws Problem not_found; LogUnavailable; ReadModelsUnavailable where it was cleared between two pages
   */
  async *messages(
    project: ProjectId,
    session: SessionId,
    weigh: Weigh = unweighed,
  ): AsyncGenerator<readonly MessageView[]> {
    const projected = await this.projected(session);
    if (projected !== NOTHING) await this.owners.require(project, session, 'the session');
    const { foldedTo, isHidden, messages, rest } = projected;
    const tail = new HistoryTail(this.log, { session, foldedTo, isHidden }, weigh);
    await tail.look(({ meta }) => {
      if (projected === NOTHING && meta.project !== project) throw notFound('the session');
    });
    if (projected === NOTHING && tail.isEmpty) throw notFound('the session');
    if (!tail.isCleared) {
      if (projected.inherits || tail.isFork) yield* this.inherited(session, weigh);
      yield* this.views(session, messages, weigh);
      if (rest !== null) {
        await weigh(rest.pageBytes);
        for await (const page of this.rows.rest(session, rest)) yield* this.views(session, page, weigh);
      }
    }
    for await (const page of tail.messages()) yield* this.views(session, page, weigh);
  }

  /**
   * The same as of an event, as if nothing had happened after it; a page of the log at a time is in memory.
   * @throws Problem not_found: erased meanwhile; LogUnavailable
   */
  async *messagesAsOf(
    { session, at }: SessionMoment,
    weigh: Weigh = unweighed,
  ): AsyncGenerator<readonly MessageView[]> {
    const passage = new HistoryPassage(this.log, this.rows, { session, at });
    const isFork = await this.lines.isFork(session);
    if (isFork && !(await passage.isCleared())) yield* this.inherited(session, weigh);
    yield* this.ownAsOf({ session, at }, weigh);
  }

  /** What stands before the own part of a fork. */
  private async *inherited(session: SessionId, weigh: Weigh): AsyncGenerator<readonly MessageView[]> {
    const parts = (await this.lines.partsOf(session)).toReversed();
    const ahead: (Promise<readonly FoldedMessage[]> | null)[] = [];
    try {
      for (const [at, part] of parts.entries()) {
        while (ahead.length < Math.min(parts.length, at + AHEAD))
          ahead.push(this.shortPart(parts[ahead.length]!));
        const known = (await ahead[at]) ?? null;
        ahead[at] = null;
        if (known === null) yield* this.ownAsOf(part, weigh);
        else yield* this.views(part.session, known, weigh);
      }
    } catch (error) {
      throw this.lines.changed(parts, error);
    }
  }

  /** What is short is read before its turn has come: of many parts each waits for the log. null: it is not short. */
  private shortPart(part: InheritedPart): Promise<readonly FoldedMessage[]> | null {
    if (part.messages > SHORT_PART) return null;
    const passage = new HistoryPassage(this.log, this.rows, part);
    const read = Array.fromAsync(passage.messages(unweighed)).then((pages) => pages.flat());
    // Whoever waits for it hears of it.
    read.catch(() => undefined);
    return read;
  }

  private async *ownAsOf(moment: SessionMoment, weigh: Weigh): AsyncGenerator<readonly MessageView[]> {
    const passage = new HistoryPassage(this.log, this.rows, moment);
    for await (const page of passage.messages(weigh)) yield* this.views(moment.session, page, weigh);
  }

  private async projected(session: SessionId): Promise<ProjectedHistory> {
    try {
      return (await this.rows.read(session)) ?? NOTHING;
    } catch (error) {
      if (error instanceof ReadModelsUnavailable) return NOTHING;
      throw error;
    }
  }

  /** What has to be fetched is fetched when its turn has come, and alone. */
  private async *views(
    session: SessionId,
    messages: readonly FoldedMessage[],
    weigh: Weigh,
  ): AsyncGenerator<readonly MessageView[]> {
    let ready: MessageView[] = [];
    for (const { type, pieces } of messages) {
      const only = typeof pieces === 'number' || pieces.length !== 1 ? undefined : pieces[0];
      if (typeof only === 'string' && only.length < LONG_CHARS) {
        ready.push({ type, content: only });
        continue;
      }
      const contents =
        typeof pieces === 'number' ? [await requestedMessage(this.log, session, pieces)] : pieces;
      const bytes = lengthOfAll(contents);
      const isHere = contents.every((piece) => typeof piece === 'string');
      if (isHere && bytes < LONG_CHARS) ready.push({ type, content: contents.join('') });
      else {
        if (ready.length > 0) yield ready;
        ready = [];
        await weigh(bytes);
        let content = '';
        for (const piece of contents) content += await this.content.textOrNote(session, piece);
        yield [{ type, content }];
      }
    }
    if (ready.length > 0) yield ready;
  }
}
