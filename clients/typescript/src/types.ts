// Generated from docs/openapi.json by clients/generate.mjs: change it there.

/** The `data:` JSON of an event. A run ends with exactly one of agent_completed, agent_error and agent_cancelled. */
export type AgentEvent =
  | {
      readonly type: 'agent_started';
      readonly session: string;
    }
  | {
      readonly type: 'agent_task_scheduled';
      readonly session: string;
      readonly task_id: string;
      readonly schedule: number | string;
      readonly message: string;
      readonly next_run_at: string;
    }
  | {
      readonly type: 'agent_thinking_start';
      readonly session: string;
    }
  | {
      readonly type: 'agent_thinking';
      readonly session: string;
      readonly content: string;
    }
  | {
      readonly type: 'agent_response_start';
      readonly session: string;
    }
  | {
      readonly type: 'agent_response';
      readonly session: string;
      readonly content: string;
    }
  | {
      readonly type: 'agent_tool_use_start';
      readonly session: string;
    }
  | {
      readonly type: 'agent_tool_use';
      readonly session: string;
      /** JSON text of {tool, input} */
      readonly content: string;
    }
  | {
      readonly type: 'agent_tool_response';
      readonly session: string;
      /** JSON text of {tool, content} */
      readonly content: string;
    }
  | {
      readonly type: 'agent_step';
      readonly session: string;
      readonly step: string;
    }
  | {
      readonly type: 'agent_handoff';
      readonly session: string;
      readonly agent: string;
    }
  | {
      readonly type: 'agent_workflow_step';
      readonly session: string;
      readonly workflow_id: string;
      readonly step_id: string;
      readonly status: 'started' | 'completed' | 'skipped' | 'failed';
      readonly attempt: string;
    }
  | {
      readonly type: 'agent_final_output';
      readonly session: string;
      readonly name: string;
      /** JSON text of the value */
      readonly content: string;
    }
  | {
      readonly type: 'agent_warning';
      readonly session: string;
      /** JSON text of {code, reason, server?, tools?} */
      readonly content: string;
    }
  | {
      readonly type: 'agent_cost';
      readonly session: string;
      readonly cost: string;
    }
  | {
      readonly type: 'agent_completed';
      readonly session: string;
    }
  | {
      readonly type: 'agent_cancelled';
      readonly session: string;
    }
  | {
      readonly type: 'agent_error';
      readonly session: string;
      readonly content: string;
      readonly code:
        | 'model_unavailable'
        | 'max_steps'
        | 'timeout'
        | 'final_output_invalid'
        | 'tool_servers_lost'
        | 'context_too_long'
        | 'internal';
      readonly retryable: boolean;
    }
  | {
      readonly type:
        | 'agent_started'
        | 'agent_task_scheduled'
        | 'agent_thinking_start'
        | 'agent_thinking'
        | 'agent_response_start'
        | 'agent_response'
        | 'agent_tool_use_start'
        | 'agent_tool_use'
        | 'agent_tool_response'
        | 'agent_step'
        | 'agent_handoff'
        | 'agent_workflow_step'
        | 'agent_final_output'
        | 'agent_warning'
        | 'agent_cost'
        | 'agent_completed'
        | 'agent_cancelled'
        | 'agent_error';
      readonly session: string;
      readonly unreadable: true;
    };

export interface RecordedEvent {
  readonly id: string;
  readonly data: AgentEvent;
}

export interface Message {
  readonly type: 'user_message' | 'agent_thinking' | 'agent_response' | 'agent_tool_use';
  readonly content: string;
}

export interface Run {
  readonly run_id: string;
  readonly session: string;
  readonly status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
  readonly mode: 'flash' | 'base' | 'max';
  readonly model: string;
  readonly trigger: 'request' | 'task' | 'kafka';
  /** the id of the key */
  readonly actor: string;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly cost: string;
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
  };
  readonly warnings: readonly {
    readonly code: string;
    readonly reason: string;
    readonly server?: string;
    readonly tools?: readonly string[];
  }[];
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly retryable: boolean;
  } | null;
  readonly last_event_id: string | null;
}

