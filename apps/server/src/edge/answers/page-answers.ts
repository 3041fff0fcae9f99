import { Injectable } from '@nestjs/common';
import type { ProjectId } from '#domain';
import type { FastifyReply } from 'fastify';
import type { Weigh } from '#platform';
import type { WeighedPage } from '#read-models';
import { jsonItems } from './json-items.js';
import { LargeAnswers } from './large-answer.js';

/** Answers with a list's page, of which only the items that are being written are in memory. */
@Injectable()
export class PageAnswers {
  constructor(private readonly large: LargeAnswers) {}

  /** @throws what `page` throws; Problem overloaded */
  list(reply: FastifyReply, project: ProjectId, page: (weigh: Weigh) => WeighedPage<object>): Promise<void> {
    reply.code(200);
    return this.large.send(reply, project, (weigh) => piecesOf(page(weigh)));
  }

  /** One item. @throws as `list` */
  one(reply: FastifyReply, project: ProjectId, item: (weigh: Weigh) => Promise<object>): Promise<void> {
    reply.code(200);
    return this.large.send(reply, project, async function* (weigh) {
      yield JSON.stringify(await item(weigh));
    });
  }
}

async function* piecesOf(page: WeighedPage<object>): AsyncGenerator<string> {
  yield '{"items":[';
  const next = yield* jsonItems(page);
  yield `],"next_cursor":${JSON.stringify(next)}}`;
}
