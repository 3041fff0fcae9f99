// Shapes of the public interface (docs/openapi.json) that pages use.

export type Scope = 'run' | 'read' | 'datastores' | 'approve' | 'metrics' | 'admin';

export interface Auth {
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly scopes: readonly Scope[];
    readonly project: string;
  } | null;
  readonly csrf: string;
  readonly expires_at: string | null;
  readonly version: string;
  readonly demo_model: boolean;
}

export interface SignedIn extends Auth {
  readonly to?: string | null;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

export const RUN_STATUSES = ['queued', 'running', 'waiting', 'completed', 'failed', 'cancelled'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly model_calls: number;
  readonly estimated_calls: number;
  readonly unpriced_calls: number;
  readonly cached_input_tokens?: number;
  readonly cache_write_tokens?: number;
  readonly reasoning_tokens?: number;
}

export interface RunWarning {
  readonly code: string;
  readonly reason: string;
  readonly server?: string;
  readonly tools?: readonly string[];
}

export interface RunError {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

export interface RunView {
  readonly run_id: string;
  readonly session: string;
  readonly status: RunStatus;
  readonly mode: 'flash' | 'base' | 'max';
  readonly model: string;
  readonly trigger: 'request' | 'task' | 'kafka';
  readonly retry_of: string | null;
  readonly replay_of: string | null;
  readonly drift: number | null;
  readonly actor: string;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly first_token_at: string | null;
  readonly ended_at: string | null;
  /** US dollars, a decimal. */
  readonly cost: string;
  readonly usage: Usage;
  readonly metadata: Readonly<Record<string, string>>;
  readonly warnings: readonly RunWarning[];
  readonly error: RunError | null;
  readonly last_event_id: string | null;
}

export interface SessionView {
  readonly session: string;
  readonly title: string | null;
  readonly message_count: number;
  readonly last_status: RunStatus | null;
  readonly cost: string;
  readonly created_at: string;
  readonly forked_from: { readonly session: string; readonly at: string } | null;
}

export const ACTION_STATUSES = ['open', 'resolved', 'expired', 'cancelled'] as const;

export interface ActionView {
  readonly action_id: string;
  readonly kind: 'approval' | 'tool' | 'budget' | 'tool_servers' | 'input';
  readonly status: (typeof ACTION_STATUSES)[number];
  readonly session: string;
  readonly run_id: string;
  readonly asked: Readonly<Record<string, unknown>>;
  readonly decided: Readonly<Record<string, unknown>> | null;
  readonly decision: 'approve' | 'answer' | 'raise' | 'supply' | 'deny' | 'expired' | null;
  readonly actor: string | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly resolved_at: string | null;
}

/** An event of a session's log as `GET /sessions/{s}/log` gives it. */
export interface LogLine {
  /** Its id in the session. */
  readonly revision: number;
  /** A UUID. */
  readonly id: string;
  readonly type: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly schemaVersion: number;
  readonly project: string;
  readonly actor: string;
  readonly run?: string;
  readonly causationId?: string;
  readonly correlationId?: string;
  readonly commitment: string;
  readonly prev: string;
  readonly salt?: string;
  /** The JSON of the event's data, verbatim; absent where it is too large, or erased. */
  readonly text?: string;
  /** Length and first characters of a text that is too large. */
  readonly bytes?: number;
  readonly head?: string;
}