export interface AcceptedRun {
  readonly session: string;
  readonly run_id: string;
  readonly status: 'queued';
  readonly task_ids: readonly string[];
}

export interface EndedRun {
  readonly session: string;
  readonly run_id: string;
  readonly status: 'completed' | 'failed' | 'cancelled';
  /** the text of the last turn */
  readonly response: string;
  readonly messages: readonly Message[];
  readonly cost: string;
  readonly task_ids: readonly string[];
  readonly warnings: readonly {
    readonly code: string;
    readonly reason: string;
    readonly server?: string;
    readonly tools?: readonly string[];
  }[];
  /** the value, if it was asked for */
  readonly final_output?: unknown;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly retryable: boolean;
  };
}

export interface Session {
  readonly session: string;
  readonly title: string | null;
  readonly message_count: number;
  readonly last_status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled' | null;
  readonly cost: string;
  readonly created_at: string;
}

export interface ErasedSession {
  readonly session: string;
  readonly erased_at: string;
  readonly events: number;
  readonly not_reached: readonly string[];
}

export interface Task {
  readonly task_id: string;
  readonly session: string;
  readonly schedule: number | string;
  readonly timezone: string;
  readonly message: string;
  readonly status: 'scheduled' | 'paused' | 'finished' | 'cancelled';
  readonly created_at: string;
  readonly next_run_at: string | null;
  readonly last_run_at: string | null;
  readonly firings: readonly {
    readonly slot: string;
    readonly fired_at: string | null;
    readonly run_id: string | null;
    readonly late: boolean;
    /** why no run comes of it: processes ended while they started it, and the task was paused */
    readonly error?: {
      readonly code: 'internal';
      readonly message: string;
    };
  }[];
}

export interface Delivery {
  readonly delivery_id: string;
  readonly sequence: number;
  readonly type: string;
  readonly status: 'pending' | 'retrying' | 'delivered' | 'failed' | 'stopped';
  readonly attempts: number;
  readonly last_status: number | null;
  readonly next_attempt_at: string | null;
  readonly last_error: string | null;
  readonly last_response: string | null;
}

export interface Datastore {
  readonly datastore_id: string;
  readonly name: string;
  readonly type: 'database' | 'documents';
  readonly created_at: string;
}

export interface UploadedDocument {
  readonly document_id: string;
  readonly datastore_id: string;
  readonly filename: string;
  readonly status: 'indexed' | 'processing' | 'failed';
  readonly indexed_at: string | null;
  /** what the file holds and the index does not */
  readonly warnings: readonly {
    readonly code: string;
    readonly detail: string;
    /** of a PDF; slides and sheets count as pages */
    readonly page?: number;
  }[];
}

export interface Document {
  readonly document_id: string;
  readonly datastore_id: string;
  readonly filename: string;
  readonly status: 'indexed' | 'processing' | 'failed';
  readonly indexed_at: string | null;
  /** what the file holds and the index does not */
  readonly warnings: readonly {
    readonly code: string;
    readonly detail: string;
    /** of a PDF; slides and sheets count as pages */
    readonly page?: number;
  }[];
  readonly created_at: string;
  readonly bytes: number;
  readonly pages: number | null;
  readonly error: {
    readonly code: string;
    readonly message: string;
  } | null;
}

export interface SearchItem {
  readonly document_id: string;
  readonly filename: string;
  readonly page: number | null;
  readonly text: string;
  readonly score: number;
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly ('run' | 'read' | 'datastores' | 'approve' | 'metrics' | 'admin')[];
  readonly project: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  /** to the hour */
  readonly last_used_at: string | null;
}

export interface NewKey {
  readonly id: string;
  readonly key: string;
  readonly webhook_secret: string;
  readonly name: string;
  readonly scopes: readonly ('run' | 'read' | 'datastores' | 'approve' | 'metrics' | 'admin')[];
  readonly project: string;
  readonly created_at: string;
  readonly expires_at?: string;
}

export interface Readiness {
  readonly status: 'ok' | 'unavailable';
  readonly checks: Readonly<
    Record<
      string,
      {
        readonly status: 'ok' | 'failing';
        readonly detail?: string;
      }
    >
  >;
}

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** tells refusals of one status apart */
  readonly code: string;
  readonly request_id: string;
  readonly errors?: readonly {
    readonly path: string;
    readonly message: string;
  }[];
}

