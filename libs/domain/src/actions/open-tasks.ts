import type { SessionEvent } from '../session-events.js';
import type { ServerTask } from '../turn-tool-call.js';
import type { AttemptRef } from '../workflow/workflow.js';

/** A task of a server, and the tool whose call it was made of. */
export interface OpenTask {
  readonly tool: string;
  readonly task: ServerTask;
}

/** Folds the events of a run into the calls that servers go on with by themselves. */
export class OpenTasksFold {
  private readonly names = new Map<string, string>();
  private readonly tasks = new Map<string, OpenTask>();
  /** Those whose server wants to know more first, and what nobody has decided on of that. */
  private readonly asking = new Set<string>();
  private readonly actions = new Set<string>();

  /** Those that go on. */
  get open(): readonly OpenTask[] {
    return [...this.tasks].filter(([place]) => !this.asking.has(place)).map(([, task]) => task);
  }

  push({ type, data }: SessionEvent): void {
    if (type === 'model_turn_completed') {
      const { step, tool_calls: calls = [] } = data;
      for (const { id, name } of calls) this.names.set(placeOf(id, step), name);
    } else if (type === 'tool_task_started') {
      const place = placeOf(data.call_id, data.step);
      this.tasks.set(place, { tool: this.names.get(place) ?? '', task: data.task });
    } else if (type === 'tool_input_required') this.asking.add(placeOf(data.call_id, data.step));
    else if (type === 'agent_action_required' && data.kind === 'input') this.actions.add(data.action_id);
    else if (type === 'agent_action_resolved') {
      this.actions.delete(data.action_id);
      if (this.actions.size === 0) this.asking.clear();
    } else if (type === 'tool_call_completed') this.tasks.delete(placeOf(data.call_id, data.step));
  }
}

const placeOf = (id: string, step: Omit<AttemptRef, 'attempt'> | undefined): string =>
  step === undefined ? id : JSON.stringify([step.call_id, step.step_id, id]);
