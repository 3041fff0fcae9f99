import {
  type CallAction,
  type CallState,
  type Content,
  type RecordedSessionEvent,
  type Revision,
  type RunId,
  type RunWarning,
  type SessionEvent,
  type ToolResult,
  type TurnToolCall,
  assertNever,
  callsOf,
  inputOf,
  isAboutCall,
  toolResultOf,
  warningOf,
  withAction,
  withDecision,
} from '#domain/browser';
import { isSameJson } from '../compare/same-json.js';

/** What a run was given besides its message, with what it went on with: what another one needs to be given the same. */
export interface RecordedRun {
  /** Revision of the first claim of the first of them; null: nobody has claimed it yet. */
  readonly claimed: Revision | null;
  readonly hasEnded: boolean;
  /** What the model was offered, from the step on that is the n-th: JSON text of `OfferedTool[]`. */
  readonly offered: readonly { readonly step: number; readonly tools: Content }[];
  /** The messages that steered it, behind so many steps. */
  readonly steering: readonly { readonly steps: number; readonly content: Content }[];
  /** The calls that have a result, in their order. */
  readonly calls: readonly RecordedCall[];
  readonly warnings: readonly RunWarning[];
}

export interface RecordedCall {
  readonly call: TurnToolCall;
  readonly result: ToolResult;
  /** What a person, or time, said of the main agent's call; absent: nobody was asked. */
  readonly decided?: NonNullable<CallAction['decided']>;
}

type DataOf<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>['data'];

interface OpenCall {
  readonly call: TurnToolCall;
  result: ToolResult | null;
  decided?: RecordedCall['decided'];
}

/** Folds the events of a run, behind those of the runs that it goes on with, into what was given to it. */
export class RecordedRunFold {
  hasEnded = false;
  private claimed: Revision | null = null;
  private steps = 0;
  private readonly offered: { readonly step: number; readonly tools: Content }[] = [];
  private readonly steering: { readonly steps: number; readonly content: Content }[] = [];
  private readonly calls: OpenCall[] = [];
  /** Ids are unique within a turn: of the latest of the main agent, and of each attempt of a step. */
  private readonly latest = new Map<string, readonly OpenCall[]>();
  /** The latest turn of the main agent: what was asked and decided about its calls. */
  private turn: readonly CallState[] = [];
  private isAskingForStep = false;
  private readonly warnings: RunWarning[] = [];

  /** @param run the last of them */
  constructor(private readonly run: RunId) {}

  push(event: RecordedSessionEvent): void {
    switch (event.type) {
      case 'run_claimed':
        this.claimed ??= event.revision;
        return;
      case 'tools_offered':
        if (!event.isUnreadable) this.offered.push({ step: this.steps, tools: event.data.tools });
        return;
      case 'model_turn_completed':
        return this.take(event.data);
      case 'tool_call_completed': {
        const { call_id: id, step } = event.data;
        const open = this.latest.get(placeOf(step))?.find(({ call }) => call.id === id);
        if (open === undefined) return;
        open.result ??= toolResultOf(event.data);
        if (step === undefined) open.decided ??= this.decisionOn(id);
        return;
      }
      case 'agent_action_required':
        if (isAboutCall(event.data.kind) && !this.isAskingForStep)
          this.turn = withAction(this.turn, event.data.action_id);
        return;
      case 'agent_action_resolved':
        this.turn = withDecision(this.turn, event.data);
        return;
      case 'tool_calls_reopened':
        return this.reopen(event.data);
      case 'agent_step':
        this.steps += 1;
        return;
      case 'agent_steered':
        this.steering.push({ steps: this.steps, content: event.data.content });
        return;
      case 'agent_warning':
        if (!event.isUnreadable) this.warnings.push(warningOf(event));
        return;
      case 'agent_completed':
      case 'agent_error':
      case 'agent_cancelled':
        this.hasEnded ||= event.meta.run === this.run;
        return;
      case 'agent_cost':
      case 'agent_drift':
      case 'agent_compacted':
      case 'agent_final_output':
      case 'agent_handoff':
      case 'agent_response':
      case 'agent_response_start':
      case 'agent_started':
      case 'agent_task_scheduled':
      case 'agent_thinking':
      case 'agent_thinking_start':
      case 'agent_tool_response':
      case 'agent_tool_use':
      case 'agent_tool_use_start':
      case 'agent_workflow_step':
      case 'messages_cleared':
      case 'model_called':
      case 'usage_kept':
      case 'model_turn_failed':
      case 'run_cancel_requested':
      case 'run_parked':
      case 'run_woken':
      case 'run_refused':
      case 'response_requested':
      case 'items_given':
      case 'response_deleted':
      case 'conversation_metadata_set':
      case 'run_requested':
      case 'run_steered':
      case 'session_erased':
      case 'session_forked':
      case 'session_opened':
      case 'tool_call_begun':
      case 'tool_task_started':
      case 'tool_input_required':
      case 'tool_input_given':
      case 'workflow_attempt_failed':
      case 'workflow_attempt_started':
      case 'workflow_step_completed':
      case 'workflow_tool_responded':
        return;
      default:
        return assertNever(event);
    }
  }

  finish(): RecordedRun {
    const { claimed, hasEnded, offered, steering, warnings } = this;
    const calls = this.calls.flatMap(({ call, result, decided }) =>
      result === null ? [] : [{ call, result, ...(decided === undefined ? {} : { decided }) }],
    );
    return { claimed, hasEnded, offered, steering, calls, warnings };
  }

  private take(turn: DataOf<'model_turn_completed'>): void {
    const { step, attempt, tool_calls = [], final_output } = turn;
    if (final_output) return;
    const calls = tool_calls.map((call): OpenCall => ({ call, result: null }));
    this.calls.push(...calls);
    this.latest.set(placeOf(step === undefined ? undefined : { ...step, attempt: attempt ?? 0 }), calls);
    this.isAskingForStep = step !== undefined;
    if (!this.isAskingForStep) this.turn = callsOf(turn);
  }

  /** The run that goes on with it asks anew. */
  private reopen({ call_ids: ids, step }: DataOf<'tool_calls_reopened'>): void {
    this.isAskingForStep = step !== undefined;
    if (this.isAskingForStep) return;
    this.turn = this.turn.map((state) => {
      const { action: _, ...unasked } = state;
      return ids.includes(state.call.id) ? unasked : state;
    });
  }

  private decisionOn(id: string): RecordedCall['decided'] {
    return this.turn.find(({ call }) => call.id === id)?.action?.decided ?? undefined;
  }
}

type AttemptPlace = { readonly call_id: string; readonly step_id: string; readonly attempt: number };

const placeOf = (step: AttemptPlace | undefined): string =>
  step === undefined ? '' : JSON.stringify([step.call_id, step.step_id, step.attempt]);

/** Gives calls the recorded results: the n-th of equal ones the n-th result. Owns which of them were given. */
export class RecordedResults {
  private readonly left: Map<string, RecordedCall[]>;

  constructor(calls: readonly RecordedCall[]) {
    this.left = Map.groupBy(calls, ({ call }) => call.name);
  }

  /** null: there is none, or none any more. */
  take(call: TurnToolCall): RecordedCall | null {
    const left = this.left.get(call.name) ?? [];
    const input = saidBy(call);
    const at = left.findIndex((recorded) => isSameJson(saidBy(recorded.call), input));
    return at < 0 ? null : left.splice(at, 1)[0]!;
  }
}

/** What is no JSON is compared as it was written. */
const saidBy = (call: TurnToolCall): unknown => inputOf(call) ?? call.arguments;
