import type { SessionEvent } from '../session-events.js';
import type { ServerTask, TurnToolCall } from '../turn-tool-call.js';
import { type CallPlace, keyOfPlace } from './action.js';

/** A task of a server, and the call that it was made of. */
export interface StartedTask {
  readonly call: TurnToolCall;
  readonly task: ServerTask;
}

/** Folds the events of a run into the tasks that servers have made of its calls, whatever has become of them. */
export class StartedTasksFold {
  private readonly calls = new Map<string, TurnToolCall>();
  private readonly tasks = new Map<string, StartedTask>();

  /** undefined: the call was made no task of. */
  of(place: CallPlace): StartedTask | undefined {
    return this.tasks.get(keyOfPlace(place));
  }

  push({ type, data }: SessionEvent): void {
    if (type === 'model_turn_completed') {
      const { step, tool_calls: calls = [] } = data;
      for (const call of calls) this.calls.set(keyOfPlace({ call_id: call.id, step }), call);
    } else if (type === 'tool_task_started') {
      const key = keyOfPlace(data);
      const call = this.calls.get(key);
      if (call !== undefined) this.tasks.set(key, { call, task: data.task });
    }
  }
}
