import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type ChatMessage, chatMessage } from '#projections';
import {
  type Content,
  type ContextMessage,
  type ProjectId,
  type Revision,
  type SessionId,
  isSessionId,
  lengthOf,
  notFound,
} from '#domain';
import { FairSemaphore, type Weigh } from '#platform';
import { SessionQueries, SessionsAsOf } from '#read-models';
import { ContextsAsOf } from '#runs';
import { ContentStore } from '#vault';
import { jsonItems } from '../../edge/answers/json-items.js';
import { LargeAnswers } from '../../edge/answers/large-answer.js';

/** A session, and the event of it that is asked about; absent: it is asked for as it is now. */
export interface AskedMoment {
  readonly session: SessionId;
  readonly at?: Revision | undefined;
}

/** What a session is or was, written while it is read. */
@Injectable()
export class SessionAnswers {
  /** For contexts: one is folded at a stretch, and many of them side by side would keep everybody waiting. */
  private readonly turns = new FairSemaphore({ room: 2, roomEach: 1 });

  constructor(
    private readonly now: SessionQueries,
    private readonly past: SessionsAsOf,
    private readonly large: LargeAnswers,
    private readonly contexts: ContextsAsOf,
    private readonly contents: ContentStore,
  ) {}

  /** @throws Problem not_found, unprocessable, overloaded; LogUnavailable; ReadModelsUnavailable */
  async session(project: ProjectId, { session, at }: AskedMoment, reply: FastifyReply): Promise<void> {
    // The tables are not asked for what they cannot hold, such as U+0000.
    if (!isSessionId(session)) throw notFound('the session');
    const { now, past } = this;
    reply.code(200);
    await this.large.send(reply, project, async function* (weigh) {
      const view =
        at === undefined
          ? await now.get(project, session)
          : await past.session(await past.moment(project, session, at), weigh);
      yield JSON.stringify(view);
    });
  }

  /** One that was opened just now: from the log, before the tables know it. @throws the same */
  async opened(project: ProjectId, session: SessionId, reply: FastifyReply): Promise<void> {
    const { past } = this;
    reply.code(201);
    await this.large.send(reply, project, async function* (weigh) {
      yield JSON.stringify(await past.session(await past.moment(project, session), weigh));
    });
  }

  /** @throws the same */
  async context(project: ProjectId, { session, at }: AskedMoment, reply: FastifyReply): Promise<void> {
    const moment = await this.past.moment(project, session, at);
    const { contexts, turns } = this;
    const views = (messages: readonly ContextMessage[], weigh: Weigh) => this.views(session, messages, weigh);
    reply.code(200);
    await this.large.send(reply, project, async function* (weigh) {
      const messages = await turns.within(project, async () =>
        reply.raw.destroyed ? [] : contexts.of(moment, weigh),
      );
      yield '{"messages":[';
      yield* jsonItems(views(messages, weigh));
      yield ']}';
    });
  }

  /** What lies in a file is fetched when its turn has come, and alone. */
  private async *views(
    session: SessionId,
    messages: readonly ContextMessage[],
    weigh: Weigh,
  ): AsyncGenerator<readonly ChatMessage[]> {
    const held = messages.reduce(
      (sum, { content }) => sum + (typeof content === 'string' ? content.length : 0),
      0,
    );
    for (const message of messages) {
      const { content } = message;
      if (typeof content !== 'string') await weigh(held + lengthOf(content));
      const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
      const texts = new Map<Content, string>();
      for (const each of [content, ...calls.map((call) => call.arguments)])
        texts.set(each, await this.contents.textOrNote(session, each));
      yield [chatMessage(message, (each) => texts.get(each) ?? '')];
    }
  }
}
