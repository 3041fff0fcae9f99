import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type ProjectId, lengthOf } from '#domain';
import { Clock } from '#platform';
import { type ActionEntry, ActionQueries, type ActionQuery, type WeighedPage } from '#read-models';
import { ContentStore } from '#vault';
import { PageAnswers } from '../../edge/answers/page-answers.js';
import { type ActionView, actionView } from '../runs/shared/action-view.js';

/** Answers with actions, of which only those that are being written are in memory. */
@Injectable()
export class ActionAnswers {
  constructor(
    private readonly queries: ActionQueries,
    private readonly contents: ContentStore,
    private readonly clock: Clock,
    private readonly pages: PageAnswers,
  ) {}

  /** @throws as ActionQueries.list; Problem overloaded */
  list(reply: FastifyReply, query: ActionQuery): Promise<void> {
    return this.pages.list(reply, query.project, (weigh) => this.views(this.queries.list(query, weigh)));
  }

  /** @throws what `find` throws; Problem overloaded */
  one(reply: FastifyReply, project: ProjectId, find: () => Promise<ActionEntry>): Promise<void> {
    return this.pages.one(reply, project, async (weigh) => {
      const action = await find();
      await weigh(lengthOf(action.asked) + lengthOf(action.resolved?.content ?? ''));
      return this.view(action);
    });
  }

  private async *views(page: WeighedPage<ActionEntry>): WeighedPage<ActionView> {
    for (;;) {
      const { value, done } = await page.next();
      if (done === true) return value;
      yield await Promise.all(value.map((action) => this.view(action)));
    }
  }

  private view(action: ActionEntry): Promise<ActionView> {
    return actionView(action, this.contents, this.clock.now());
  }
}
