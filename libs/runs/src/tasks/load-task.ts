import { type TaskState, asTaskEvent, evolveTask, taskStream, type TaskId } from '#domain';
import type { EventLog, RecordedEvent } from '#event-log';

/** Holds the newest hundred firings, with what was missed and commanded in between. */
const TAIL_EVENTS = 250;

/**
 * A task as the log knows it: its first event and its newest ones, so that a task costs the same after a year of minutes.
 * null: there is none, as far as the read shows. @throws LogUnavailable
 */
export async function loadTask(log: EventLog, task: TaskId): Promise<TaskState | 'erased' | null> {
  const stream = taskStream(task);
  const tail: RecordedEvent[] = [];
  for await (const page of log.readStream(stream, { backwards: true, limit: TAIL_EVENTS }))
    tail.push(...page);
  const oldest = tail.at(-1);
  if (oldest === undefined) return null;
  if (oldest.revision > 0) {
    for await (const page of log.readStream(stream, { limit: 1 })) tail.push(...page);
  }
  if (tail.some((event) => event.isErased)) return 'erased';
  return tail.reduceRight<TaskState | null>((state, event) => evolveTask(state, asTaskEvent(event)), null);
}
