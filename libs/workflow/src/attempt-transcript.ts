import {
  type CallState,
  type Content,
  type ContextMessage,
  NOT_MADE,
  OUTCOME_UNKNOWN,
  type SessionEvent,
  assertNever,
  callsOf,
  isAboutCall,
  toolMessage,
  toolResultOf,
  withAction,
  withAskedInput,
  withBegun,
  withDecision,
  withInput,
  withInputAction,
  withResult,
  withTask,
  withUndecidedForgotten,
} from '#domain/browser';

interface StepTurn {
  readonly text: Content;
  readonly calls: readonly CallState[];
  readonly provider: Content | undefined;
}

export type AttemptAction =
  | { readonly kind: 'call_model' }
  /** Calls of the latest turn that have no result yet; some may wait for somebody. */
  | { readonly kind: 'run_tools'; readonly calls: readonly CallState[] }
  /** Each with its `workflow_tool_responded`, in one append. */
  | { readonly kind: 'respond'; readonly responses: readonly CallState[] }
  | { readonly kind: 'finished'; readonly text: Content }
  | { readonly kind: 'too_many_turns' };

/**
 * One attempt of a step: the turns that the model has taken in it, as a fold of the attempt's own events. What it holds
 * is not asked again after a crash.
 */
export class AttemptTranscript {
  private readonly turns: StepTurn[] = [];

  /** Takes events of this attempt only; others of the run are to be kept from it. */
  push(event: SessionEvent): void {
    switch (event.type) {
      case 'model_turn_completed': {
        const { text = '', provider } = event.data;
        this.turns.push({ text, calls: callsOf(event.data), provider });
        return;
      }
      case 'tool_call_completed':
        return this.change((calls) => withResult(calls, event.data.call_id, toolResultOf(event.data)));
      case 'tool_call_begun':
        return this.change((calls) => withBegun(calls, event.data.call_id));
      case 'tool_task_started':
        return this.change((calls) => withTask(calls, event.data.call_id, event.data.task));
      case 'tool_input_required':
        return this.change((calls) => withAskedInput(calls, event.data));
      case 'tool_input_given':
        return this.change((calls) => withInput(calls, event.data));
      case 'agent_action_required': {
        const { action_id: id, kind } = event.data;
        if (kind === 'input') return this.change((calls) => withInputAction(calls, id));
        // Others ask for the run as a whole.
        return isAboutCall(kind) ? this.change((calls) => withAction(calls, id)) : undefined;
      }
      case 'agent_action_resolved':
        return this.change((calls) => withDecision(calls, event.data));
      case 'workflow_tool_responded':
        return this.change((calls) =>
          calls.map((c) => (c.call.id === event.data.tool_call_id ? { ...c, isResponded: true } : c)),
        );
      case 'agent_started':
      case 'agent_task_scheduled':
      case 'agent_thinking_start':
      case 'agent_thinking':
      case 'agent_response_start':
      case 'agent_response':
      case 'agent_tool_use_start':
      case 'agent_tool_use':
      case 'agent_tool_response':
      case 'agent_step':
      case 'agent_handoff':
      case 'agent_workflow_step':
      case 'agent_final_output':
      case 'agent_warning':
      case 'tool_calls_reopened':
      case 'agent_steered':
      case 'agent_drift':
      case 'agent_compacted':
      case 'agent_cost':
      case 'tools_offered':
      case 'run_parked':
      case 'run_woken':
      case 'run_steered':
      case 'agent_completed':
      case 'agent_cancelled':
      case 'agent_error':
      case 'session_opened':
      case 'session_forked':
      case 'run_requested':
      case 'run_claimed':
      case 'run_refused':
      case 'response_requested':
      case 'items_given':
      case 'response_deleted':
      case 'conversation_metadata_set':
      case 'model_called':
      case 'usage_kept':
      case 'model_turn_failed':
      case 'workflow_attempt_started':
      case 'workflow_attempt_failed':
      case 'workflow_step_completed':
      case 'run_cancel_requested':
      case 'messages_cleared':
      case 'session_erased':
        return;
      default:
        return assertNever(event);
    }
  }

  /** @param maxTurns an attempt's own count: the run's steps do not matter here */
  next(maxTurns: number): AttemptAction {
    const turn = this.turns.at(-1);
    if (turn === undefined) return { kind: 'call_model' };
    if (turn.calls.length === 0) return { kind: 'finished', text: turn.text };
    const open = turn.calls.filter((c) => c.result === null);
    if (open.length > 0) return { kind: 'run_tools', calls: open };
    const responses = turn.calls.filter((c) => !c.isResponded);
    if (responses.length > 0) return { kind: 'respond', responses };
    return this.turns.length >= maxTurns ? { kind: 'too_many_turns' } : { kind: 'call_model' };
  }

  /** Those of the latest turn that have no result. */
  get openCalls(): readonly CallState[] {
    return (this.turns.at(-1)?.calls ?? []).filter(({ result }) => result === null);
  }

  /** What follows the attempt's first message in the model's context; each call is followed by exactly one result. */
  get messages(): readonly ContextMessage[] {
    return this.turns.flatMap(({ text, calls, provider }): ContextMessage[] => {
      const said = {
        role: 'assistant',
        content: text,
        ...(provider === undefined ? {} : { provider }),
      } as const;
      if (calls.length === 0) return [said];
      const results = calls.map(({ call, result }): ContextMessage => {
        const unknown = call.needs === undefined ? OUTCOME_UNKNOWN : NOT_MADE;
        return toolMessage(call.id, result?.content ?? unknown, result?.images);
      });
      return [{ ...said, toolCalls: calls.map((c) => c.call) }, ...results];
    });
  }

  /** The run goes on as another one: whoever was asked and has not decided is asked anew. */
  forgetUndecided(): void {
    this.change(withUndecidedForgotten);
  }

  private change(to: (calls: readonly CallState[]) => readonly CallState[]): void {
    const turn = this.turns.at(-1);
    if (turn === undefined) return;
    this.turns[this.turns.length - 1] = { ...turn, calls: to(turn.calls) };
  }
}
