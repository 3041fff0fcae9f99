import { Injectable } from '@nestjs/common';
import { type GivenItem, Problem, type ProjectId, type SessionId, sessionOfAction } from '#domain';
import {
  type Passage,
  type RunFace,
  callIdOf,
  firstDecision,
  givenOf,
  repeats,
  sessionOfItem,
} from '#openai-face';
import { Sessions } from '#runs';
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
   * The response that items decide on which, with the base that they name, repeat just what its session holds; null: there is
   * none. @param base what they go on from; null: nothing
   */
  async byValue(
    project: ProjectId,
    items: readonly GivenItem[],
    base: FoundResponse | null,
  ): Promise<WaitingResponse | null> {
    const session = await this.decidedIn(project, items);
    if (session === null || (base !== null && base.place.session !== session)) return null;
    const waiting = await this.ofSession(session);
    if (waiting === null) return null;
    const first = firstDecision(items, waiting.passage.waits, session);
    if (first < 0) return null;
    const all = (await this.conversations.items(session)).map(givenOf);
    const before = base === null ? 0 : await this.conversations.lengthUpTo(base);
    const held = all.slice(before).filter((item) => item !== null);
    const given = items.slice(0, first).concat(repeated(items.slice(first), waiting, session));
    return repeats(held, given) ? waiting : null;
  }

  /** What the session holds. */
  async held(session: SessionId): Promise<readonly GivenItem[]> {
    return (await this.conversations.items(session)).map(givenOf).filter((item) => item !== null);
  }

  /** The project's session with an open wait that one of the items is about. */
  private async decidedIn(project: ProjectId, items: readonly GivenItem[]): Promise<SessionId | null> {
    for (const item of items) {
      const session = sessionDecidedBy(item);
      if (session === null) continue;
      try {
        return await this.conversations.findSession(project, session);
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
      }
    }
    return null;
  }
}

/** Calls may stand between the decisions: each directly before its own. */
function repeated(
  items: readonly GivenItem[],
  { passage: { waits } }: WaitingResponse,
  session: SessionId,
): readonly GivenItem[] {
  const ids = new Set(waits.map((call) => callIdOf(call, session)));
  return items.filter((item) => item.kind === 'call' && ids.has(item.id));
}

function sessionDecidedBy(item: GivenItem): SessionId | null {
  if (item.kind === 'decision') return sessionOfAction(item.action);
  return item.kind === 'result' ? sessionOfItem(item.id) : null;
}
