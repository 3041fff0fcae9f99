import { Injectable } from '@nestjs/common';
import {
  type Fork,
  type GivenItem,
  Problem,
  type ProjectId,
  type Revision,
  type SessionId,
  type SessionMoment,
  isIdle,
  isUnstoredRun,
  sessionStream,
} from '#domain';
import { EventLog } from '#event-log';
import { type ResponseRequest, decidesOn, refused } from '#openai-face';
import { Sessions, forkAt } from '#runs';
import { ConversationReading } from '../reading/conversation-reading.js';
import { type FoundResponse, ResponseReading } from '../reading/response-reading.js';
import { type WaitingResponse, WaitingRuns } from './waiting-runs.js';

/** From where a response goes on. */
export type ResponseBase =
  | { readonly kind: 'nothing' }
  /** Behind all that is under way in the session, or at its very end. */
  | { readonly kind: 'session'; readonly session: SessionId; readonly goesOnAt?: Revision }
  | { readonly kind: 'fork'; readonly from: SessionMoment }
  /** A run that waits goes on, or did so with the same decisions. */
  | { readonly kind: 'waiting'; readonly waiting: WaitingResponse };

const decides = ({ kind }: GivenItem): boolean => kind === 'result' || kind === 'decision';

/** Events that change nothing of what is said. */
const SILENT: ReadonlySet<string> = new Set([
  'session_forked',
  'response_deleted',
  'conversation_metadata_set',
]);

/** Finds where a response is to go on. */
@Injectable()
export class ResponseBases {
  constructor(
    private readonly responses: ResponseReading,
    private readonly conversations: ConversationReading,
    private readonly sessions: Sessions,
    private readonly log: EventLog,
    private readonly waiting: WaitingRuns,
  ) {}

  /** @throws Problem not_found, invalid_request; LogUnavailable */
  async of(
    project: ProjectId,
    { previous, conversation, isStored }: ResponseRequest,
    items: readonly GivenItem[],
  ): Promise<ResponseBase> {
    if (conversation !== undefined) {
      if (!isStored) throw refused('invalid_value', 'store', 'store: false does not go with conversation');
      return this.inConversation(project, await this.conversations.find(project, conversation), items);
    }
    const found = previous === undefined ? null : await this.previous(project, previous);
    const waiting = found === null ? null : await this.waiting.of(found);
    if (waiting?.followedBy === null) return { kind: 'waiting', waiting };
    // A client may send all that came since with a base that stays the same: the decision on that is history then.
    const decided = items.some(decides)
      ? ((await this.waiting.byValue(project, items, found)) ?? waiting)
      : null;
    if (decided !== null) return { kind: 'waiting', waiting: decided };
    return found === null ? { kind: 'nothing' } : this.behind(found, isStored);
  }

  /** What a session begins with that goes on from there. @throws Problem not_found, unprocessable; LogUnavailable */
  fork(from: SessionMoment): Promise<Fork> {
    return forkAt(this.log, from);
  }

  private async inConversation(
    project: ProjectId,
    session: SessionId,
    items: readonly GivenItem[],
  ): Promise<ResponseBase> {
    const open = await this.waiting.ofSession(session);
    const isDecided = open?.passage.waits.some(decidesOn(items, session)) === true;
    const waiting =
      isDecided || !items.some(decides)
        ? open
        : ((await this.waiting.again(project, session, items)) ?? open);
    return waiting === null ? { kind: 'session', session } : { kind: 'waiting', waiting };
  }

  /** @throws Problem previous_response_not_found */
  private async previous(project: ProjectId, id: string): Promise<FoundResponse> {
    try {
      const found = await this.responses.find(project, id);
      // What is not stored is about to be erased.
      if (isUnstoredRun(found.place.run)) throw notFoundBefore(id);
      await this.responses.read(found);
      return found;
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
      throw notFoundBefore(id);
    }
  }

  private async behind(found: FoundResponse, isStored: boolean): Promise<ResponseBase> {
    const { end } = await this.responses.read(found);
    if (end === null)
      throw refused(
        'previous_response_not_finished',
        'previous_response_id',
        `Previous response with id '${found.id}' has not ended.`,
      );
    const { session } = found.place;
    const last = isStored ? await this.lastIfNothingCame(session, end.revision) : null;
    if (last === null) return { kind: 'fork', from: { session, at: end.revision } };
    return { kind: 'session', session, goesOnAt: last };
  }

  /** The session's last event, where nothing was said or asked for behind this one; null: something was. */
  private async lastIfNothingCame(session: SessionId, after: Revision): Promise<Revision | null> {
    const { state } = (await this.sessions.get(session)).journal;
    if (!isIdle(state)) return null;
    let last = after;
    for await (const page of this.log.readStream(sessionStream(session), { after }))
      for (const { type, revision } of page) {
        if (!SILENT.has(type)) return null;
        last = revision;
      }
    return last;
  }
}

const notFoundBefore = (id: string): Problem =>
  refused(
    'previous_response_not_found',
    'previous_response_id',
    `Previous response with id '${id.slice(0, 100)}' not found.`,
  );
