import { Injectable } from '@nestjs/common';
import { type GivenItem, Problem, type ProjectId, type SessionId, sessionOfAction } from '#domain';
import {
  type Passage,
  type RunFace,
  type SessionFace,
  decidedBy,
  decidesOn,
  givenOf,
  isSameDecision,
  repeatedBy,
  repeats,
  sessionOfItem,
} from '#openai-face';
import { Sessions } from '#runs';
import { AnswerRoom } from '../../../edge/answers/answer-room.js';
import { ConversationReading } from '../reading/conversation-reading.js';
import { FaceEvents, type FacePlace } from '../reading/face-events.js';
import { type FoundResponse, ResponseReading } from '../reading/response-reading.js';

/** A response that waits to be decided on, or was decided on since. */
export interface WaitingResponse {
  readonly place: FacePlace;
  readonly face: RunFace;
  readonly passage: Passage;
  /** The response that followed, by its number; null: it still waits. */
  readonly followedBy: number | null;
}

/** Finds responses that wait for somebody. */
@Injectable()
export class WaitingRuns {
  constructor(
    private readonly events: FaceEvents,
    private readonly responses: ResponseReading,
    private readonly conversations: ConversationReading,
    private readonly sessions: Sessions,
    private readonly room: AnswerRoom,
  ) {}

  /** null: it does not wait for anybody, and never has. @throws Problem not_found */
  async of({ place, passage: number }: FoundResponse): Promise<WaitingResponse | null> {
    const face = await this.responses.wholeRun(place);
    const passage = face.passages[number - 1];
    if (passage === undefined || passage.waits.length === 0) return null;
    const isLast = face.passages.length === number;
    if (isLast && face.hasEnded) return null;
    return { place, face, passage, followedBy: isLast ? null : number + 1 };
  }

  /** That of the run under way in a session; null: it does not wait. */
  async ofSession(session: SessionId): Promise<WaitingResponse | null> {
    const { current } = (await this.sessions.get(session)).journal.state;
    if (current === null || current.actions.length === 0) return null;
    const place = await this.events.placeFrom(session, current.run, current.requested);
    const face = await this.responses.wholeRun(place);
    const passage = face.current;
    if (passage === null || passage.waits.length === 0 || face.hasEnded || passage.end === null) return null;
    return { place, face, passage, followedBy: null };
  }

  /**
   * The response that items decide on, or have decided on before, which with the base that they name repeat just what its session
   * held then; null: there is none. @param base what they go on from; null: nothing
   */
  async byValue(
    project: ProjectId,
    items: readonly GivenItem[],
    base: FoundResponse | null,
  ): Promise<WaitingResponse | null> {
    for (const session of sessionsDecidedOn(items)) {
      const found = await this.decidedIn(project, session, items, base);
      if (found !== null) return found.isRepeated ? found.waiting : null;
    }
    return null;
  }

  /** The response of a session that items have decided on before in the same way; null: there is none. */
  again(
    project: ProjectId,
    session: SessionId,
    items: readonly GivenItem[],
  ): Promise<WaitingResponse | null> {
    return this.withFace(project, session, async (face) => {
      const waiting = await this.decidedOn(face, session, items);
      const isKnown = waiting !== null && waiting.followedBy !== null;
      return isKnown && isOpenOrSame(waiting, items, heldBy(face, waiting).filter(isGiven)) ? waiting : null;
    });
  }

  /** What its session held when it was decided on, or holds where it was not yet. */
  held(project: ProjectId, waiting: WaitingResponse): Promise<readonly GivenItem[]> {
    return this.withFace(project, waiting.place.session, (face) => heldBy(face, waiting).filter(isGiven));
  }

  /** null: the project has no such session, or nothing there is decided on. */
  private async decidedIn(
    project: ProjectId,
    session: SessionId,
    items: readonly GivenItem[],
    base: FoundResponse | null,
  ): Promise<{ readonly waiting: WaitingResponse; readonly isRepeated: boolean } | null> {
    try {
      await this.conversations.findSession(project, session);
      return await this.withFace(project, session, async (face) => {
        const waiting = await this.decidedOn(face, session, items);
        return waiting && { waiting, isRepeated: isRepeatedBy(items, face, waiting, base) };
      });
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
      return null;
    }
  }

