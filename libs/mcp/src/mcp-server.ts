import type { ServerTask, TurnToolCall } from '#domain';
import type { Clock } from '#platform';
import type { ServerAnswers, ToolOutcome, ToolServer } from '#agent';
import type { McpLimits } from './limits.js';
import type { McpConnection } from './mcp-connection.js';
import { TaskFollower } from './mcp-task.js';
import type { TaskNotes } from './task-notes.js';
import { failed, outcomeUnknown, saidOf, toldResult } from './told-result.js';

/** A server of a run, for calls of earlier turns. */
export class McpServer implements ToolServer {
  readonly name: string;
  readonly index: number;
  private readonly tasks: TaskFollower;

  constructor(
    private readonly connection: McpConnection,
    clock: Clock,
    private readonly limits: McpLimits,
    notes: TaskNotes,
  ) {
    this.tasks = new TaskFollower(connection, clock, limits, notes);
    this.name = connection.config.serverName;
    this.index = connection.index;
  }

  reached(signal: AbortSignal): Promise<string | null> {
    return this.connection.reached(signal);
  }

  untilNews(task: ServerTask, signal: AbortSignal): Promise<void> {
    return this.tasks.untilNews(task, signal);
  }

  /** Rejects only when the signal is aborted, with its reason. */
  async follow(
    { name }: TurnToolCall,
    task: ServerTask,
    signal: AbortSignal,
    answers?: ServerAnswers,
  ): Promise<ToolOutcome> {
    const { connection, limits } = this;
    const end = await this.tasks.follow(task, signal, answers?.answers);
    if (end.kind === 'wants') return { content: '', wants: end.wants };
    if (end.kind === 'completed') {
      await connection.refreshed();
      return toldResult(end.result, name, connection, limits);
    }
    const said = saidOf(connection, end.says);
    return end.kind === 'unknown' ? outcomeUnknown(said) : failed(said);
  }
}
