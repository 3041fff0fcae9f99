import type { CallToolResult } from '@modelcontextprotocol/server';
import type { RunReading } from './run-reading.js';

/** How often a client should ask at first, and of a run that takes long. */
const POLL_MS = 1_000;
const LATER_POLL_MS = 5_000;
const LATER_MS = 60_000;

/** A run as a Task (SEP-2663): its id is the run's, and it can be asked for as long as the log is there. */
interface TaskFields {
  readonly taskId: string;
  readonly ttlMs: null;
  readonly pollIntervalMs: number;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
}

type TaskState =
  | { readonly status: 'working'; readonly statusMessage: string }
  | { readonly status: 'completed'; readonly result: CallToolResult & { readonly resultType: 'complete' } }
  | { readonly status: 'cancelled' };

export type TaskView = TaskFields & TaskState;

/** What a call is answered whose run goes on. */
export type TaskHandle = TaskFields & {
  readonly resultType: 'task';
  readonly status: 'working';
  readonly statusMessage: string;
};

/** @param now ms since 1970 */
export const taskHandle = (reading: RunReading, now: number): TaskHandle => ({
  resultType: 'task',
  ...fieldsOf(reading, now),
  status: 'working',
  statusMessage: reading.activity,
});

/**
 * @param now ms since 1970
 * @param resultOf makes the result of a run that has ended by itself: a failed one, too, was carried out
 */
export async function taskView(
  reading: RunReading,
  now: number,
  resultOf: () => Promise<CallToolResult>,
): Promise<TaskView> {
  const fields = fieldsOf(reading, now);
  switch (reading.status) {
    case 'queued':
    case 'running':
    case 'waiting':
      return { ...fields, status: 'working', statusMessage: reading.activity };
    case 'completed':
    case 'failed':
      return { ...fields, status: 'completed', result: { ...(await resultOf()), resultType: 'complete' } };
    case 'cancelled':
      return { ...fields, status: 'cancelled' };
  }
}

function fieldsOf({ run, createdAt, updatedAt }: RunReading, now: number): TaskFields {
  return {
    taskId: run,
    ttlMs: null,
    pollIntervalMs: now - createdAt >= LATER_MS ? LATER_POLL_MS : POLL_MS,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
  };
}
