import { Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { type TaskCommand, notFound } from '#domain';
import { Tasks } from '#read-models';
import { type Principal, TaskCommands } from '#runs';
import { noQuery, tasksQuery } from '../dto/queries.js';
import { Caller } from '../http/caller.js';
import { NeedsScope } from '../http/needs-scope.js';

/** What a session's requests have scheduled. */
@Controller('tasks')
export class TasksController {
  constructor(
    private readonly tasks: Tasks,
    private readonly commands: TaskCommands,
  ) {}

  @Get()
  @NeedsScope('read')
  list(@Query() query: unknown, @Caller() { project }: Principal) {
    return this.tasks.list({ project, ...tasksQuery(query) });
  }

  @Get(':task')
  @NeedsScope('read')
  one(@Param('task') task: string, @Query() query: unknown, @Caller() { project }: Principal) {
    noQuery(query);
    // The tables are not asked for what they cannot hold.
    if (task.includes('\0')) throw notFound('the task');
    return this.tasks.get(project, task);
  }

  @Post(':task/pause')
  @HttpCode(200)
  @NeedsScope('run')
  pause(@Param('task') task: string, @Query() query: unknown, @Caller() caller: Principal) {
    return this.command(task, 'pause', query, caller);
  }

  @Post(':task/resume')
  @HttpCode(200)
  @NeedsScope('run')
  resume(@Param('task') task: string, @Query() query: unknown, @Caller() caller: Principal) {
    return this.command(task, 'resume', query, caller);
  }

  @Post(':task/cancel')
  @HttpCode(200)
  @NeedsScope('run')
  cancel(@Param('task') task: string, @Query() query: unknown, @Caller() caller: Principal) {
    return this.command(task, 'cancel', query, caller);
  }

  @Delete(':task')
  @NeedsScope('run')
  remove(@Param('task') task: string, @Query() query: unknown, @Caller() caller: Principal) {
    return this.command(task, 'cancel', query, caller);
  }

  private async command(task: string, command: TaskCommand, query: unknown, { project, keyId }: Principal) {
    noQuery(query);
    await this.commands.command(task, command, { project, actor: keyId });
    return this.tasks.get(project, task);
  }
}
