import type { RecordedSessionEvent } from '#domain/browser';
import { textOf } from './as-recorded.js';
import { askedOf, objectOf, toldCall } from './asked.js';
import type { Item } from './items.js';

type EventType = RecordedSessionEvent['type'];
type EventOf<T extends EventType> = Extract<RecordedSessionEvent, { type: T }>;

/** An item without its place. */
export type Besides<T extends Item = Item> = T extends Item
  ? Omit<T, 'key' | 'event' | 'time' | 'run' | 'isInherited'>
  : never;

type Reader<T extends EventType> = (event: EventOf<T>, head: string | undefined) => Besides;

const READERS: { readonly [T in EventType]?: Reader<T> } = {
  agent_action_required: ({ data }, head) => ({ kind: 'action', ...askedOf(data, head) }),
  agent_handoff: ({ data }) => ({ kind: 'handoff', agent: data.agent }),
  agent_final_output: ({ data }) => ({ kind: 'output', name: data.name, text: textOf([data.content]) }),
  agent_error: ({ data: { code, content, retryable } }) => ({
    kind: 'error',
    code,
    text: content,
    isRetryable: retryable,
  }),
  agent_cancelled: () => ({ kind: 'note', tone: 'plain', text: 'The run was cancelled.' }),
  agent_warning: ({ data }) => {
    const reason = objectOf(data.content)?.['reason'];
    return { kind: 'note', tone: 'warning', text: typeof reason === 'string' ? reason : 'A warning.' };
  },
  agent_task_scheduled: ({ data }) => ({
    kind: 'note',
    tone: 'plain',
    text: `A task is scheduled, next at ${data.next_run_at}.`,
  }),
  agent_drift: ({ data }, head) => ({
    kind: 'note',
    tone: 'warning',
    text: `The record holds no result of this call of ${toldCall(data.content, head).tool}.`,
  }),
  agent_compacted: ({ data: { content, from, through } }) => ({
    kind: 'note',
    tone: 'plain',
    text:
      content === ''
        ? `From here on the agent is not told what was said from ${from} to ${through}.`
        : `From here on the agent is told a summary of what was said from ${from} to ${through}.`,
  }),
};

/**
 * What an event shows in the conversation that is no message; null: nothing.
 * @param head how its data begin, where they are not loaded
 */
export function besides(event: RecordedSessionEvent, head: string | undefined): Besides | null {
  const read = READERS[event.type] as Reader<EventType> | undefined;
  return read?.(event, head) ?? null;
}
