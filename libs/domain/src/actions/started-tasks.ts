import type { SessionEvent } from '../session-events.js';
import type { ServerTask } from '../turn-tool-call.js';
import { type CallPlace, keyOfPlace } from './action.js';

/** A task of a server, and the tool whose call it was made of. */
export interface StartedTask {
  readonly tool: string;
  readonly task: ServerTask;
}

/** Folds the events of a run into the tasks that servers have made of its calls, whatever has become of them. */
export class StartedTasksFold {
  private readonly names = new Map<string, string>();
  private readonly tasks = new Map<string, StartedTask>();

  /** undefined: the call was made no task of. */
  of(place: CallPlace): StartedTask | undefined {
    return this.tasks.get(keyOfPlace(place));
  }

  push({ type, data }: SessionEvent): void {
    if (type === 'model_turn_completed') {
      const { step, tool_calls: calls = [] } = data;
      for (const { id, name } of calls) this.names.set(keyOfPlace({ call_id: id, step }), name);
    } else if (type === 'tool_task_started') {
      const key = keyOfPlace(data);
      this.tasks.set(key, { tool: this.names.get(key) ?? '', task: data.task });
    }
  }
}
