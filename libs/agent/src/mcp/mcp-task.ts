import type { ServerTask } from '#domain';
import type { Clock } from '#platform';
import { ClaimLost } from '../run/run-writer.js';
import { RunStopped, TaskLeft } from '../run/run-end.js';
import type { ServerAnswers, WantedInputs } from '../tools/tool.js';
import type { McpLimits } from './limits.js';
import type { McpConnection } from './mcp-connection.js';
import { McpFailure } from './mcp-failure.js';
import { RPC_CODES, isRecord } from './rpc-message.js';
import { wantedInputs } from './wanted-inputs.js';

/** What has become of a task. */
export type TaskEnd =
  | { readonly kind: 'completed'; readonly result: Readonly<Record<string, unknown>> }
  /** In the server's words, as the end of "the tool server …". */
  | { readonly kind: 'failed' | 'cancelled'; readonly says: string }
  | { readonly kind: 'wants'; readonly wants: WantedInputs }
  /** Nobody knows whether it has taken effect. */
  | { readonly kind: 'unknown'; readonly says: string };

/** The task that a server has made of a call; null: it has made none. @throws McpFailure: it does not name it */
export function taskIn(
  result: Readonly<Record<string, unknown>>,
  now: number,
  limits: McpLimits,
): ServerTask | null {
  if (result['resultType'] !== 'task') return null;
  const { taskId, ttlMs, pollIntervalMs } = isRecord(result['task']) ? result['task'] : result;
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > MAX_ID)
    throw new McpFailure('nonsense', 'made a task of the call, and does not name it');
  const expires = typeof ttlMs === 'number' && ttlMs > 0 ? { expires_at: now + ttlMs } : {};
  return { id: taskId, poll_ms: pollOf(pollIntervalMs, limits), started_at: now, ...expires };
}

const MAX_ID = 1_024;

/** A number that makes sense, within bounds. */
function pollOf(wanted: unknown, { pollMs, minPollMs, maxPollMs }: McpLimits): number {
  const ms = typeof wanted === 'number' && Number.isFinite(wanted) ? wanted : pollMs;
  return Math.min(maxPollMs, Math.max(minPollMs, ms));
}

/**
 * Asks a server what has become of a task until it has ended. An answer that is lost is asked for again. Where the run is over
 * the server is told to stop; where only this process is, it goes on, and whoever takes the run up asks again.
 */
export class TaskFollower {
  constructor(
    private readonly connection: McpConnection,
    private readonly clock: Clock,
    private readonly limits: McpLimits,
  ) {}

  /**
   * @param answers to what it wanted to know when it was asked before, by its keys
   * @throws the signal's reason
   */
  async follow(task: ServerTask, signal: AbortSignal, answers?: ServerAnswers['answers']): Promise<TaskEnd> {
    const answered = new Set(Object.keys(answers ?? {}));
    let isTold = answers === undefined;
    let { poll_ms: pauseMs } = task;
    let heardAt = this.clock.now();
    const dueMs = task.started_at + pauseMs - heardAt;
    if (dueMs > 0) await this.clock.sleep(dueMs, signal).catch(() => undefined);
    if (signal.aborted) return this.leave(task, signal);
    for (;;) {
      const now = this.clock.now();
      if (now >= (task.expires_at ?? Infinity)) return unknown('has forgotten the task');
      if (now - task.started_at >= this.limits.taskMs) return unknown('took longer than a day over the task');
      if (now - heardAt >= this.limits.taskSilenceMs) return unknown('does not answer any more');
      try {
        if (!isTold) await this.ask('tasks/update', task.id, signal, { inputResponses: answers });
        isTold = true;
        const answer = await this.ask('tasks/get', task.id, signal);
        const end = this.endIn(answer, answered);
        heardAt = this.clock.now();
        if (end !== null) return end;
        pauseMs = pollOf(answer['pollIntervalMs'], this.limits);
      } catch (error) {
        if (signal.aborted) return this.leave(task, signal);
        if (!(error instanceof McpFailure)) throw error;
        if (error.rpc?.code === RPC_CODES.invalidParams) return unknown('does not know the task any more');
        pauseMs = Math.min(this.limits.maxPollMs, pauseMs * 2);
      }
      await this.clock.sleep(pauseMs, signal).catch(() => undefined);
      if (signal.aborted) return this.leave(task, signal);
    }
  }

  private async leave(task: ServerTask, { reason }: AbortSignal): Promise<never> {
    const goesOn = [RunStopped, ClaimLost, TaskLeft].some((kind) => reason instanceof kind);
    const late = this.clock.deadline(this.limits.closeMs);
    try {
      if (!goesOn) await this.ask('tasks/cancel', task.id, late.signal);
    } catch {
      // It need not answer.
    } finally {
      late[Symbol.dispose]();
    }
    throw reason as Error;
  }

  private async ask(
    method: string,
    taskId: string,
    signal: AbortSignal,
    more: object = {},
  ): Promise<Record<string, unknown>> {
    const late = this.clock.deadline(this.limits.idleMs, signal);
    try {
      return await this.connection.request(method, { taskId, ...more }, { signal: late.signal });
    } finally {
      late[Symbol.dispose]();
    }
  }

  /** null: it goes on. @throws McpFailure */
  private endIn(answer: Readonly<Record<string, unknown>>, answered: ReadonlySet<string>): TaskEnd | null {
    const task = isRecord(answer['task']) ? answer['task'] : answer;
    const { status, result, error, statusMessage } = task;
    switch (status) {
      case 'working':
      case 'submitted':
        return null;
      case 'completed':
        return { kind: 'completed', result: isRecord(result) ? result : {} };
      case 'failed': {
        const said =
          isRecord(error) && typeof error['message'] === 'string' ? error['message'] : statusMessage;
        return { kind: 'failed', says: `said: ${typeof said === 'string' ? said : 'the task failed'}` };
      }
      case 'cancelled':
        return { kind: 'cancelled', says: 'has cancelled the task' };
      case 'input_required': {
        const wants = wantedInputs(task, this.connection.mask);
        const questions = wants.questions.filter(({ key }) => !answered.has(key));
        return questions.length === 0 ? null : { kind: 'wants', wants: { questions } };
      }
      default:
        throw new McpFailure('nonsense', 'gave a state of a task that is not known here');
    }
  }
}

const unknown = (says: string): TaskEnd => ({ kind: 'unknown', says });
