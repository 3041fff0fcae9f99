import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Principal } from '#access';
import { Problem } from '#domain';
import { parseResponseRequest, refused, responseOf } from '#openai-face';
import { Caller } from '../../edge/admission/caller.js';
import { answerWithEvents, answerWithLateJson } from '../../edge/answers/event-stream.js';
import { LargeAnswers } from '../../edge/answers/large-answer.js';
import { OpenStreams } from '../../edge/answers/socket-sink.js';
import { Operation } from '../../edge/routes/operation.js';
import { idempotencyKeyOf } from '../../edge/validation/idempotency-key.js';
import { ResponseCancels } from './asking/response-cancels.js';
import { ResponseStarts } from './asking/response-starts.js';
import { foreign } from './foreign.js';
import { queryOf } from './query.js';
import { ResponseReading } from './reading/response-reading.js';
import { UnstoredResponses } from './unstored/unstored-responses.js';

/** Responses that are asked for, and their early end. */
@Controller('v1/responses')
export class CreateResponseController {
  constructor(
    private readonly starts: ResponseStarts,
    private readonly responses: ResponseReading,
    private readonly answers: LargeAnswers,
    private readonly open: OpenStreams,
    private readonly unstored: UnstoredResponses,
    private readonly cancels: ResponseCancels,
  ) {}

  @Post()
  @Operation(foreign('createResponse', 'run', true))
  async create(
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    queryOf(request.query);
    const { body } = request;
    const asked = parseResponseRequest(body);
    const found = await this.starts.start(
      { asked, body, key: idempotencyKeyOf(request), operation: 'create_response' },
      caller,
      request,
    );
    const { responses, open } = this;
    reply.header('content-location', `/runs/${found.place.run}`);
    if (!asked.isStored) this.unstored.watch(found, { project: caller.project, actor: caller.keyId });
    if (asked.isStream) {
      void answerWithEvents(reply, open, (sink) => responses.send(found, -1, sink));
      return;
    }
    if (asked.isBackground) {
      await this.answers.send(reply, caller.project, async function* (weigh) {
        yield await responses.json({ ...found, id: '' }, weigh);
      });
      return;
    }
    void answerWithLateJson(reply, open, async (sink) => {
      const signal = AbortSignal.any([sink.gone, open.ending]);
      const ended = () => responses.ended(found, signal);
      const passage = await responses.following(found.place.session, ended);
      if (passage === null) throw new Error('the response goes on without its client');
      sink.end(JSON.stringify(responseOf(passage)));
    });
  }

  @Post(':response/cancel')
  @Operation(foreign('cancelResponse', 'run'))
  async cancel(
    @Param('response') id: string,
    @Caller() { project, keyId: actor }: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    queryOf(request.query);
    const { responses } = this;
    const found = await this.cancels.cancel(id, { project, actor });
    reply.header('content-location', `/runs/${found.place.run}`);
    await this.answers.send(reply, project, async function* (weigh) {
      yield await responses.json(found, weigh);
    });
  }

  /** Where others speak by WebSocket. */
  @Get()
  @Operation(foreign('connectResponses', 'run'))
  connect(@Req() { headers }: FastifyRequest): never {
    if (headers.upgrade !== undefined) throw unsupported('WebSocket');
    throw new Problem('not_found', 'there is no such path', { reason: 'unknown_url' });
  }

  @Post('compact')
  @Operation(foreign('compactResponse', 'run', true))
  compact(): never {
    throw unsupported('POST /v1/responses/compact');
  }

  @Post('input_tokens')
  @Operation(foreign('countInputTokens', 'run', true))
  inputTokens(): never {
    throw unsupported('POST /v1/responses/input_tokens');
  }
}

const unsupported = (what: string): Error => refused('unsupported', null, `${what} is not supported`);
