import type { OpenAction, SteeringMessage, TaskPlace } from './actions/action.js';
import type { ActionId, ProjectId, Revision, RunId, SessionId, TaskId } from './ids.js';
import type { Content, FileRef } from './content.js';
import type { Fork } from './fork/fork.js';
import type { GivenItem } from './given/given-item.js';
import type { OpenCalls } from './given/open-calls.js';
import type { KeptCalls, ModelCall } from './money/model-call.js';
import type { Mode, ReplayOf, RunConfig, Trigger } from './run-config.js';
import type { Empty, PublicEvent } from './public-event.js';
import type { ResultFile } from './result-file.js';
import type { ScheduleRequest } from './tasks/schedule.js';
import type { ServerTask, TurnToolCall } from './turn-tool-call.js';
import type { AttemptRef, StepRef } from './workflow.js';

/** What a claim says of a run that still waits, so that a session's state can be read from its last claim on. */
export interface WaitingRun {
  readonly run: RunId;
  /** Revision of its `run_requested`. */
  readonly requested: Revision;
  /** The replica that accepted it: it alone may hold its MCP credentials. */
  readonly replica: string;
  readonly interrupts: boolean;
  readonly isCancelled: boolean;
  /** A firing of a task: it does not count against the runs that may wait. */
  readonly isFiring?: true;
  /** It ends when an action expires. */
  readonly endsUnheard?: true;
  /** Calls that were open, and whose results it brings; absent: none. */
  readonly answers?: OpenCalls;
}

export interface TurnUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly estimated?: true;
}

