import { Body, Controller, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Principal } from '#access';
import type { RunId } from '#domain';
import { RetryPlanner } from '#runs';
import { Caller } from '../../edge/admission/caller.js';
import { JSON_TYPE, Operation, SSE_TYPE } from '../../edge/routes/operation.js';
import { idempotencyKeyOf } from '../../edge/validation/idempotency-key.js';
import { causeOf } from '../../edge/request-trace.js';
import { modeOf } from './shared/agent-fields.js';
import { RetryDto } from './dto/retry.dto.js';
import { either } from './shared/either.js';
import { RunSurroundings, payloadOf } from './run-command.js';
import { RunStartAnswers } from './run-start-answers.js';
import { EVENT_STREAM } from './shared/event-schemas.js';
import { RunPlaces } from './shared/run-places.js';
import { ACCEPTED_RUN, ENDED_RUN } from './shared/run-schemas.js';

@Controller('runs')
export class RetryController {
  constructor(
    private readonly places: RunPlaces,
    private readonly planner: RetryPlanner,
    private readonly answers: RunStartAnswers,
    private readonly surroundings: RunSurroundings,
  ) {}

  @Post(':run/retry')
  @Operation({
    id: 'retryRun',
    tag: 'runs',
    summary: 'Goes on with a run that failed or was cancelled',
    description:
      'The last run of its session goes on as a new one of the same configuration: no finished turn of the model and no ' +
      'tool call with a result is made again. Answers as `POST /` does. 409: it is not the last, has completed, or the ' +
      'session was cleared.',
    scope: 'run',
    body: RetryDto,
    examples: { again: { summary: 'As it was, in the background', value: { background: true } } },
    headers: ['Idempotency-Key'],
    answerHeaders: ['Content-Location', 'Location', 'annals-receipt'],
    answers: {
      200: { [JSON_TYPE]: ENDED_RUN, [SSE_TYPE]: EVENT_STREAM },
      202: { [JSON_TYPE]: ACCEPTED_RUN },
    },
    refusals: [402, 404, 409, 422],
  })
  async retry(
    @Param('run') run: RunId,
    @Body() sent: RetryDto,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { project, keyId: actor } = caller;
    const mcpServers = either('mcp_servers', sent.mcp_servers, 'mcpServers', sent.mcpServers) ?? [];
    const { egress } = this.surroundings;
    const { before: requested } = await this.places.find(project, run);
    const key = idempotencyKeyOf(request);
    const payload = payloadOf({ ...(request.body as object), retry: run }, undefined);
    const command = await this.planner.commandOf(
      {
        run,
        requested,
        mcpServers,
        ...(sent.mode === undefined ? {} : { mode: modeOf(sent.mode) }),
        ...(sent.approvals === undefined ? {} : { approvals: sent.approvals }),
        ...(sent.budget === undefined ? {} : { budget: sent.budget }),
      },
      project,
      {
        actor,
        correlationId: request.id,
        ...causeOf(request),
        ...(key === undefined ? {} : { idempotency: { key, payload, operation: 'retry_run' as const } }),
      },
    );
    const check = (): Promise<void> => egress.requireAllowed({ mcp_servers: mcpServers }, sent, project);
    const { background: isBackground } = sent;
    await this.answers.start({ ...command, check }, { isBackground, caller }, request, reply);
  }
}
