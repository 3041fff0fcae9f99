import { Body, Controller, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Principal } from '#access';
import type { RunId } from '#domain';
import { ReplayPlanner } from '#runs';
import { Caller } from '../../edge/admission/caller.js';
import { JSON_TYPE, Operation, SSE_TYPE } from '../../edge/routes/operation.js';
import { idempotencyKeyOf } from '../../edge/validation/idempotency-key.js';
import { causeOf } from '../../edge/request-trace.js';
import { modeOf } from './shared/agent-fields.js';
import { ReplayDto } from './dto/replay.dto.js';
import { payloadOf } from './run-command.js';
import { RunStartAnswers } from './run-start-answers.js';
import { EVENT_STREAM } from './shared/event-schemas.js';
import { RunPlaces } from './shared/run-places.js';
import { ACCEPTED_RUN, ENDED_RUN } from './shared/run-schemas.js';

@Controller('runs')
export class ReplayController {
  constructor(
    private readonly places: RunPlaces,
    private readonly planner: ReplayPlanner,
    private readonly answers: RunStartAnswers,
  ) {}

  @Post(':run/replay')
  @Operation({
    id: 'replayRun',
    tag: 'runs',
    summary: 'Gives a run again, with the tools of its record',
    description:
      'In a new session that is forked before it. The model is offered what it was offered then (422 where the log does not ' +
      'hold it), and a call has the recorded result of the same call: nothing is called. A call without one is told of in ' +
      '`agent_drift`. Answers as `POST /` does. 409: the run has not ended.',
    scope: 'run',
    body: ReplayDto,
    examples: { other: { summary: 'With another mode', value: { mode: 'max', background: true } } },
    headers: ['Idempotency-Key'],
    answerHeaders: ['Content-Location', 'Location', 'annals-receipt'],
    answers: {
      200: { [JSON_TYPE]: ENDED_RUN, [SSE_TYPE]: EVENT_STREAM },
      202: { [JSON_TYPE]: ACCEPTED_RUN },
    },
    refusals: [402, 404, 409, 422],
  })
  async replay(
    @Param('run') run: RunId,
    @Body() { mode, model, system, rules, tools, background: isBackground }: ReplayDto,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { project, keyId: actor } = caller;
    const { before: requested } = await this.places.find(project, run);
    const key = idempotencyKeyOf(request);
    const payload = payloadOf({ ...(request.body as object), replay: run }, undefined);
    const changed = {
      ...(mode === undefined ? {} : { mode: modeOf(mode) }),
      ...(model === undefined ? {} : { model }),
      ...(system === undefined ? {} : { system }),
      ...(rules === undefined ? {} : { rules }),
    };
    const command = await this.planner.commandOf({ run, requested, tools, ...changed }, project, {
      actor,
      correlationId: request.id,
      ...causeOf(request),
      ...(key === undefined ? {} : { idempotency: { key, payload, operation: 'replay_run' as const } }),
    });
    await this.answers.start(command, { isBackground, caller }, request, reply);
  }
}