/** Events that stay inside. The run of an event stands in its envelope (`meta.run`). */
export type InternalEvent =
  | { readonly type: 'session_opened'; readonly data: Empty | Fork }
  /** A fork of the session is about to be opened: it shares all events up to `at`. */
  | {
      readonly type: 'session_forked';
      readonly data: { readonly session: SessionId; readonly at: Revision };
    }
  | {
      readonly type: 'run_requested';
      readonly data: {
        readonly message: Content;
        readonly mode: Mode;
        readonly model: string;
        /** In a file where it is too large for an event. */
        readonly config: RunConfig | FileRef;
        readonly trigger: Trigger;
        readonly replica: string;
        readonly interrupts?: true;
        /** Where the run's events are sent: URL and headers, sealed. */
        readonly callback?: string;
        /** The task whose slot started it. */
        readonly task?: TaskId;
        /** What is to be started later; each is a task, named by its place in this list. */
        readonly schedules?: readonly ScheduleRequest[];
        /** It goes on where this run ended, whose request stands at the revision: it has no message of its own. */
        readonly retry_of?: { readonly run: RunId; readonly requested: Revision };
        readonly replay_of?: ReplayOf;
        /** What the run begins with, where that is more than its message, which then is there for lists alone. */
        readonly items?: readonly GivenItem[];
        /** Nobody would read what is said after an action has expired: the run ends then. */
        readonly ends_unheard?: true;
      };
    }
  /**
   * Asks for a response of the OpenAI interface: stands before the `run_requested` of its run, or, where a run goes on with
   * it, before the decisions.
   */
  | {
      readonly type: 'response_requested';
      readonly data: {
        /** JSON text of the settings that the response shows and that were given. */
        readonly settings: Content;
        /** Of a run that goes on: what was given with it, and the settings that hold from there on. */
        readonly items?: readonly GivenItem[];
        readonly config?: RunConfig;
        /** Hex SHA-256 of what was sent, so that a repeat is known. */
        readonly payload?: string;
      };
    }
  /** Something is added to the session without a run. */
  | {
      readonly type: 'items_given';
      readonly data: {
        readonly items: readonly GivenItem[];
        /** By which a repeat is known; absent: the session began with them. */
        readonly payload?: string;
      };
    }
  /** The response is shown to nobody any more. */
  | { readonly type: 'response_deleted'; readonly data: { readonly response: string } }
  /** JSON text of what a caller says of the conversation, for itself: key → value. */
  | {
      readonly type: 'conversation_metadata_set';
      readonly data: {
        readonly metadata: Content;
        /** By which a repeat with an Idempotency-Key is known. */
        readonly payload?: string;
      };
    }
  | {
      readonly type: 'run_claimed';
      readonly data: {
        /** Replica and boot that drive the run from here on. */
        readonly worker: string;
        /** 1 for the first claim of a run, one more for each take-over. */
        readonly epoch: number;
        /** Revision of the run's `run_requested`. */
        readonly requested: Revision;
        /** The runs that wait at this moment, in order; absent: none. */
        readonly waiting?: readonly WaitingRun[];
        /** The run was cancelled while it waited: it has no message in the history. */
        readonly isCancelled?: true;
        /** It goes on where another ended: neither has it a message. */
        readonly isRetry?: true;
        /** The session was cleared since the run's start: nobody can go on with it. */
        readonly isClosed?: true;
        /** A cancel that came under an earlier claim of the run and was not obeyed yet. */
        readonly isCancelRequested?: true;
        /** Claims in a row before this one under which nothing was written, and nothing that the run is further by. */
        readonly silent?: number;
        readonly fruitless?: number;
        /** Of the run so far. */
        readonly cost?: string;
        /** What nobody has decided on yet; absent: nothing. */
        readonly actions?: readonly OpenAction[];
        /** Messages that came in and that the model was not given yet; absent: none. */
        readonly steered?: readonly SteeringMessage[];
        /** Calls that tool servers go on with by themselves; absent: none. */
        readonly tasks?: readonly TaskPlace[];
        /** Ids of the keys that steered the run, besides the one that started it. */
        readonly steerers?: readonly string[];
        /** It ends when an action expires. */
        readonly endsUnheard?: true;
        /** Calls that were given and have no result yet; absent: none. */
        readonly openCalls?: OpenCalls;
      };
    }
  /** What the model is offered from here on, where that is not what it was offered before. */
  | {
      readonly type: 'tools_offered';
      readonly data: {
        /** JSON text of `OfferedTool[]`. */
        readonly tools: Content;
      };
    }
  /** A call that a person has released is about to be made: without a result behind it, nobody knows what became of it. */
  | {
      readonly type: 'tool_call_begun';
      readonly data: { readonly call_id: string; readonly step?: AttemptRef };
    }
  /** The tool server goes on with the call by itself: from here on it is asked what has become of it, in any process. */
  | {
      readonly type: 'tool_task_started';
      readonly data: {
        readonly call_id: string;
        readonly step?: AttemptRef;
        /** The server's name, and which one of that name; absent: as the call has it. */
        readonly server?: string;
        readonly server_index?: number;
        readonly task: ServerTask;
      };
    }
  /** The tool server wants something to be answered before it goes on: the actions stand behind it, in the order of the keys. */
  | {
      readonly type: 'tool_input_required';
      readonly data: {
        readonly call_id: string;
        readonly step?: AttemptRef;
        readonly keys: readonly string[];
        /** What the server wants back with the answers. */
        readonly state?: Content;
      };
    }
  /** What somebody has answered to it, directly behind the decision. */
  | {
      readonly type: 'tool_input_given';
      readonly data: { readonly action: ActionId; readonly content: Content };
    }
  /** Somebody is asked about these calls of an earlier turn: the actions stand behind it, in their order. */
  | {
      readonly type: 'tool_calls_reopened';
      readonly data: { readonly call_ids: readonly string[]; readonly step?: AttemptRef };
    }
  /** Nothing can be done before somebody decides: nobody drives the run from here on. */
  | { readonly type: 'run_parked'; readonly data: Empty }
  /** A tool server has something to say, or nobody can ask it: the run can be claimed again. */
  | { readonly type: 'run_woken'; readonly data: Empty }
  /** A message for the run under way. */
  | { readonly type: 'run_steered'; readonly data: SteeringMessage }
  /** In the same append as what became of the call. In the clear: what was spent is known after an erasure, too. */
  | { readonly type: 'model_called'; readonly data: ModelCall }
  /** The same of the turns that were recorded before, as sums, when the session is erased. In the clear, too. */
  | { readonly type: 'usage_kept'; readonly data: { readonly calls: readonly KeptCalls[] } }
  | {
      readonly type: 'model_turn_completed';
      readonly data: {
        /** Of turns that were recorded before calls had events of their own. */
        readonly usage?: TurnUsage;
        readonly cost?: string;
        readonly finish_reason: string;
        readonly tool_calls?: readonly TurnToolCall[];
        /** A turn of an attempt of a workflow step, not of the main agent; then `attempt` and `text` are there, too. */
        readonly step?: StepRef;
        readonly attempt?: number;
        /** What the model wrote, where that is no block that a client sees: in a step, or as final output. */
        readonly text?: Content;
        /** An answer to the request for the final output; then `text` is there, too. */
        readonly final_output?: true;
        /**
         * What the model's server sent with the message besides what is known here, and may want back: JSON text, at most
         * 256 KB, which names the server and the model. No client sees it.
         */
        readonly provider?: Content;
      };
    }
  /** The turn broke and is asked again: what it wrote so far is no part of the context. */
  | {
      readonly type: 'model_turn_failed';
      readonly data: { readonly attempt: number; readonly error: string };
    }
  | {
      readonly type: 'tool_call_completed';
      readonly data: {
        readonly call_id: string;
        readonly content: Content;
        readonly is_error?: true;
        /** The attempt of a workflow step that made the call; ids of calls are unique within its turn only. */
        readonly step?: AttemptRef;
        /** What it brought besides text, each once; absent: nothing. */
        readonly files?: readonly ResultFile[];
        /** The result came with a decision on this action, and not from whoever drives the run. */
        readonly action?: ActionId;
      };
    }
  | { readonly type: 'workflow_attempt_started'; readonly data: AttemptRef }
  | {
      readonly type: 'workflow_attempt_failed';
      readonly data: AttemptRef & {
        readonly errors: readonly string[];
        /** When the next attempt may start, in ms since 1970; null: there is none. */
        readonly next_at: number | null;
      };
    }
  | {
      readonly type: 'workflow_step_completed';
      readonly data: AttemptRef & { readonly output: Content };
    }
  /** Stands with the `agent_tool_response` of a call that a step made, which itself cannot say whose it is. */
  | {
      readonly type: 'workflow_tool_responded';
      readonly data: AttemptRef & { readonly tool_call_id: string };
    }
  /**
   * A request with an `Idempotency-Key` was refused, and its run is not there. What another try of it, of unknown
   * outcome, wrote for an earlier revision can no longer be stored: the refusal holds.
   */
  | { readonly type: 'run_refused'; readonly data: { readonly code: string } }
  | { readonly type: 'run_cancel_requested'; readonly data: Empty }
  | { readonly type: 'messages_cleared'; readonly data: Empty }
  /** The last event of a session, the only one that can be read then, and the end of every run that has none. */
  | {
      readonly type: 'session_erased';
      readonly data: {
        /** How many events came before it. */
        readonly events: number;
        /** The key that was destroyed for it; absent: they were not sealed. */
        readonly key?: string;
        /** Its forks that were left, whose names are sealed in it; absent: none were. */
        readonly forks?: readonly SessionId[];
      };
    };

export type SessionEvent = PublicEvent | InternalEvent;

/** Where an event stands; the log's recorded events have this form. */
export interface Passage {
  readonly revision: Revision;
  /** ms since 1970 */
  readonly time: number;
  readonly meta: {
    readonly run?: RunId;
    readonly project: ProjectId;
    readonly actor: string;
    readonly keyId?: string;
  };
  /** Its data are gone. */
  readonly isErased?: boolean;
  /** They do not open: see unreadable-events. */
  readonly isUnreadable?: boolean;
}

export type RecordedSessionEvent = SessionEvent & Passage;
