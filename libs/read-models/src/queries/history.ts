import {
  type Content,
  HistoryFold,
  type HistorySink,
  type MessageType,
  UnknownEventType,
  asSessionEvent,
  notFound,
  sessionStream,
} from '#domain';
import type { ContentStore, EventLog, RecordedEvent } from '#event-log';
import type { HistoryRows, ProjectedHistory } from '../postgres/history-rows.js';
import { requestedMessage } from '../projection/batch-changes.js';
import { ReadModelsUnavailable } from '../unavailable.js';
import type { SessionOwners } from './session-owners.js';

/** A message as `POST /get-messages` shows it. */
export interface MessageView {
  readonly type: MessageType;
  readonly content: string;
}

interface FoldedMessage {
  readonly type: MessageType;
  /** A number: the revision of the `run_requested` that holds the message. */
  readonly pieces: readonly Content[] | number;
}

const NOTHING: ProjectedHistory = { foldedTo: -1, isHidden: false, messages: [] };

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
  ) {}

  /** In the order of the conversation. @throws Problem not_found; LogUnavailable */
  async messages(project: string, session: string): Promise<readonly MessageView[]> {
    const projected = await this.projected(session);
    if (projected !== NOTHING) await this.owners.require(project, session, 'the session');
    const tail = new HistoryTail(projected);
    for await (const page of this.log.readStream(sessionStream(session), { after: projected.foldedTo })) {
      if (projected === NOTHING && page[0]?.meta.project !== project) throw notFound('the session');
      if (page.some(({ isErased, type }) => isErased || type === 'session_erased'))
        throw notFound('the session');
      if (!tail.push(page)) break;
    }
    if (projected === NOTHING && tail.isEmpty) throw notFound('the session');
    return Promise.all(tail.finish().map((message) => this.view(session, message)));
  }

  private async projected(session: string): Promise<ProjectedHistory> {
    try {
      return (await this.rows.read(session)) ?? NOTHING;
    } catch (error) {
      if (error instanceof ReadModelsUnavailable) return NOTHING;
      throw error;
    }
  }

  private async view(session: string, { type, pieces }: FoldedMessage): Promise<MessageView> {
    const contents =
      typeof pieces === 'number' ? [await requestedMessage(this.log, session, pieces)] : pieces;
    if (contents.every((piece) => typeof piece === 'string')) return { type, content: contents.join('') };
    const texts = await Promise.all(contents.map((piece) => this.content.text(session, piece)));
    return { type, content: texts.join('') };
  }
}

/** The fold of what the tables do not know yet. */
class HistoryTail implements HistorySink {
  isEmpty = true;
  private messages: FoldedMessage[];
  private readonly fold: HistoryFold;

  constructor(projected: ProjectedHistory) {
    this.messages = [...projected.messages];
    this.fold = new HistoryFold(this, { isHidden: projected.isHidden });
  }

  /** False: no further. What follows an event that is unknown here is not known either, as for the projection. */
  push(page: readonly RecordedEvent[]): boolean {
    this.isEmpty &&= page.length === 0;
    try {
      for (const event of page) this.fold.push(asSessionEvent(event));
      return true;
    } catch (error) {
      if (error instanceof UnknownEventType) return false;
      throw error;
    }
  }

  finish(): readonly FoldedMessage[] {
    this.fold.finish();
    return this.messages;
  }

  add({ type, pieces }: FoldedMessage): void {
    this.messages.push({ type, pieces });
  }

  addRequest(_run: string, _revision: number, requested: number): void {
    this.messages.push({ type: 'user_message', pieces: requested });
  }

  clear(): void {
    this.messages = [];
  }
}
