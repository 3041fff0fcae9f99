import { Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type TaskCommand, notFound, type TaskId } from '#domain';
import { TaskQueries } from '#read-models';
import { type Principal } from '#access';
import { TaskCommands } from '#runs';
import { noQuery, tasksQuery } from '../../edge/validation/queries.js';
import { Caller } from '../../edge/admission/caller.js';
import { NeedsScope } from '../../edge/admission/needs-scope.js';
import { PageAnswers } from '../../edge/answers/page-answers.js';

/** What a session's requests have scheduled. */
@Controller('tasks')
export class TasksController {
  constructor(
    private readonly tasks: TaskQueries,
    private readonly commands: TaskCommands,
    private readonly answers: PageAnswers,
  ) {}

  @Get()
  @NeedsScope('read')
  list(@Query() query: unknown, @Caller() { project }: Principal, @Res() reply: FastifyReply): Promise<void> {
    const wanted = { project, ...tasksQuery(query) };
    return this.answers.list(reply, project, (weigh) => this.tasks.list(wanted, weigh));
  }

  @Get(':task')
  @NeedsScope('read')
  one(
    @Param('task') task: TaskId,
    @Query() query: unknown,
    @Caller() { project }: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    noQuery(query);
    // The tables are not asked for what they cannot hold.
    if (task.includes('\0')) throw notFound('the task');
    return this.answers.one(reply, project, (weigh) => this.tasks.get(project, task, weigh));
  }

  @Post(':task/pause')
  @HttpCode(200)
  @NeedsScope('run')
  pause(
    @Param('task') task: TaskId,
    @Query() query: unknown,
    @Caller() caller: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.command(task, 'pause', query, caller, reply);
  }

  @Post(':task/resume')
  @HttpCode(200)
  @NeedsScope('run')
  resume(
    @Param('task') task: TaskId,
    @Query() query: unknown,
    @Caller() caller: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.command(task, 'resume', query, caller, reply);
  }

  @Post(':task/cancel')
  @HttpCode(200)
  @NeedsScope('run')
  cancel(
    @Param('task') task: TaskId,
    @Query() query: unknown,
    @Caller() caller: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.command(task, 'cancel', query, caller, reply);
  }

  @Delete(':task')
  @NeedsScope('run')
  remove(
    @Param('task') task: TaskId,
    @Query() query: unknown,
    @Caller() caller: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.command(task, 'cancel', query, caller, reply);
  }

  private async command(
    task: TaskId,
    command: TaskCommand,
    query: unknown,
    { project, keyId }: Principal,
    reply: FastifyReply,
  ): Promise<void> {
    noQuery(query);
    await this.commands.command(task, command, { project, actor: keyId });
    return this.answers.one(reply, project, (weigh) => this.tasks.get(project, task, weigh));
  }
}
