import { Body, Controller, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '#domain';
import { SessionCommands } from '#runs';
import { type Principal } from '#access';
import { Caller } from '../../edge/admission/caller.js';
import { idempotencyKeyOf } from '../../edge/validation/idempotency-key.js';
import { MessagesQuery, RunQuery, SessionQuery } from './dto/run-queries.js';
import { runBodyOf } from './dto/run-body.js';
import { HistoryAnswers } from './history-answers.js';
import { RunStartAnswers } from './run-start-answers.js';
import { AS_OF } from './shared/as-of.js';
import { RunRequests } from './shared/run-requests.js';
import { FLAG, TEXT, listOf, named, objectOf } from '../../edge/openapi/json-schema.js';
import { JSON_TYPE, Operation, SSE_TYPE, answer } from '../../edge/routes/operation.js';
import { RunRequestDto } from './dto/run-request.dto.js';
import { RUN_EXAMPLES } from './run-examples.js';
import { EVENT_STREAM } from './shared/event-schemas.js';
import { ACCEPTED_RUN, ENDED_RUN, MESSAGE } from './shared/run-schemas.js';

/** The interface that existing clients speak: start a run, read a session's messages, clear them. */
@Controller()
export class AgentController {
  constructor(
    private readonly starts: RunStartAnswers,
    private readonly commands: SessionCommands,
    private readonly histories: HistoryAnswers,
    private readonly requests: RunRequests,
  ) {}

  @Post()
  @Operation({
    id: 'run',
    tag: 'agent',
    summary: 'Run the agent',
    description:
      'Answers with Server-Sent Events; with one JSON object at the end where `Accept` names only `application/json`; ' +
      'with 202 at once where `background` is true. `Content-Location` names the run.',
    scope: 'run',
    isForTokens: true,
    query: RunQuery,
    body: RunRequestDto,
    examples: RUN_EXAMPLES,
    headers: ['Idempotency-Key'],
    answerHeaders: ['Content-Location', 'Location', 'annals-receipt'],
    answers: {
      200: { [JSON_TYPE]: ENDED_RUN, [SSE_TYPE]: EVENT_STREAM },
      202: { [JSON_TYPE]: ACCEPTED_RUN },
    },
    refusals: [402, 404, 409, 422],
  })
  async run(
    @Query() { session }: RunQuery,
    @Body() sent: RunRequestDto,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const body = runBodyOf(sent);
    // A task would run on when the token is over.
    if (caller.reach !== undefined && body.schedules.length > 0)
      throw new Problem('forbidden', 'schedules: a token starts runs alone');
    const key = idempotencyKeyOf(request);
    const command = await this.requests.commandOf(
      body,
      { body: request.body as object, session, key },
      caller,
      request,
    );
    const { background: isBackground } = body;
    await this.starts.start(command, { isBackground, caller }, request, reply);
  }

  @Post('get-messages')
  @Operation({
    id: 'getMessages',
    tag: 'agent',
    summary: "A session's history",
    scope: 'read',
    isForTokens: true,
    description: AS_OF,
    query: MessagesQuery,
    answers: answer(200, listOf(MESSAGE)),
    refusals: [404, 422],
  })
  async messages(
    @Query() { session, at }: MessagesQuery,
    @Caller() { project }: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.histories.messages(project, { session, at }, reply);
  }

  @Post('clear-messages')
  @Operation({
    id: 'clearMessages',
    tag: 'agent',
    summary: "Empties a session's history and context from the next run on",
    scope: 'run',
    query: SessionQuery,
    answers: answer(200, named('Cleared', objectOf({ success: FLAG, message: TEXT }))),
    refusals: [404, 409],
  })
  async clear(@Query() { session }: SessionQuery, @Caller() { project, keyId }: Principal) {
    await this.commands.clear(session, { project, actor: keyId });
    return { success: true, message: 'Messages cleared' };
  }
}
