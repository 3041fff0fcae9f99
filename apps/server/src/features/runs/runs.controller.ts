import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound, sessionOfRun, type RunId } from '#domain';
import { RunQueries } from '#read-models';
import { type Principal } from '#access';
import { SessionCommands } from '#runs';
import { RunsQuery } from './dto/run-queries.js';
import { EventsQuery } from './shared/events-query.js';
import { Caller } from '../../edge/admission/caller.js';
import { PageAnswers } from '../../edge/answers/page-answers.js';
import { EventAnswers } from './shared/event-answers.js';
import { RunPlaces } from './shared/run-places.js';
import { pageOf } from '../../edge/openapi/json-schema.js';
import { Operation, answer } from '../../edge/routes/operation.js';
import { FROM_ANY_POINT, RECORDED } from './shared/event-schemas.js';
import { RUN } from './shared/run-schemas.js';

@Controller('runs')
export class RunsController {
  constructor(
    private readonly runs: RunQueries,
    private readonly places: RunPlaces,
    private readonly commands: SessionCommands,
    private readonly events: EventAnswers,
    private readonly answers: PageAnswers,
  ) {}

  @Get()
  @Operation({
    id: 'listRuns',
    tag: 'runs',
    summary: 'Runs, newest first',
    description: '`metadata.KEY=VALUE`, once for each key: only runs that were given these.',
    scope: 'read',
    query: RunsQuery,
    answers: answer(200, pageOf(RUN)),
  })
  list(
    @Query() { limit, cursor, session, status, from, to, metadata }: RunsQuery,
    @Caller() { project }: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const wanted = { project, limit, cursor, session, status, from, to, metadata };
    return this.answers.list(reply, project, (weigh) => this.runs.list(wanted, weigh));
  }

  @Get(':run')
  @Operation({
    id: 'getRun',
    tag: 'runs',
    summary: 'One run',
    scope: 'read',
    isForTokens: true,
    answers: answer(200, RUN),
  })
  one(@Param('run') run: RunId, @Caller() { project }: Principal) {
    // The tables are not asked for what they cannot hold, such as U+0000.
    if (sessionOfRun(run) === null) throw notFound('the run');
    return this.runs.get(project, run);
  }

  @Get(':run/events')
  @Operation({
    id: 'followRun',
    tag: 'runs',
    summary: "A run's events",
    description: `${FROM_ANY_POINT} 204: the run has ended and nothing is left to send.`,
    scope: 'read',
    isForTokens: true,
    query: EventsQuery,
    headers: ['Last-Event-ID'],
    answers: { 200: RECORDED, 204: null },
  })
  async follow(
    @Param('run') run: RunId,
    @Query() terms: EventsQuery,
    @Caller() { project }: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const find = () => this.places.find(project, run);
    return this.events.answer(await find(), terms, request, reply, find);
  }

  @Post(':run/cancel')
  @Operation({
    id: 'cancelRun',
    tag: 'runs',
    summary: 'Cancels a run; nothing happens where it has ended',
    scope: 'run',
    isForTokens: true,
    answerHeaders: ['Location'],
    answers: answer(202, RUN),
  })
  async cancel(
    @Param('run') run: RunId,
    @Caller() { project, keyId }: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.places.find(project, run);
    reply.header('location', `/runs/${run}`);
    await this.commands.cancel(run, { project, actor: keyId });
    return this.runs.get(project, run);
  }
}
