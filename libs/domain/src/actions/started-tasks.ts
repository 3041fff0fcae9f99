import type { SessionEvent } from '../session-events.js';
import type { ServerTask, TurnToolCall } from '../turn-tool-call.js';
import { type CallPlace, keyOfPlace } from './action.js';

type OfServer = Pick<TurnToolCall, 'server' | 'server_index'>;

/** A task of a server. */
export interface StartedTask extends OfServer {
  readonly task: ServerTask;
}

/** Folds the events of a run into the tasks that servers have made of its calls, whatever has become of them. */
export class StartedTasksFold {
  private readonly calls = new Map<string, OfServer>();
  private readonly tasks = new Map<string, StartedTask>();

  /** undefined: the call was made no task of. */
  of(place: CallPlace): StartedTask | undefined {
    return this.tasks.get(keyOfPlace(place));
  }

  push({ type, data }: SessionEvent): void {
    if (type === 'model_turn_completed') {
      const { step, tool_calls: calls = [] } = data;
      for (const call of calls) this.calls.set(keyOfPlace({ call_id: call.id, step }), serverOf(call));
    } else if (type === 'tool_task_started') {
      const key = keyOfPlace(data);
      // Those of earlier versions name no server; the call of a run that this one goes on with is not among its events.
      const of = data.server === undefined ? this.calls.get(key) : serverOf(data);
      this.tasks.set(key, { ...of, task: data.task });
    }
  }
}

const serverOf = ({ server, server_index }: OfServer): OfServer => ({
  ...(server === undefined ? {} : { server }),
  ...(server_index === undefined ? {} : { server_index }),
});
