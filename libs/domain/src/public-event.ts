import type { ActionKind, ActionOutcome } from './actions/action.js';
import type { Content } from './content.js';
import type { ActionId, TaskId } from './ids.js';

export type StepStatus = 'started' | 'completed' | 'skipped' | 'failed';

export type ErrorCode =
  | 'model_unavailable'
  | 'max_steps'
  | 'timeout'
  | 'final_output_invalid'
  | 'tool_servers_lost'
  | 'context_too_long'
  | 'budget_exhausted'
  | 'internal';

/** Events that a client sees, with the fields of their `data:` JSON besides `type` and `session`. */
export type PublicEvent =
  | { readonly type: 'agent_started'; readonly data: Empty }
  | {
      readonly type: 'agent_task_scheduled';
      readonly data: {
        readonly task_id: TaskId;
        /** As the request gave it. */
        readonly schedule: number | string;
        readonly message: Content;
        /** ISO 8601, UTC. */
        readonly next_run_at: string;
      };
    }
  | { readonly type: 'agent_thinking_start'; readonly data: Empty }
  | { readonly type: 'agent_thinking'; readonly data: { readonly content: Content } }
  | { readonly type: 'agent_response_start'; readonly data: Empty }
  | { readonly type: 'agent_response'; readonly data: { readonly content: Content } }
  | { readonly type: 'agent_tool_use_start'; readonly data: Empty }
  | { readonly type: 'agent_tool_use'; readonly data: { readonly content: Content } }
  | { readonly type: 'agent_tool_response'; readonly data: { readonly content: Content } }
  | { readonly type: 'agent_step'; readonly data: { readonly step: string } }
  | { readonly type: 'agent_handoff'; readonly data: { readonly agent: string } }
  | {
      readonly type: 'agent_workflow_step';
      readonly data: {
        readonly workflow_id: string;
        readonly step_id: string;
        readonly status: StepStatus;
        /** A number; `0` for a step that was skipped before its first attempt. */
        readonly attempt: string;
      };
    }
  | {
      readonly type: 'agent_final_output';
      readonly data: { readonly name: string; readonly content: Content };
    }
  /** JSON text of a `RunWarning`. It stands in no block. */
  | { readonly type: 'agent_warning'; readonly data: { readonly content: string } }
  /**
   * Somebody is asked. Those of one turn stand directly behind its tool uses: the n-th belongs to the n-th call that needs
   * somebody.
   */
  | {
      readonly type: 'agent_action_required';
      readonly data: {
        readonly action_id: ActionId;
        readonly kind: ActionKind;
        /** JSON text of what is asked: see the kinds. */
        readonly content: Content;
        /** ISO 8601, UTC. */
        readonly expires_at: string;
      };
    }
  | {
      readonly type: 'agent_action_resolved';
      readonly data: {
        readonly action_id: ActionId;
        readonly decision: ActionOutcome;
        /** Id of the key that decided; empty: nobody did in time. */
        readonly actor: string;
        /** JSON text of {`reason`?, `input`?, `budget`?}. */
        readonly content: Content;
      };
    }
  /** A message that came while the run was under way is taken in: from here on the model is told of it. */
  | { readonly type: 'agent_steered'; readonly data: { readonly content: Content } }
  /** In a replay: the record holds no result of this call. JSON text of {`tool`, `input`}; behind the turn's tool uses. */
  | { readonly type: 'agent_drift'; readonly data: { readonly content: Content } }
  /**
   * From here on the model is told the summary instead of what was said from `from` to `through`: a client saw both, and all
   * between them. See `line-place` for how they are named.
   */
  | {
      readonly type: 'agent_compacted';
      readonly data: {
        /** Empty: there is no summary, and what it stands for is left out. */
        readonly content: Content;
        readonly from: string;
        readonly through: string;
      };
    }
  | { readonly type: 'agent_cost'; readonly data: { readonly cost: string } }
  | { readonly type: 'agent_completed'; readonly data: Empty }
  | { readonly type: 'agent_cancelled'; readonly data: Empty }
  | {
      readonly type: 'agent_error';
      readonly data: { readonly content: string; readonly code: ErrorCode; readonly retryable: boolean };
    };

export type Empty = Readonly<Record<string, never>>;