export interface RunRequest {
  /** The task. */
  readonly message: string;
  /** The system prompt, in place of the service's own. */
  readonly system?: string;
  /** `flash`: simple tasks, shows thinking; `base`: balanced; `max`: complex reasoning. `fast` is an old name of `base`. */
  readonly mode?: 'flash' | 'base' | 'max' | 'fast';
  /** Constraints that the agent obeys in every turn. */
  readonly rules?: readonly string[];
  /** Directed acyclic graphs of steps, offered to the agent as a tool. */
  readonly workflows?: readonly Workflow[];
  /** Specialists to which the conversation can be handed off. */
  readonly agents?: readonly Agent[];
  /** External tool servers. Never stored: send them each time. */
  readonly mcp_servers?: readonly McpServer[];
  /** Another name of mcp_servers.
   * @deprecated */
  readonly mcpServers?: readonly McpServer[];
  /** Answer 202 at once and run on the server. */
  readonly background?: boolean;
  /** Receives the run's events, each in a POST of its own. */
  readonly callback?: Callback;
  /** Knowledge that the agent may use. */
  readonly datastores?: readonly DatastoreRef[];
  /** Ready-made queries on the databases; `?` are parameters, always bound. */
  readonly queries?: readonly Query[];
  /** Text token by token, not in blocks. */
  readonly streaming_tokens?: boolean;
  /** Another name of streaming_tokens.
   * @deprecated */
  readonly streaming?: boolean;
  /** Runs to be started later in this session. */
  readonly schedules?: readonly Schedule[];
  /** One more event at the end, with output that fits the schema. */
  readonly final_output?: FinalOutput;
  /** What happens while the session has a run: wait, 409, or cancel that one. */
  readonly on_busy?: 'enqueue' | 'reject' | 'interrupt';
}

export interface Workflow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly steps: readonly Step[];
}

export interface Step {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly depends_on: readonly string[];
  readonly optional?: boolean;
  readonly retry_policy?: RetryPolicy;
  readonly output_schema?: Readonly<Record<string, unknown>>;
}

export interface RetryPolicy {
  readonly max_attempts: number;
  readonly backoff: 'none' | 'fixed' | 'linear' | 'exponential';
  readonly initial_delay_ms?: number;
}

export interface Agent {
  readonly name: string;
  readonly description: string;
}

export interface McpServer {
  readonly serverName: string;
  readonly serverUrl: string;
  readonly required?: boolean;
  readonly auth?: BearerAuth | OauthAuth;
}

export interface BearerAuth {
  readonly type: 'bearer';
  readonly token: string;
}

export interface OauthAuth {
  readonly type: 'oauth';
  readonly oauth: Oauth;
}

export interface Oauth {
  readonly accessToken: string;
}

export interface Callback {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface DatastoreRef {
  readonly id: string;
  readonly name: string;
}

export interface Query {
  readonly name: string;
  readonly description: string;
  /** SQL with at most 100 placeholders (`?`). */
  readonly query: string;
}

export interface Schedule {
  /** Seconds from now, a date (once), or a five-field cron expression (recurring). */
  readonly schedule: number | string;
  readonly message: string;
  /** IANA name, for cron expressions. */
  readonly timezone?: string;
}

export interface FinalOutput {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly strict?: boolean;
}

export interface NewDatastore {
  readonly name: string;
  readonly type: 'database' | 'documents';
  readonly metadata?: Metadata;
}

export interface Metadata {
  /** For databases. Encrypted at rest, never shown again. */
  readonly connectionString?: string;
  /** false lets the caller's own queries write. */
  readonly readOnly?: boolean;
}

export interface Search {
  readonly query: string;
  readonly limit?: number;
}

export interface NewApiKey {
  readonly name: string;
  readonly scopes: readonly ('run' | 'read' | 'datastores' | 'approve' | 'metrics' | 'admin')[];
  readonly project?: string;
  /** From then on it is as if it were revoked. */
  readonly expires_at?: string;
}
