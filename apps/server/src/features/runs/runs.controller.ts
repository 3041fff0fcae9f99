import { Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound, sessionOfRun, type RunId } from '#domain';
import { RunQueries } from '#read-models';
import { type Principal } from '#access';
import { SessionCommands } from '#runs';
import { eventsQuery, noQuery, runsQuery } from '../../edge/validation/queries.js';
import { Caller } from '../../edge/admission/caller.js';
import { NeedsScope } from '../../edge/admission/needs-scope.js';
import { PageAnswers } from '../../edge/answers/page-answers.js';
import { EventAnswers } from './shared/event-answers.js';
import { RunPlaces } from './shared/run-places.js';

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
  @NeedsScope('read')
  list(@Query() query: unknown, @Caller() { project }: Principal, @Res() reply: FastifyReply): Promise<void> {
    const wanted = { project, ...runsQuery(query) };
    return this.answers.list(reply, project, (weigh) => this.runs.list(wanted, weigh));
  }

  @Get(':run')
  @NeedsScope('read', { isForTokens: true })
  one(@Param('run') run: RunId, @Query() query: unknown, @Caller() { project }: Principal) {
    noQuery(query);
    // The tables are not asked for what they cannot hold, such as U+0000.
    if (sessionOfRun(run) === null) throw notFound('the run');
    return this.runs.get(project, run);
  }

  @Get(':run/events')
  @NeedsScope('read', { isStream: true, isForTokens: true })
  async follow(
    @Param('run') run: RunId,
    @Query() query: unknown,
    @Caller() { project }: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const terms = eventsQuery(query);
    const place = await this.places.find(project, run);
    return this.events.answer(place, terms, request, reply);
  }

  @Post(':run/cancel')
  @HttpCode(202)
  @NeedsScope('run', { isForTokens: true })
  async cancel(
    @Param('run') run: RunId,
    @Query() query: unknown,
    @Caller() { project, keyId }: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    noQuery(query);
    await this.places.find(project, run);
    reply.header('location', `/runs/${run}`);
    await this.commands.cancel(run, { project, actor: keyId });
    return this.runs.get(project, run);
  }
}
