import { Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Principal } from '#access';
import { Problem } from '#domain';
import { chatError, completionOf, errorBody, parseChatRequest, refused } from '#openai-face';
import { Caller } from '../../edge/admission/caller.js';
import { answerWithEvents } from '../../edge/answers/event-stream.js';
import { OpenStreams } from '../../edge/answers/socket-sink.js';
import { Operation } from '../../edge/routes/operation.js';
import { idempotencyKeyOf } from '../../edge/validation/idempotency-key.js';
import { ResponseStarts } from './asking/response-starts.js';
import { foreign } from './foreign.js';
import { queryOf } from './query.js';
import { ChatReading } from './reading/chat-reading.js';
import type { FoundResponse } from './reading/response-reading.js';
import { UnstoredResponses } from './unstored/unstored-responses.js';

const STOPPING = new Problem('unavailable', 'the service is stopping; the run goes on', { retryAfterS: 5 });

/** Chat completions: each is a run of a session of its own. */
@Controller('v1/chat/completions')
export class ChatCompletionsController {
  constructor(
    private readonly starts: ResponseStarts,
    private readonly chats: ChatReading,
    private readonly open: OpenStreams,
    private readonly unstored: UnstoredResponses,
  ) {}

  @Post()
  @Operation(foreign('createChatCompletion', 'run', true))
  async create(
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    queryOf(request.query);
    const { body } = request;
    const asked = parseChatRequest(body);
    const sent = { asked, body, key: idempotencyKeyOf(request), operation: 'create_completion' as const };
    const found = await this.starts.start(sent, caller, request);
    reply.header('content-location', `/runs/${found.place.run}`);
    if (!asked.isStored) this.unstored.watch(found, { project: caller.project, actor: caller.keyId });
    if (asked.isStream) {
      void answerWithEvents(reply, this.open, (sink) => this.chats.send(found, asked.hasUsage, sink));
      return;
    }
    await this.sendEnded(found, reply);
  }

  @Get()
  @Operation(foreign('listChatCompletions', 'read'))
  list(): never {
    throw UNSUPPORTED();
  }

  @Get('*')
  @Operation(foreign('getChatCompletion', 'read'))
  one(): never {
    throw UNSUPPORTED();
  }

  @Post('*')
  @Operation(foreign('updateChatCompletion', 'run', true))
  update(): never {
    throw UNSUPPORTED();
  }

  @Delete('*')
  @Operation(foreign('deleteChatCompletion', 'admin'))
  delete(): never {
    throw UNSUPPORTED();
  }

  private async sendEnded(found: Omit<FoundResponse, 'id'>, reply: FastifyReply): Promise<void> {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const { answer } = reply.request;
    answer?.onKeyEnd(() => gone.abort());
    const { ending } = this.open;
    const passage = await this.chats.ended(found, AbortSignal.any([gone.signal, ending]));
    if (answer?.isOver)
      throw new Problem('unauthenticated', 'the key was revoked or has expired; the run goes on');
    if (passage === null) {
      if (ending.aborted && !gone.signal.aborted) throw STOPPING;
      return;
    }
    const error = chatError(passage);
    if (error === null) return void reply.send(completionOf(passage));
    // The model was asked three times already.
    reply.header('x-should-retry', 'false');
    await reply.code(500).send(errorBody(error));
  }
}

const UNSUPPORTED = (): Error =>
  refused(
    'unsupported',
    null,
    'stored chat completions are not supported: each is a run, see Content-Location',
  );
