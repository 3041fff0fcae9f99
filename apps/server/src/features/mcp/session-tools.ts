import { Injectable } from '@nestjs/common';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { MessagePages, SessionQueries } from '#read-models';
import { Sessions } from '#runs';
import { AnswerRoom } from '../../edge/answers/answer-room.js';
import { validated } from '../../edge/validation/validate.js';
import { dataResult } from './results.js';
import type { ToolCall } from './run-tools.js';
import { ListSessionsDto, ReadSessionDto } from './tool-arguments.dto.js';
import { Weighing } from './weighing.js';

/** The tools that read sessions. */
@Injectable()
export class SessionTools {
  constructor(
    private readonly sessions: Sessions,
    private readonly pages: MessagePages,
    private readonly list: SessionQueries,
    private readonly room: AnswerRoom,
  ) {}

  /** @throws Problem, LogUnavailable, ReadModelsUnavailable */
  async readSession({ args, exchange }: ToolCall): Promise<CallToolResult> {
    const { session, limit, cursor } = validated(ReadSessionDto, args);
    const { project } = exchange.caller;
    await this.sessions.require(project, session);
    const weighing = Weighing.of(this.room, exchange);
    const page = this.pages.page({ project, session, limit, cursor }, weighing.weigh);
    const messages: { readonly type: string; readonly content: string }[] = [];
    for (;;) {
      const { value, done } = await page.next();
      if (done === true) {
        const lines = messages.map(({ type, content }) => `${type}: ${content}`).join('\n');
        return dataResult(lines, { session, messages, next_cursor: value });
      }
      messages.push(...value.map(({ type, content }) => ({ type, content })));
      await weighing.keep(value.reduce((sum, { content }) => sum + content.length, 0));
    }
  }

  /** @throws Problem, ReadModelsUnavailable */
  async listSessions({ args, exchange }: ToolCall): Promise<CallToolResult> {
    const { limit, cursor } = validated(ListSessionsDto, args);
    const { project } = exchange.caller;
    const { items, next_cursor } = await this.list.list({ project, limit, cursor });
    const sessions = { items, next_cursor };
    return dataResult(JSON.stringify(sessions), sessions);
  }
}
