import { createHash } from 'node:crypto';
import { runId, type RunId, type SessionId, type StreamName, type TaskId } from '../ids.js';

/** A task's id follows from the run whose request brought it, so that whoever makes it again makes the same. */
export const taskId = (run: RunId, index: number): TaskId =>
  `task_${digest('task', run, index).slice(0, 24)}`;

export const isTaskId = (text: string): boolean => /^task_[0-9a-f]{24}$/.test(text);

export const taskStream = (task: TaskId): StreamName => `task-${task}`;

/** The task of a stream's name, or null where it is another kind of stream. */
export const taskOfStream = (stream: StreamName): TaskId | null =>
  stream.startsWith('task-') ? stream.slice('task-'.length) : null;

/** The run that a slot starts: the same for whoever starts it. */
export const firingRun = (session: SessionId, task: TaskId, slot: number): RunId =>
  runId(session, digest('firing', task, slot).slice(0, 16));

const digest = (...parts: readonly (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');
