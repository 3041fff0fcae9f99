import type { ServerTask } from '#domain';
import { type Clock, lateSignal } from '#platform';
import { ClaimLost, RunStopped, type ServerAnswers, TaskLeft, type WantedInputs } from '#agent';
import type { McpLimits } from './limits.js';
import type { McpConnection } from './mcp-connection.js';
import { McpFailure } from './mcp-failure.js';
import { RPC_CODES, isRecord } from './rpc-message.js';
import type { SecretMask } from './secret-mask.js';
import type { TaskEnd } from './task-end.js';
import type { TaskNote, TaskNotes } from './task-notes.js';
import { wantedInputs } from './wanted-inputs.js';

/** The task that a server has made of a call; null: it has made none. @throws McpFailure: it does not name it */
export function taskIn(
  result: Readonly<Record<string, unknown>>,
  now: number,
  limits: McpLimits,
  mask: SecretMask,
): ServerTask | null {
  if (result['resultType'] !== 'task') return null;
  const { taskId, ttlMs, pollIntervalMs } = isRecord(result['task']) ? result['task'] : result;
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > MAX_ID)
    throw new McpFailure('nonsense', 'made a task of the call, and does not name it');
  // It is kept as it is, or not at all.
  if (mask.opaqueHolds(taskId))
    throw new McpFailure('unusable', 'made a task of the call whose name holds a secret of the caller');
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
  private readonly server: string;

  constructor(
    private readonly connection: McpConnection,
    private readonly clock: Clock,
    private readonly limits: McpLimits,
    private readonly notes: TaskNotes,
  ) {
    const { config, index } = connection;
    this.server = `${config.serverName}\n${index}`;
  }

  /**
   * What has become of it since somebody was told of it last.
   * @param answers to what it wanted to know when it was asked before, by its keys
   * @throws the signal's reason
   */
  async follow(
    task: ServerTask,
    signal: AbortSignal,
    answers: ServerAnswers['answers'] = {},
  ): Promise<TaskEnd> {
    const { clock, limits } = this;
    const kept = this.notes.take(this.server, task);
    if (kept !== null && !isAnswered(kept, answers)) return kept;
    const note = this.notes.of(this.server, task, clock.now());
    for (;;) {
      const dueMs = note.dueAt - clock.now();
      if (dueMs > 0 && !isToBeTold(note, answers)) await clock.sleep(dueMs, signal).catch(() => undefined);
      if (signal.aborted) return this.leave(task, signal);
      const now = clock.now();
      if (now >= (task.expires_at ?? Infinity)) return unknown('has forgotten the task');
      if (now - task.started_at >= limits.taskMs) return unknown('took longer than a day over the task');
      if (now - note.heardAt >= limits.taskSilenceMs) return unknown('does not answer any more');
      try {
        await this.tell(task, note, answers, signal);
        const answer = await this.askToTheEnd(task.id, signal);
        const end = this.endIn(task, answer, note, answers);
        note.heardAt = clock.now();
        note.pauseMs = pollOf(answer['pollIntervalMs'], limits);
        note.dueAt = note.heardAt + note.pauseMs;
        // It would wait for an answer that nobody can be asked for.
        if (end?.kind === 'failed' && end.isUnaskable) await this.stop(task.id);
        if (end !== null) return end;
      } catch (error) {
        if (signal.aborted) return this.leave(task, signal);
        if (!(error instanceof McpFailure)) throw error;
        if (error.rpc?.code === RPC_CODES.invalidParams) return unknown('does not know the task any more');
        note.pauseMs = Math.min(limits.maxPollMs, note.pauseMs * 2);
        note.dueAt = clock.now() + note.pauseMs;
      }
    }
  }

  /** Asks until something has become of it, which whoever follows it next is told without asking again. */
  async untilNews(task: ServerTask, signal: AbortSignal): Promise<void> {
    this.notes.keep(this.server, task, await this.follow(task, signal));
  }

  /** What it still wants to know, once for each key: what was answered is sent when the server has asked for it here. */
  private async tell(
    { id }: ServerTask,
    note: TaskNote,
    answers: ServerAnswers['answers'],
    signal: AbortSignal,
  ): Promise<void> {
    const inputResponses = Object.fromEntries(
      Object.entries(answers).filter(([key]) => note.wanted.has(key) && !note.told.has(key)),
    );
    const keys = Object.keys(inputResponses);
    if (keys.length === 0) return;
    try {
      await this.ask('tasks/update', id, signal, { inputResponses });
    } catch (error) {
      // A refusal was heard, and would be the same again. What was not may be lost, and is told once more.
      if (!(error instanceof McpFailure) || error.kind !== 'refused') throw error;
    }
    for (const key of keys) note.told.add(key);
  }

  /** What a question that is under way brings may be told only once: whoever leaves off waits for it, for a moment. */
  private async askToTheEnd(taskId: string, signal: AbortSignal): Promise<Record<string, unknown>> {
    const { closeMs } = this.limits;
    const late = lateSignal(signal, (reason) => (goesOn(reason) ? closeMs : 0), this.clock);
    try {
      return await this.ask('tasks/get', taskId, late.signal);
    } finally {
      late[Symbol.dispose]();
    }
  }

  private async leave(task: ServerTask, { reason }: AbortSignal): Promise<never> {
    if (!goesOn(reason)) await this.stop(task.id);
    throw reason as Error;
  }

  /** Never rejects. */
  private async stop(taskId: string): Promise<void> {
    const late = this.clock.deadline(this.limits.closeMs);
    try {
      await this.ask('tasks/cancel', taskId, late.signal);
    } catch {
      // It need not answer.
    } finally {
      late[Symbol.dispose]();
    }
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

  /** What it wants to know, or why nobody can be asked for that. */
  private wantsOf(task: Readonly<Record<string, unknown>>): WantedInputs | McpFailure {
    try {
      return wantedInputs(task, this.connection.mask);
    } catch (error) {
      if (error instanceof McpFailure) return error;
      throw error;
    }
  }

  /** null: it goes on. @throws McpFailure */
  private endIn(
    { id }: ServerTask,
    answer: Readonly<Record<string, unknown>>,
    note: TaskNote,
    answers: ServerAnswers['answers'],
  ): TaskEnd | null {
    const task = isRecord(answer['task']) ? answer['task'] : answer;
    const { taskId = id, status, result, error, statusMessage } = task;
    if (taskId !== id) throw new McpFailure('nonsense', 'told of another task');
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
        const wants = this.wantsOf(task);
        if (wants instanceof McpFailure) return { kind: 'failed', says: wants.message, isUnaskable: true };
        const { questions: asked } = wants;
        note.wanted = new Set(asked.map(({ key }) => key));
        if (isToBeTold(note, answers)) return null;
        const questions = asked.filter(({ key }) => !note.told.has(key));
        return questions.length === 0 ? null : { kind: 'wants', wants: { questions } };
      }
      default:
        throw new McpFailure('nonsense', 'gave a state of a task that is not known here');
    }
  }
}

const unknown = (says: string): TaskEnd => ({ kind: 'unknown', says });

const isToBeTold = ({ wanted, told }: TaskNote, answers: ServerAnswers['answers']): boolean =>
  Object.keys(answers).some((key) => wanted.has(key) && !told.has(key));

/** Somebody else was told of it, and it was answered meanwhile. */
const isAnswered = (end: TaskEnd, answers: ServerAnswers['answers']): boolean =>
  end.kind === 'wants' && end.wants.questions.every(({ key }) => key in answers);

/** Only this process, or whoever asks in it, leaves off. */
const goesOn = (reason: unknown): boolean =>
  [RunStopped, ClaimLost, TaskLeft].some((kind) => reason instanceof kind);