  /** A few words of a request have a whole session read: it takes its part of the room while it is looked at. */
  private async withFace<T>(
    project: ProjectId,
    session: SessionId,
    use: (face: SessionFace) => T | Promise<T>,
  ): Promise<T> {
    const share = this.room.share(project, NEVER);
    try {
      return await use(await this.conversations.face(session, share.weigh));
    } finally {
      share.release();
    }
  }

  /** The newest response of a session that one of the items decides on. */
  private async decidedOn(
    session: SessionFace,
    id: SessionId,
    items: readonly GivenItem[],
  ): Promise<WaitingResponse | null> {
    const isDecidedOn = decidesOn(items, id);
    const passage = session.passages.findLast(
      ({ waits, beginning }) => beginning.session === id && waits.some(isDecidedOn),
    );
    const face = passage && session.run(passage.beginning.run);
    if (!passage || !face?.request) return null;
    const { run, number } = passage.beginning;
    const next = face.passages[number];
    if (next === undefined ? face.hasEnded : session.isDeleted(next)) return null;
    const place = await this.events.placeFrom(id, run, face.request.revision);
    return { place, face, passage, followedBy: next === undefined ? null : number + 1 };
  }
}

/** Each is read whole, and a body has room for the names of thousands; a talk goes through few. */
const MOST_SESSIONS = 8;

/** The sessions of what items decide on, the last of them first; none where they go on behind their decisions. */
function sessionsDecidedOn(items: readonly GivenItem[]): readonly SessionId[] {
  const last = items.findLastIndex((item) => sessionDecidedBy(item) !== null);
  const goesOn = items.slice(last + 1).some((item) => item.kind === 'message' && item.role === 'assistant');
  if (goesOn) return [];
  const sessions = items.map(sessionDecidedBy).filter((session) => session !== null);
  return [...new Set(sessions.reverse())].slice(0, MOST_SESSIONS);
}

function sessionDecidedBy(item: GivenItem): SessionId | null {
  if (item.kind === 'decision') return sessionOfAction(item.action);
  return item.kind === 'result' ? sessionOfItem(item.id) : null;
}

const NEVER = new AbortController().signal;

/** Whether items repeat just what the session held behind what they go on from, and decide as was decided. */
function isRepeatedBy(
  items: readonly GivenItem[],
  face: SessionFace,
  waiting: WaitingResponse,
  base: FoundResponse | null,
): boolean {
  const held = heldBy(face, waiting);
  const before = base === null ? 0 : lengthThrough(face, base);
  const given = repeatedBy(items, waiting.passage.waits, waiting.place.session);
  return (
    before !== null &&
    given !== null &&
    repeats(held.slice(before).filter(isGiven), given) &&
    isOpenOrSame(waiting, items, held.filter(isGiven))
  );
}

const isGiven = (item: GivenItem | null): item is GivenItem => item !== null;

/** null: what is read and not used. */
function heldBy(
  face: SessionFace,
  { place: { run }, followedBy }: WaitingResponse,
): readonly (GivenItem | null)[] {
  const next = followedBy === null ? undefined : face.run(run)?.passages[followedBy - 1];
  return ((next && face.itemsBefore(next)) ?? face.items()).map(givenOf);
}

/** How many items the session held when a response of it, or of what it was forked from, had ended; null: it is of neither. */
function lengthThrough(face: SessionFace, { place, passage }: FoundResponse): number | null {
  const ended = face.run(place.run)?.passages[passage - 1];
  return (ended && face.itemsThrough(ended)?.length) ?? null;
}

/** Whether the response is still to be decided on, or was in the same way. */
function isOpenOrSame(
  { place, face, passage: { waits }, followedBy }: WaitingResponse,
  items: readonly GivenItem[],
  held: readonly GivenItem[],
): boolean {
  const followed = followedBy === null ? undefined : face.passages[followedBy - 1];
  if (followed === undefined) return true;
  try {
    return isSameDecision(decidedBy(items, waits, place.session, held), waits, followed);
  } catch (error) {
    // Not all is decided that was then.
    if (error instanceof Problem) return false;
    throw error;
  }
}
