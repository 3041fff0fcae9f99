import {
  type AttemptRef,
  type CallState,
  type SessionEvent,
  type StepRef,
  type Workflow,
  assertNever,
} from '#domain/browser';
import { AttemptTranscript } from './attempt-transcript.js';
import { WorkflowState } from './workflow-state.js';

/** A call of `run_workflow` that was under way, as far as the log holds it. */
export interface WorkflowCall {
  readonly state: WorkflowState;
  /** Of the attempts that had started and not ended, by step. */
  readonly transcripts: ReadonlyMap<string, AttemptTranscript>;
}

/**
 * The workflows that a run's latest turn called, folded from the run's events: the one place that holds what their
 * attempts have said, and what recovery goes on from. A call of an earlier turn is over, and its id may come again.
 */
export class WorkflowRuns {
  private readonly byId: ReadonlyMap<string, Workflow>;
  private readonly calls = new Map<
    string,
    { readonly state: WorkflowState; readonly transcripts: Map<string, AttemptTranscript> }
  >();

  /** Whose turn was the latest, if it was one of a step: what is asked directly behind it is asked for that step. */
  private asking: AttemptTranscript | undefined;

  constructor(workflows: readonly Workflow[]) {
    this.byId = new Map(workflows.map((workflow) => [workflow.id, workflow]));
  }

  /** Undefined: of this call nothing is on the log. */
  of(callId: string): WorkflowCall | undefined {
    return this.calls.get(callId);
  }

  /** Attempts that had started and not ended. */
  get openAttempts(): { readonly ref: AttemptRef; readonly transcript: AttemptTranscript }[] {
    return [...this.calls].flatMap(([call_id, { state, transcripts }]) =>
      [...transcripts].flatMap(([step_id, transcript]) => {
        const step = state.step(step_id);
        if (step.status !== 'running') return [];
        return [
          { ref: { call_id, workflow_id: state.workflow.id, step_id, attempt: step.attempt }, transcript },
        ];
      }),
    );
  }

  /** Takes the events of one run, from after its `run_requested` on. */
  push(event: SessionEvent): void {
    switch (event.type) {
      case 'model_turn_completed':
        if (event.data.step === undefined) this.calls.clear();
        this.asking = event.data.step && this.transcriptOf(event.data.step);
        this.asking?.push(event);
        return;
      case 'tool_calls_reopened':
        this.asking = event.data.step && this.transcriptOf(event.data.step);
        return;
      case 'tool_input_required':
        this.asking = event.data.step && this.transcriptOf(event.data.step);
        this.asking?.push(event);
        return;
      case 'agent_action_required':
        this.asking?.push(event);
        return;
      case 'tool_input_given':
      case 'agent_action_resolved':
        for (const { transcripts } of this.calls.values())
          for (const transcript of transcripts.values()) transcript.push(event);
        return;
      case 'tool_call_begun':
      case 'tool_task_started':
      case 'tool_call_completed':
        if (event.data.step !== undefined) this.transcriptOf(event.data.step)?.push(event);
        return;
      case 'workflow_tool_responded':
        this.transcriptOf(event.data)?.push(event);
        return;
      case 'workflow_attempt_started':
        this.start(event);
        return;
      case 'workflow_attempt_failed':
      case 'workflow_step_completed':
        this.callOf(event.data)?.state.push(event);
        this.callOf(event.data)?.transcripts.delete(event.data.step_id);
        return;
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
      case 'run_cancel_requested':
      case 'messages_cleared':
      case 'session_erased':
        return;
      default:
        return assertNever(event);
    }
  }

  private start(event: Extract<SessionEvent, { type: 'workflow_attempt_started' }>): void {
    const call = this.callOf(event.data);
    call?.state.push(event);
    call?.transcripts.set(event.data.step_id, new AttemptTranscript());
  }

  /** The run goes on as another one. */
  forgetUndecided(): void {
    for (const { transcripts } of this.calls.values())
      for (const transcript of transcripts.values()) transcript.forgetUndecided();
  }

  /** Calls of steps that have no result. */
  get openCalls(): readonly CallState[] {
    return [...this.calls.values()].flatMap(({ transcripts }) =>
      [...transcripts.values()].flatMap(({ openCalls }) => openCalls),
    );
  }

  /** The turns of an attempt that is under way. */
  transcriptOf(ref: StepRef | AttemptRef): AttemptTranscript | undefined {
    return this.calls.get(ref.call_id)?.transcripts.get(ref.step_id);
  }

  private callOf({ call_id, workflow_id }: StepRef) {
    const known = this.calls.get(call_id);
    const workflow = this.byId.get(workflow_id);
    if (known !== undefined || workflow === undefined) return known;
    const call = { state: new WorkflowState(workflow), transcripts: new Map<string, AttemptTranscript>() };
    this.calls.set(call_id, call);
    return call;
  }
}
