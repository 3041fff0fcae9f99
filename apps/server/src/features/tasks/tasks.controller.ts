import { Controller, Delete, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type TaskCommand, notFound, type TaskId } from '#domain';
import { TaskQueries } from '#read-models';
import { type Principal } from '#access';
import { TaskCommands } from '#runs';
import { TasksQuery } from './tasks-query.js';
import { Caller } from '../../edge/admission/caller.js';
import { PageAnswers } from '../../edge/answers/page-answers.js';
import { pageOf } from '../../edge/openapi/json-schema.js';
import { Operation, answer } from '../../edge/routes/operation.js';
import { TASK } from './task-schemas.js';

/** What a session's requests have scheduled. */
@Controller('tasks')
export class TasksController {
  constructor(
    private readonly tasks: TaskQueries,
    private readonly commands: TaskCommands,
    private readonly answers: PageAnswers,
  ) {}

  @Get()
  @Operation({
    id: 'listTasks',
    tag: 'tasks',
    summary: 'What is scheduled, newest first',
    scope: 'read',
    query: TasksQuery,
    answers: answer(200, pageOf(TASK)),
  })
  list(
    @Query() { limit, cursor, session, status }: TasksQuery,
    @Caller() { project }: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const wanted = { project, limit, cursor, session, status };
    return this.answers.list(reply, project, (weigh) => this.tasks.list(wanted, weigh));
  }

  @Get(':task')
  @Operation({ id: 'getTask', tag: 'tasks', summary: 'One task', scope: 'read', answers: answer(200, TASK) })
  one(
    @Param('task') task: TaskId,
    @Caller() { project }: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    // The tables are not asked for what they cannot hold.
    if (task.includes('\0')) throw notFound('the task');
    return this.answers.one(reply, project, (weigh) => this.tasks.get(project, task, weigh));
  }

  @Post(':task/pause')
  @Operation({
    id: 'pauseTask',
    tag: 'tasks',
    summary: 'Lets no slot fire until it is resumed',
    scope: 'run',
    answers: answer(200, TASK),
  })
  pause(@Param('task') task: TaskId, @Caller() caller: Principal, @Res() reply: FastifyReply): Promise<void> {
    return this.command(task, 'pause', caller, reply);
  }

  @Post(':task/resume')
  @Operation({
    id: 'resumeTask',
    tag: 'tasks',
    summary: 'Goes on with the next slot',
    scope: 'run',
    answers: answer(200, TASK),
  })
  resume(
    @Param('task') task: TaskId,
    @Caller() caller: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.command(task, 'resume', caller, reply);
  }

  @Post(':task/cancel')
  @Operation({
    id: 'cancelTask',
    tag: 'tasks',
    summary: 'Ends a task for good',
    scope: 'run',
    answers: answer(200, TASK),
  })
  cancel(
    @Param('task') task: TaskId,
    @Caller() caller: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.command(task, 'cancel', caller, reply);
  }

  @Delete(':task')
  @Operation({
    id: 'deleteTask',
    tag: 'tasks',
    summary: 'Ends a task for good',
    scope: 'run',
    answers: answer(200, TASK),
  })
  remove(
    @Param('task') task: TaskId,
    @Caller() caller: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.command(task, 'cancel', caller, reply);
  }

  private async command(
    task: TaskId,
    command: TaskCommand,
    { project, keyId }: Principal,
    reply: FastifyReply,
  ): Promise<void> {
    await this.commands.command(task, command, { project, actor: keyId });
    return this.answers.one(reply, project, (weigh) => this.tasks.get(project, task, weigh));
  }
}
