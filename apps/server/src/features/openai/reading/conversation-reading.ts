import { Injectable } from '@nestjs/common';
import {
  type Content,
  type ProjectId,
  type RunMetadata,
  type SessionId,
  isOfUnstored,
  notFound,
} from '#domain';
import { type ConversationItem, SessionFace, conversationId, sessionOfConversation } from '#openai-face';
import type { Weigh } from '#platform';
import { Sessions } from '#runs';
import { summed } from './event-texts.js';
import { LineEvents } from './line-events.js';
import type { FoundResponse } from './response-reading.js';

const UNKNOWN = (): Error => notFound('the conversation');

/** Reads sessions as conversations. */
@Injectable()
export class ConversationReading {
  constructor(
    private readonly lines: LineEvents,
    private readonly sessions: Sessions,
  ) {}

  /** Its session. @throws Problem not_found; LogUnavailable */
  async find(project: ProjectId, id: string): Promise<SessionId> {
    const session = sessionOfConversation(id);
    if (session === null) throw UNKNOWN();
    return this.findSession(project, session);
  }

  /** The same of a session. That of a response that is not stored is nothing else. */
  async findSession(project: ProjectId, session: SessionId): Promise<SessionId> {
    const found = await this.sessions.get(session).catch((error: unknown) => {
      throw (error as { readonly code?: string }).code === 'not_found' ? UNKNOWN() : error;
    });
    const { state } = found.journal;
    if (state.project !== project || isOfUnstored(state)) throw UNKNOWN();
    return session;
  }

  async object(session: SessionId, weigh?: Weigh): Promise<object> {
    let createdAt: number | null = null;
    let metadata: Content = '{}';
    for await (const { event, session: of } of this.lines.of(session, weigh)) {
      if (of !== session) continue;
      createdAt ??= event.time;
      if (event.type === 'conversation_metadata_set') ({ metadata } = event.data);
    }
    return {
      id: conversationId(session),
      object: 'conversation',
      created_at: Math.floor((createdAt ?? 0) / 1000),
      metadata: JSON.parse(metadata as string) as RunMetadata,
    };
  }

  /** All that was given and said, in order. @throws Problem not_found; what `weigh` throws */
  async items(session: SessionId, weigh?: Weigh): Promise<readonly ConversationItem[]> {
    return (await this.face(session, weigh)).items();
  }

  /** The session with its runs. @throws as `items` */
  async face(session: SessionId, weigh?: Weigh): Promise<SessionFace> {
    const face = new SessionFace();
    for await (const { event, session: of } of this.lines.of(session, summed(weigh))) face.push(event, of);
    return face;
  }

  /** What stood before the output of a response, what it was given last. @throws as `items` */
  async before(
    { place: { session, run }, passage: number }: FoundResponse,
    weigh?: Weigh,
  ): Promise<readonly ConversationItem[]> {
    const face = new SessionFace();
    for await (const { event, session: of } of this.lines.of(session, summed(weigh))) {
      face.push(event, of);
      const passage = face.run(run)?.passages[number - 1];
      if (passage !== undefined && passage.end !== null) return face.before(passage);
    }
    const passage = face.run(run)?.passages[number - 1];
    if (passage === undefined) throw notFound('the response');
    return face.before(passage);
  }
}
