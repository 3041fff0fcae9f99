import type { McpServerConfig } from '#agent';
import type {
  Fork,
  GivenItem,
  Mode,
  OnBusy,
  ReplayOf,
  RunConfig,
  Trigger,
  ProjectId,
  Revision,
  RunId,
  SessionId,
  TaskId,
} from '#domain';
import type { ScheduleWish } from '../tasks/plan-schedules.js';

export interface StartRun {
  /** Continue this session; absent: a new one. */
  readonly session?: SessionId;
  /** What the id of a new session begins with, behind `ses_`. */
  readonly sessionPrefix?: string;
  readonly project: ProjectId;
  readonly actor: string;
  readonly correlationId?: string;
  /** Of the span that asks for it; the run is part of that trace, in whichever process it is driven. */
  readonly traceparent?: string;
  readonly message: string;
  readonly mode: Mode;
  readonly config: RunConfig;
  readonly onBusy: OnBusy;
  readonly trigger: Trigger;
  /** Where its events are sent, sealed. */
  readonly callback?: string;
  /** What is to be started later, each as a task. */
  readonly schedules?: readonly ScheduleWish[];
  /** The run that a slot of a task starts: its id follows from the slot. Only for a run that is not on the log. */
  readonly firing?: { readonly task: TaskId; readonly run: RunId };
  /** It goes on with this run, whose request stands at the revision, and has no message of its own. */
  readonly retryOf?: { readonly run: RunId; readonly requested: Revision };
  /** It gives this run again, from its record. */
  readonly replayOf?: ReplayOf;
  /** Absent: that of the mode. */
  readonly model?: string;
  /** What the new session goes on from; absent: nothing. */
  readonly fork?: Fork;
  /** What it begins with, where that is more than its message. */
  readonly items?: readonly GivenItem[];
  /** The session is to be as it was at its event, which is its last, and idle; otherwise SessionMoved is thrown. */
  readonly goesOnAt?: Revision;
  /** It is erased, with its session, when it has ended or waits; whoever starts it sees to that. */
  readonly isUnstored?: boolean;
  /** It ends when an action expires. */
  readonly endsUnheard?: true;
  /** The response that it is asked for. */
  readonly response?: AskedForResponse;
  /** Never stored: kept in memory until the run ends. */
  readonly mcpServers?: readonly McpServerConfig[];
  /** What depends on time and names; not asked of a repeat. @throws Problem */
  readonly check?: () => Promise<void>;
  /** What depends on what else there is, once the session was found; not asked of a repeat. @throws Problem */
  readonly checkState?: () => Promise<void>;
  /** What the run and others may cost, after all else; not asked of a repeat. @throws Problem */
  readonly checkBudget?: () => Promise<void>;
  /** The same key and payload again are the same run. */
  readonly idempotency?: {
    readonly key: string;
    /** Another key that leads to the run. */
    readonly alsoKey?: string;
    readonly payload: unknown;
    /** To which keys belong; absent: starting runs. */
    readonly operation?: 'create_response' | 'create_completion' | 'retry_run' | 'replay_run';
  };
}

/** A response of the OpenAI interface. */
export interface AskedForResponse {
  /** JSON text. */
  readonly settings: string;
  /** Hex SHA-256 of what was sent. */
  readonly payload: string;
}

/** Something has come to the session behind the event at which a run was to go on. */
export class SessionMoved extends Error {
  override readonly name = 'SessionMoved';
}

export interface StartedRun {
  readonly session: SessionId;
  readonly run: RunId;
  /** Revision of its `run_requested`: its public events come after. */
  readonly requested: Revision;
  /** The message went into this run, which was under way; nothing else of the request has an effect. */
  readonly isSteered?: true;
}

export interface AcceptedRun extends StartedRun {
  /** Of its schedules, in their order. */
  readonly tasks: readonly string[];
}
