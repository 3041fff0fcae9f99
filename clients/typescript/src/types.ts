// Generated from docs/openapi.json by clients/generate.mjs: change it there.

export interface RunRequest {
  /** The task. */
  readonly message: string;
  /** The system prompt, in place of the service's own. */
  readonly system?: string;
  /** `flash`: simple tasks, shows thinking; `base`: balanced; `max`: complex reasoning. `fast` is an old name of `base`. Default: `base`. */
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
  /** Answer 202 at once and run on the server. Default: `false`. */
  readonly background?: boolean;
  /** Receives the run's events, each in a POST of its own. */
  readonly callback?: Callback;
  /** Knowledge that the agent may use. */
  readonly datastores?: readonly DatastoreRef[];
  /** Ready-made queries on the databases; `?` are parameters, always bound. */
  readonly queries?: readonly Query[];
  /** Text token by token, not in blocks. Default: `false`. */
  readonly streaming_tokens?: boolean;
  /** Another name of streaming_tokens.
   * @deprecated */
  readonly streaming?: boolean;
  /** Runs to be started later in this session. */
  readonly schedules?: readonly Schedule[];
  /** One more event at the end, with output that fits the schema. */
  readonly final_output?: FinalOutput;
  /** Which calls of tools wait until somebody decides on them, and which tools are not offered. */
  readonly approvals?: Approvals;
  /** Tools that you carry out: each call waits for your answer. */
  readonly tools?: readonly CallerTool[];
  /** What the run may cost before it waits, in US dollars. */
  readonly budget?: string;
  /** Whether the model is asked for a summary where the context is full; otherwise the oldest turns are left out. Default: `true`. */
  readonly compaction?: boolean;
  /** What you want to find the run by, or sum up its cost by: up to 16 pairs of strings. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** What happens while the session has a run: wait, 409, cancel that one, or hand the message to it (the rest of the request has no effect then). Default: `enqueue`. */
  readonly on_busy?: 'enqueue' | 'reject' | 'interrupt' | 'steer';
}

export interface Workflow {
  /** Names the workflow, for `run_workflow` and in events. */
  readonly id: string;
  /** What it is called. */
  readonly name: string;
  /** Tells the agent what it is for. */
  readonly description: string;
  /** A directed acyclic graph: those that do not wait for each other run at the same time. */
  readonly steps: readonly Step[];
}

export interface Step {
  /** Names the step within its workflow. */
  readonly id: string;
  /** What it is called. */
  readonly name: string;
  /** What is to be done; the agent decides how. */
  readonly description: string;
  /** The ids of the steps whose outputs it sees. Empty: it may start at once. */
  readonly depends_on: readonly string[];
  /** Whether a failure skips it and does not fail the workflow. Default: false. */
  readonly optional?: boolean;
  /** How it is tried again. Absent: one attempt. */
  readonly retry_policy?: RetryPolicy;
  /** JSON Schema that its output has to fit; one that does not is a failed attempt. */
  readonly output_schema?: Readonly<Record<string, unknown>>;
}

export interface RetryPolicy {
  /** Attempts in all. */
  readonly max_attempts: number;
  /** How the wait grows with each attempt. */
  readonly backoff: 'none' | 'fixed' | 'linear' | 'exponential';
  /** The first wait in milliseconds. Default: 1000. */
  readonly initial_delay_ms?: number;
}

export interface Agent {
  /** Of the specialist; its tool is `transfer_to_<name>`. */
  readonly name: string;
  /** Tells the agent what it is for. */
  readonly description: string;
}

export interface McpServer {
  /** Tells its tools from those of other servers. */
  readonly serverName: string;
  /** Where it speaks Streamable HTTP, or the older SSE. */
  readonly serverUrl: string;
  /** Whether the run fails where this server cannot be used. Default: false. */
  readonly required?: boolean;
  /** What it is shown. Never stored. */
  readonly auth?: BearerAuth | OauthAuth;
}

export interface BearerAuth {
  /** Which kind it is. */
  readonly type: 'bearer';
  /** Sent as a bearer token. */
  readonly token: string;
}

export interface OauthAuth {
  /** Which kind it is. */
  readonly type: 'oauth';
  /** What was obtained by OAuth. */
  readonly oauth: Oauth;
}

export interface Oauth {
  /** Sent as a bearer token. */
  readonly accessToken: string;
}

export interface Callback {
  /** Where each event is POSTed to: http or https, without credentials in it. */
  readonly url: string;
  /** Sent with each of them: 50, of 8 KB together. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface DatastoreRef {
  /** The `datastore_id`. */
  readonly id: string;
  /** The tools over it are named after it. */
  readonly name: string;
}

export interface Query {
  /** The tool is called so. */
  readonly name: string;
  /** Tells the agent what it is for. */
  readonly description: string;
  /** SQL with at most 100 placeholders (`?`). */
  readonly query: string;
}

export interface Schedule {
  /** Seconds from now, a date (once), or a five-field cron expression (recurring). */
  readonly schedule: number | string;
  /** The message of the run that each firing starts. */
  readonly message: string;
  /** IANA name, for cron expressions. Default: `UTC`. */
  readonly timezone?: string;
}

export interface FinalOutput {
  /** Comes back with the value. */
  readonly name: string;
  /** Whether the model is held to the schema while it writes. Default: false. */
  readonly strict?: boolean;
  /** JSON Schema of the value. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface Approvals {
  /** Of tools that no pattern fits. Default: `allow`. */
  readonly default?: 'allow' | 'ask' | 'deny';
  /** By name of the tool, in which `*` stands for any characters. An exact one wins, then the longest, among equals the strictest. */
  readonly tools?: Readonly<Record<string, 'allow' | 'ask' | 'deny'>>;
  /** Who may release a call: any key, or none that started or steered the run. Default: `anyone`. */
  readonly by?: 'anyone' | 'another_key';
  /** Seconds, for every action of the run. Default: `86400`. */
  readonly expires_s?: number;
}

export interface CallerTool {
  /** What it is called. */
  readonly name: string;
  /** Tells the agent what it is for. */
  readonly description: string;
  /** JSON schema of the arguments, which are an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface EndedRun {
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** The run; its id holds that of its session. */
  readonly run_id: string;
  /** How it stands with it. */
  readonly status: 'completed' | 'failed' | 'cancelled' | 'waiting';
  /** the text of the last turn */
  readonly response: string;
  /** The whole session, as `POST /get-messages` tells it. */
  readonly messages: readonly Message[];
  /** US dollars, a decimal without exponent. */
  readonly cost: string;
  /** What the model was given and gave. */
  readonly usage: Usage;
  /** Of the tasks that `schedules` made, in their order. */
  readonly task_ids: readonly string[];
  /** What the agent had to do without. */
  readonly warnings: readonly RunWarning[];
  /** the value, if it was asked for */
  readonly final_output?: unknown;
  /** Why it failed; null, or absent: it did not. */
  readonly error?: RunError;
  /** what a run that waits waits for */
  readonly actions?: readonly Action[];
}

export interface Message {
  /** Which kind it is. */
  readonly type: 'user_message' | 'agent_thinking' | 'agent_response' | 'agent_tool_use';
  /** Its text; of a tool use JSON text of {tool, input}. */
  readonly content: string;
}

export interface Usage {
  /** What the model was given. */
  readonly input_tokens: number;
  /** What the model gave. */
  readonly output_tokens: number;
  /** Calls of models of which something came back, also those that broke. */
  readonly model_calls: number;
  /** Those of them that the server did not count: about four characters a token. */
  readonly estimated_calls: number;
  /** Those of them that cost 0 because there is no price of the model. */
  readonly unpriced_calls: number;
  /** Those of the input that the server had kept from before; absent: no call told of any. */
  readonly cached_input_tokens?: number;
  /** Those of the input that it has kept for later. */
  readonly cache_write_tokens?: number;
  /** Those of the output that were thinking. */
  readonly reasoning_tokens?: number;
}

export interface RunWarning {
  /** Tells these apart, for programs. */
  readonly code: string;
  /** What happened, in words. */
  readonly reason: string;
  /** The tool server that it is about. */
  readonly server?: string;
  /** The tools that it is about. */
  readonly tools?: readonly string[];
}

export interface RunError {
  /** Tells these apart, for programs. */
  readonly code: string;
  /** What is said, in words for people. */
  readonly message: string;
  /** Whether the same again may succeed. */
  readonly retryable: boolean;
}

export interface Action {
  /** The action; its id holds that of its session. */
  readonly action_id: string;
  /** Why the run waits, and what it can be decided with. */
  readonly kind: 'approval' | 'tool' | 'budget' | 'tool_servers' | 'input';
  /** How it stands with it. */
  readonly status: 'open' | 'resolved' | 'expired' | 'cancelled';
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** The run; its id holds that of its session. */
  readonly run_id: string;
  /** approval, tool: {tool, input}; tool_servers: {servers}; budget: {spent, limit} */
  readonly asked: Readonly<Record<string, unknown>>;
  /** What it was decided on; null: nobody has yet. */
  readonly decided: Readonly<Record<string, unknown>> | null;
  /** What closed it; null: it is open, or its run has ended. */
  readonly decision: 'approve' | 'answer' | 'raise' | 'supply' | 'deny' | 'expired' | null;
  /** the id of the key; empty: nobody decided in time */
  readonly actor: string | null;
  /** When it came to be. */
  readonly created_at: string;
  /** From then on it is as if it was denied, by nobody. */
  readonly expires_at: string;
  /** When it was decided; null: it was not. */
  readonly resolved_at: string | null;
}

export interface AcceptedRun {
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** The run; its id holds that of its session. */
  readonly run_id: string;
  /** How it stands with it. */
  readonly status: 'queued';
  /** Of the tasks that `schedules` made, in their order. */
  readonly task_ids: readonly string[];
}

export interface Problem {
  /** Always `about:blank`: `code` tells refusals apart. */
  readonly type: string;
  /** The name of the status. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: number;
  /** What is wrong, in words. */
  readonly detail: string;
  /** tells refusals of one status apart */
  readonly code: string;
  /** Names the request in logs; also in `X-Request-Id`. */
  readonly request_id: string;
  /** What of the request is wrong, field by field. */
  readonly errors?: readonly FieldError[];
}

export interface FieldError {
  /** Leads to the field, e.g. `workflows[0].steps[2].depends_on[1]`. */
  readonly path: string;
  /** What is said, in words for people. */
  readonly message: string;
}

/** The `data:` JSON of an event. A run ends with exactly one of agent_completed, agent_error and agent_cancelled. */
export type StreamEvent = UnreadableEvent | AgentEvent;

/** What the log holds of the event was damaged, or its key is lost: it has no other fields. */
export interface UnreadableEvent {
  /** Of the event that it was. */
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
    | 'agent_drift'
    | 'agent_compacted'
    | 'agent_action_required'
    | 'agent_action_resolved'
    | 'agent_steered'
    | 'agent_cost'
    | 'agent_completed'
    | 'agent_cancelled'
    | 'agent_error';
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** Tells it from the event that it was. */
  readonly unreadable: true;
}

/** An event of a run, by its `type`. */
export type AgentEvent =
  | AgentStartedEvent
  | AgentTaskScheduledEvent
  | AgentThinkingStartEvent
  | AgentThinkingEvent
  | AgentResponseStartEvent
  | AgentResponseEvent
  | AgentToolUseStartEvent
  | AgentToolUseEvent
  | AgentToolResponseEvent
  | AgentStepEvent
  | AgentHandoffEvent
  | AgentWorkflowStepEvent
  | AgentFinalOutputEvent
  | AgentWarningEvent
  | AgentDriftEvent
  | AgentCompactedEvent
  | AgentActionRequiredEvent
  | AgentActionResolvedEvent
  | AgentSteeredEvent
  | AgentCostEvent
  | AgentCompletedEvent
  | AgentCancelledEvent
  | AgentErrorEvent;

export interface AgentStartedEvent {
  /** Which kind it is. */
  readonly type: 'agent_started';
  /** The session: what was said in one conversation. */
  readonly session: string;
}

export interface AgentTaskScheduledEvent {
  /** Which kind it is. */
  readonly type: 'agent_task_scheduled';
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** The task. */
  readonly task_id: string;
  /** As it was given: seconds, a date, or a cron expression. */
  readonly schedule: number | string;
  /** The message of the runs that it starts. */
  readonly message: string;
  /** When it fires next; null: not again. */
  readonly next_run_at: string;
}

export interface AgentThinkingStartEvent {
  /** Which kind it is. */
  readonly type: 'agent_thinking_start';
  /** The session: what was said in one conversation. */
  readonly session: string;
}

export interface AgentThinkingEvent {
  /** Which kind it is. */
  readonly type: 'agent_thinking';
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** Its text. With `streaming_tokens` the next piece of it. */
  readonly content: string;
}

export interface AgentResponseStartEvent {
  /** Which kind it is. */
  readonly type: 'agent_response_start';
  /** The session: what was said in one conversation. */
  readonly session: string;
}

export interface AgentResponseEvent {
  /** Which kind it is. */
  readonly type: 'agent_response';
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** Its text. With `streaming_tokens` the next piece of it. */
  readonly content: string;
}

export interface AgentToolUseStartEvent {
  /** Which kind it is. */
  readonly type: 'agent_tool_use_start';
  /** The session: what was said in one conversation. */
  readonly session: string;
}

export interface AgentToolUseEvent {
  /** Which kind it is. */
  readonly type: 'agent_tool_use';
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** JSON text of {tool, input} */
  readonly content: string;
}

export interface AgentToolResponseEvent {
  /** Which kind it is. */
  readonly type: 'agent_tool_response';
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** JSON text of {tool, content} */
  readonly content: string;
}

export interface AgentStepEvent {
  /** Which kind it is. */
  readonly type: 'agent_step';
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** Counts the turns of the main agent: 1, 2, 3 … */
  readonly step: string;
}

export interface AgentHandoffEvent {
  /** Which kind it is. */
  readonly type: 'agent_handoff';
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** Who has the conversation from here on. */
  readonly agent: string;
}

export interface AgentWorkflowStepEvent {
  /** Which kind it is. */
  readonly type: 'agent_workflow_step';
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** The workflow, as the request names it. */
  readonly workflow_id: string;
  /** The step, as the workflow names it. */
  readonly step_id: string;
  /** How it stands with it. */
  readonly status: 'started' | 'completed' | 'skipped' | 'failed';
  /** Counts the attempts of the step: 1, 2, 3 … */
  readonly attempt: string;
}

export interface AgentFinalOutputEvent {
  /** Which kind it is. */
  readonly type: 'agent_final_output';
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** As the request had it. */
  readonly name: string;
  /** JSON text of the value */
  readonly content: string;
}

export interface AgentWarningEvent {
  /** Which kind it is. */
  readonly type: 'agent_warning';
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** JSON text of {code, reason, server?, tools?} */
  readonly content: string;
}

export interface AgentDriftEvent {
  /** Which kind it is. */
  readonly type: 'agent_drift';
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** JSON text of {tool, input} */
  readonly content: string;
}

export interface AgentCompactedEvent {
  /** Which kind it is. */
  readonly type: 'agent_compacted';
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** the summary; empty: there is none */
  readonly content: string;
  /** id of the first shown event that it stands for */
  readonly from: string;
  /** id of the last one */
  readonly through: string;
}

export interface AgentActionRequiredEvent {
  /** Which kind it is. */
  readonly type: 'agent_action_required';
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** The action; its id holds that of its session. */
  readonly action_id: string;
  /** Why the run waits, and what it can be decided with. */
  readonly kind: 'approval' | 'tool' | 'budget' | 'tool_servers' | 'input';
  /** JSON text of what is asked */
  readonly content: string;
  /** From then on it is as if it was denied, by nobody. */
  readonly expires_at: string;
}

export interface AgentActionResolvedEvent {
  /** Which kind it is. */
  readonly type: 'agent_action_resolved';
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** The action; its id holds that of its session. */
  readonly action_id: string;
  /** What closed it; null: it is open, or its run has ended. */
  readonly decision: 'approve' | 'answer' | 'raise' | 'supply' | 'deny' | 'expired';
  /** The id of the key that decided; empty: nobody did in time. */
  readonly actor: string;
  /** JSON text of {reason?, input?, budget?} */
  readonly content: string;
}

export interface AgentSteeredEvent {
  /** Which kind it is. */
  readonly type: 'agent_steered';
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** Its text. With `streaming_tokens` the next piece of it. */
  readonly content: string;
}

export interface AgentCostEvent {
  /** Which kind it is. */
  readonly type: 'agent_cost';
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** US dollars, a decimal without exponent. */
  readonly cost: string;
}

export interface AgentCompletedEvent {
  /** Which kind it is. */
  readonly type: 'agent_completed';
  /** The session: what was said in one conversation. */
  readonly session: string;
}

export interface AgentCancelledEvent {
  /** Which kind it is. */
  readonly type: 'agent_cancelled';
  /** The session: what was said in one conversation. */
  readonly session: string;
}

export interface AgentErrorEvent {
  /** Which kind it is. */
  readonly type: 'agent_error';
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** Its text. With `streaming_tokens` the next piece of it. */
  readonly content: string;
  /** Tells these apart, for programs. */
  readonly code:
    | 'model_unavailable'
    | 'max_steps'
    | 'timeout'
    | 'final_output_invalid'
    | 'tool_servers_lost'
    | 'context_too_long'
    | 'internal';
  /** Whether the same again may succeed. */
  readonly retryable: boolean;
}

export interface ResourceMetadata {
  /** What keys are shown to. */
  readonly resource: string;
  /** What it is called. */
  readonly resource_name: string;
  /** How a key is sent. */
  readonly bearer_methods_supported: readonly string[];
  /** What a key may be for. */
  readonly scopes_supported: readonly string[];
  /** Where more is said. */
  readonly resource_documentation: string;
}

export interface ActionPage {
  /** What is on this page. */
  readonly items: readonly Action[];
  /** For `cursor`, to get the next page; null at the end. */
  readonly next_cursor: string | null;
}

export interface Decision {
  /** `approve` an approval, `answer` a call of a tool of your own, `raise` a budget, `supply` tool servers, or `deny` any. */
  readonly decision: 'approve' | 'answer' | 'raise' | 'supply' | 'deny';
  /** Of `approve`: the call is made with this instead; any JSON. */
  readonly input?: unknown;
  /** Of `answer`: what the call brought; any JSON, a string as it is. */
  readonly result?: unknown;
  /** Of `raise`: what the run may cost in all, in US dollars. */
  readonly budget?: string;
  /** Of `supply`: the servers that are asked for, as in the request of the run. Never stored. */
  readonly mcp_servers?: readonly McpServer[];
  /** Another name of mcp_servers.
   * @deprecated */
  readonly mcpServers?: readonly McpServer[];
  /** Why; the agent is told the reason of a denial. */
  readonly reason?: string;
}

export interface NewApiKey {
  /** What it is called. */
  readonly name: string;
  /** What it may do. */
  readonly scopes: readonly ('run' | 'read' | 'datastores' | 'approve' | 'metrics' | 'admin')[];
  /** Whose things it sees. Default for a new key: that of whoever makes it. */
  readonly project?: string;
  /** From then on it is as if it were revoked. */
  readonly expires_at?: string;
}

export interface NewKey {
  /** Names it for good. */
  readonly id: string;
  /** Shown once; only a hash of it is kept. */
  readonly key: string;
  /** Shown once: `whsec_…`, signs the callbacks of its runs. */
  readonly webhook_secret: string;
  /** What it is called. */
  readonly name: string;
  /** What it may do. */
  readonly scopes: readonly ('run' | 'read' | 'datastores' | 'approve' | 'metrics' | 'admin')[];
  /** Whose things it sees. Default for a new key: that of whoever makes it. */
  readonly project: string;
  /** When it came to be. */
  readonly created_at: string;
  /** From then on it is as if it were revoked. */
  readonly expires_at?: string;
}

export interface ApiKeyPage {
  /** What is on this page. */
  readonly items: readonly ApiKey[];
  /** For `cursor`, to get the next page; null at the end. */
  readonly next_cursor: string | null;
}

export interface ApiKey {
  /** Names it for good. */
  readonly id: string;
  /** What it is called. */
  readonly name: string;
  /** What it may do. */
  readonly scopes: readonly ('run' | 'read' | 'datastores' | 'approve' | 'metrics' | 'admin')[];
  /** Whose things it sees. Default for a new key: that of whoever makes it. */
  readonly project: string;
  /** When it came to be. */
  readonly created_at: string;
  /** From then on it is as if it were revoked. */
  readonly expires_at: string | null;
  /** to the hour */
  readonly last_used_at: string | null;
}

export interface SignInLink {
  /** Where the link leads: a path under `/console`. Default: `/console`. */
  readonly to?: string;
  /** For how long it is valid, in seconds. */
  readonly expires_s?: number;
}

export interface NewSignInLink {
  /** Works once; shown this once. */
  readonly url: string;
  /** From then on it is as if it were revoked. */
  readonly expires_at: string;
}

export interface BudgetPage {
  /** What is on this page. */
  readonly items: readonly Budget[];
  /** For `cursor`, to get the next page; null at the end. */
  readonly next_cursor: string | null;
}

export interface Budget {
  /** Whose calls it counts. */
  readonly scope: 'key' | 'project';
  /** Names it for good. */
  readonly id: string;
  /** US dollars. */
  readonly limit: string;
  /** After which the spent begins at 0 again. */
  readonly period: 'day' | 'month' | 'total';
  /** US dollars, in the period that it is now. */
  readonly spent: string;
  /** When the next period begins; null: there is none. */
  readonly renews_at: string | null;
}

export interface NewBudget {
  /** US dollars, 0 or more. */
  readonly limit: string;
  /** After which the spent begins at 0 again: a day or a month of UTC; `total`: never. */
  readonly period: 'day' | 'month' | 'total';
}

export interface Cleared {
  /** Always true. */
  readonly success: boolean;
  /** What is said, in words for people. */
  readonly message: string;
}

export interface ConsoleAuth {
  /** Shown once; only a hash of it is kept. */
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly scopes: readonly ('run' | 'read' | 'datastores' | 'approve' | 'metrics' | 'admin')[];
    readonly project: string;
  } | null;
  /** What requests of the page say in the header `annals-csrf`. */
  readonly csrf: string | null;
  /** From then on it is as if it were revoked. */
  readonly expires_at: string | null;
  /** Of the program that answers. */
  readonly version: string;
  /** Whether the built-in demo model answers. */
  readonly demo_model: boolean;
}

export interface SignIn {
  /** Shown once; only a hash of it is kept. */
  readonly key?: string;
  /** What a link to the console has behind its `#`. */
  readonly link?: string;
}

export interface SignedIn {
  /** Shown once; only a hash of it is kept. */
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly scopes: readonly ('run' | 'read' | 'datastores' | 'approve' | 'metrics' | 'admin')[];
    readonly project: string;
  } | null;
  /** What requests of the page say in the header `annals-csrf`. */
  readonly csrf: string | null;
  /** From then on it is as if it were revoked. */
  readonly expires_at: string | null;
  /** Of the program that answers. */
  readonly version: string;
  /** Whether the built-in demo model answers. */
  readonly demo_model: boolean;
  /** Where to go now: a path under `/console`. */
  readonly to: string;
}

export interface NewDatastore {
  /** What it is called. */
  readonly name: string;
  /** Which kind it is. */
  readonly type: 'database' | 'documents';
  /** Of a `database`: where it is. */
  readonly metadata?: Metadata;
}

export interface Metadata {
  /** For databases. Encrypted at rest, never shown again. */
  readonly connectionString?: string;
  /** false lets the caller's own queries write. Default: `true`. */
  readonly readOnly?: boolean;
}

export interface Datastore {
  /** The datastore. */
  readonly datastore_id: string;
  /** What it is called. */
  readonly name: string;
  /** Which kind it is. */
  readonly type: 'database' | 'documents';
  /** When it came to be. */
  readonly created_at: string;
}

export interface DatastorePage {
  /** What is on this page. */
  readonly items: readonly Datastore[];
  /** For `cursor`, to get the next page; null at the end. */
  readonly next_cursor: string | null;
}

export interface DocumentPage {
  /** What is on this page. */
  readonly items: readonly Document[];
  /** For `cursor`, to get the next page; null at the end. */
  readonly next_cursor: string | null;
}

export interface Document {
  /** The document. */
  readonly document_id: string;
  /** The datastore. */
  readonly datastore_id: string;
  /** As it was uploaded. */
  readonly filename: string;
  /** How it stands with it. */
  readonly status: 'indexed' | 'processing' | 'failed';
  /** Since when it can be searched; null: not yet. */
  readonly indexed_at: string | null;
  /** what the file holds and the index does not */
  readonly warnings: readonly DocumentWarning[];
  /** When it came to be. */
  readonly created_at: string;
  /** Size of the file. */
  readonly bytes: number;
  /** Pages, slides or sheets; null: it has none. */
  readonly pages: number | null;
  /** Why it failed; null, or absent: it did not. */
  readonly error: DocumentError | null;
}

export interface DocumentWarning {
  /** Tells these apart, for programs. */
  readonly code: string;
  /** What is wrong, in words. */
  readonly detail: string;
  /** Of a PDF; slides and sheets count as pages. */
  readonly page?: number;
}

export interface DocumentError {
  /** Tells these apart, for programs. */
  readonly code: string;
  /** What is said, in words for people. */
  readonly message: string;
}

export interface Search {
  /** What to look for. */
  readonly query: string;
  /** The most items. Default: `50`. */
  readonly limit?: number;
}

export interface SearchItemPage {
  /** What is on this page. */
  readonly items: readonly SearchItem[];
  /** For `cursor`, to get the next page; null at the end. */
  readonly next_cursor: string | null;
}

export interface SearchItem {
  /** The document. */
  readonly document_id: string;
  /** As it was uploaded. */
  readonly filename: string;
  /** On which page it stands; null: it has none. */
  readonly page: number | null;
  /** The passage. */
  readonly text: string;
  /** How well it fits; the first is the best. */
  readonly score: number;
}

export interface ListedDeliveryPage {
  /** What is on this page. */
  readonly items: readonly ListedDelivery[];
  /** For `cursor`, to get the next page; null at the end. */
  readonly next_cursor: string | null;
}

export interface ListedDelivery {
  /** The delivery; also `webhook-id`. */
  readonly delivery_id: string;
  /** Counts the events of the run: 1, 2, 3 … */
  readonly sequence: number;
  /** Which kind it is. */
  readonly type: string;
  /** Revision of the event in its session. */
  readonly event_id: string;
  /** Where it is sent: the origin of the URL alone. */
  readonly target: string | null;
  /** How it stands with it. */
  readonly status: 'pending' | 'retrying' | 'delivered' | 'failed' | 'stopped';
  /** How often it was tried. */
  readonly attempts: number;
  /** HTTP status of the last answer; null: there was none. */
  readonly last_status: number | null;
  /** When it is tried again; null: it is not. */
  readonly next_attempt_at: string | null;
  /** Why there was no answer; null: there was one, or it was not tried. */
  readonly last_error: string | null;
  /** The first 2 KB of the last answer, without what is secret. */
  readonly last_response: string | null;
  /** When it was sent last; null: never. */
  readonly last_attempt_at: string | null;
  /** The run; its id holds that of its session. */
  readonly run_id: string;
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** When it came to be. */
  readonly created_at: string;
}

export interface Resend {
  /** How it stands with it. */
  readonly status: 'failed' | 'stopped';
  /** Only what tells of events from then on. */
  readonly from?: string;
  /** Only what tells of events before then. */
  readonly to?: string;
}

export interface Health {
  /** How it stands with it. */
  readonly status: 'ok';
}

export interface UploadedDocument {
  /** The document. */
  readonly document_id: string;
  /** The datastore. */
  readonly datastore_id: string;
  /** As it was uploaded. */
  readonly filename: string;
  /** How it stands with it. */
  readonly status: 'indexed' | 'processing' | 'failed';
  /** Since when it can be searched; null: not yet. */
  readonly indexed_at: string | null;
  /** what the file holds and the index does not */
  readonly warnings: readonly DocumentWarning[];
}

export interface McpAnswer {
  /** Always `2.0`. */
  readonly jsonrpc: '2.0';
  /** Of the message that it answers. */
  readonly id?: unknown;
  /** What the method gives. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** Code, message and data of a failure. */
  readonly error?: Readonly<Record<string, unknown>>;
}

export interface McpMessage {
  /** Always `2.0`. */
  readonly jsonrpc: '2.0';
  /** What is asked for. */
  readonly method: string;
  /** A string or a number; a notification has none. */
  readonly id?: unknown;
  /** What the method takes. */
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface Readiness {
  /** How it stands with it. */
  readonly status: 'ok' | 'unavailable';
  /** What it needs, by name. */
  readonly checks: Readonly<Record<string, Check>>;
}

export interface Check {
  /** How it stands with it. */
  readonly status: 'ok' | 'failing';
  /** What is wrong, in words. */
  readonly detail?: string;
}

export interface RunPage {
  /** What is on this page. */
  readonly items: readonly Run[];
  /** For `cursor`, to get the next page; null at the end. */
  readonly next_cursor: string | null;
}

export interface Run {
  /** The run; its id holds that of its session. */
  readonly run_id: string;
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** How it stands with it. */
  readonly status: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled';
  /** As asked for; it chooses the model. */
  readonly mode: 'flash' | 'base' | 'max';
  /** The model that is asked. */
  readonly model: string;
  /** What started it. */
  readonly trigger: 'request' | 'task' | 'kafka';
  /** the run that it goes on with */
  readonly retry_of: string | null;
  /** the run that it gives again */
  readonly replay_of: string | null;
  /** of a replay: calls that the record holds no result of */
  readonly drift: number | null;
  /** the id of the key */
  readonly actor: string;
  /** When it came to be. */
  readonly created_at: string;
  /** When its turn came; null: it waits. */
  readonly started_at: string | null;
  /** When the first of what its model said was on the log; null: it has said nothing. */
  readonly first_token_at: string | null;
  /** When it ended; null: it has not. */
  readonly ended_at: string | null;
  /** US dollars, a decimal without exponent. */
  readonly cost: string;
  /** What the model was given and gave. */
  readonly usage: Usage;
  /** What its caller says of it. */
  readonly metadata: Readonly<Record<string, string>>;
  /** What the agent had to do without. */
  readonly warnings: readonly RunWarning[];
  /** Why it failed; null, or absent: it did not. */
  readonly error: RunError | null;
  /** Of its last event that is shown; null: there is none yet. */
  readonly last_event_id: string | null;
}

export interface DeliveryPage {
  /** What is on this page. */
  readonly items: readonly Delivery[];
  /** For `cursor`, to get the next page; null at the end. */
  readonly next_cursor: string | null;
}

export interface Delivery {
  /** The delivery; also `webhook-id`. */
  readonly delivery_id: string;
  /** Counts the events of the run: 1, 2, 3 … */
  readonly sequence: number;
  /** Of the event that is delivered. */
  readonly type: string;
  /** Revision of the event in its session. */
  readonly event_id: string;
  /** Where it is sent: the origin of the URL alone. */
  readonly target: string | null;
  /** How it stands with it. */
  readonly status: 'pending' | 'retrying' | 'delivered' | 'failed' | 'stopped';
  /** How often it was tried. */
  readonly attempts: number;
  /** HTTP status of the last answer; null: there was none. */
  readonly last_status: number | null;
  /** When it is tried again; null: it is not. */
  readonly next_attempt_at: string | null;
  /** Why there was no answer; null: there was one, or it was not tried. */
  readonly last_error: string | null;
  /** The first 2 KB of the last answer, without what is secret. */
  readonly last_response: string | null;
  /** When it was sent last; null: never. */
  readonly last_attempt_at: string | null;
}

export interface RunDiff {
  /** Whether the last turns of both say the same. */
  readonly same_response: boolean;
  /** Whether the turns at each position make the same calls in the same order; the order of keys says nothing. */
  readonly same_tool_calls: boolean;
  /** Whether both have the same value as final output, or none. */
  readonly same_final_output: boolean;
  /** By position. */
  readonly turns: readonly TurnDiff[];
  /** As `GET /runs/{run_id}` tells it. */
  readonly status: {
    readonly a: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled';
    readonly b: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled';
  };
  /** US dollars, a decimal without exponent. */
  readonly cost: {
    readonly a: string;
    readonly b: string;
  };
  /** What the model was given and gave. */
  readonly usage: {
    readonly a: Usage;
    readonly b: Usage;
  };
  /** Milliseconds from its start to its end; null: it has not ended, or never started. */
  readonly ms: {
    readonly a: number | null;
    readonly b: number | null;
  };
  /** The value; null: there is none. */
  readonly final_output: {
    readonly a: unknown;
    readonly b: unknown;
  };
}

export interface TurnDiff {
  /** How the turns at this position compare; `only_a`: the other run has none there. */
  readonly status: 'same' | 'changed' | 'only_a' | 'only_b';
  /** Of the run that is named first. */
  readonly a: ComparedTurn | null;
  /** Of the run that is named second. */
  readonly b: ComparedTurn | null;
}

export interface ComparedTurn {
  /** Its text. */
  readonly response: string;
  /** In their order. */
  readonly tool_calls: readonly ComparedCall[];
}

export interface ComparedCall {
  /** The name of the tool. */
  readonly tool: string;
  /** The arguments; text where they are no JSON. */
  readonly input: unknown;
}

export interface RecordedEventPage {
  /** What is on this page. */
  readonly items: readonly RecordedEvent[];
  /** For `cursor`, to get the next page; null at the end. */
  readonly next_cursor: string | null;
}

export interface RecordedEvent {
  /** Its revision in its session; `Last-Event-ID` and `after` take it. */
  readonly id: string;
  /** The event. */
  readonly data: StreamEvent;
}

export interface RunFilePage {
  /** What is on this page. */
  readonly items: readonly RunFile[];
  /** For `cursor`, to get the next page; null at the end. */
  readonly next_cursor: string | null;
}

export interface RunFile {
  /** The file; the result that brought it names it so. */
  readonly file_id: string;
  /** The tool whose result brought it. */
  readonly tool: string;
  /** By its first bytes; where they do not tell, as the tool server says. */
  readonly media_type: string;
  /** Size of the file. */
  readonly bytes: number;
  /** The end of its address; null: it has none. */
  readonly name: string | null;
  /** When it came to be. */
  readonly created_at: string;
}

export interface Replay {
  /** Absent: the run's own, and its model. */
  readonly mode?: 'flash' | 'base' | 'max' | 'fast';
  /** Absent: the mode's, or, where none is given, the run's own. */
  readonly model?: string;
  /** In place of the run's own. */
  readonly system?: string;
  /** In place of the run's own. */
  readonly rules?: readonly string[];
  /** `recorded`: what it was offered then, with the results that were recorded. Default: `recorded`. */
  readonly tools?: 'recorded' | 'none';
  /** Answer 202 at once and run on the server. Default: `false`. */
  readonly background?: boolean;
}

export interface Retry {
  /** The run's tool servers, under the same names: they are stored nowhere. */
  readonly mcp_servers?: readonly McpServer[];
  /** Another name of mcp_servers.
   * @deprecated */
  readonly mcpServers?: readonly McpServer[];
  /** Absent: the run's own. */
  readonly mode?: 'flash' | 'base' | 'max' | 'fast';
  /** In place of the run's own. */
  readonly approvals?: Approvals;
  /** What the run may cost before it waits, in US dollars. Absent: as the run itself. */
  readonly budget?: string;
  /** Answer 202 at once and run on the server. Default: `false`. */
  readonly background?: boolean;
}

export interface SessionPage {
  /** What is on this page. */
  readonly items: readonly Session[];
  /** For `cursor`, to get the next page; null at the end. */
  readonly next_cursor: string | null;
}

export interface Session {
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** The beginning of the session's first message. */
  readonly title: string | null;
  /** As many messages as its history has. */
  readonly message_count: number;
  /** Of its newest run; null: none has started. */
  readonly last_status: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled' | null;
  /** US dollars, a decimal without exponent. */
  readonly cost: string;
  /** When it came to be. */
  readonly created_at: string;
  /** null: it is no fork */
  readonly forked_from: {
    readonly session: string;
    /** the last event that is shared */
    readonly at: string;
  } | null;
}

export interface ErasedSession {
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** When that was. */
  readonly erased_at: string;
  /** Events whose content nobody can read any more. */
  readonly events: number;
  /** ids of its forks, and of theirs; with `?forks=true` they are erased, too */
  readonly forks: readonly string[];
  /** Where copies may be that the service does not hold. */
  readonly not_reached: readonly string[];
}

export interface Context {
  /** In the order in which they were said, without the system message. */
  readonly messages: readonly ChatMessage[];
}

export interface ChatMessage {
  /** Who said it. */
  readonly role: 'user' | 'assistant' | 'tool';
  /** null where it called tools and said nothing */
  readonly content: string | null;
  /** of an assistant that called tools */
  readonly tool_calls?: readonly ChatToolCall[];
  /** of a tool's result: of the call that it belongs to */
  readonly tool_call_id?: string;
}

export interface ChatToolCall {
  /** As the model named it. */
  readonly id: string;
  /** Which kind it is. */
  readonly type: 'function';
  /** What was called, and with what. */
  readonly function: {
    readonly name: string;
    /** JSON text as the model wrote it */
    readonly arguments: string;
  };
}

export interface Fork {
  /** Id of the event up to which it is shared; absent: the last. */
  readonly at?: number | string;
  /** Absent: as the parent's. */
  readonly title?: string;
}

export interface LogItemPage {
  /** What is on this page. */
  readonly items: readonly LogItem[];
  /** For `cursor`, to get the next page; null at the end. */
  readonly next_cursor: string | null;
}

export interface LogItem {
  /** Names it for good. */
  readonly id: string;
  /** The event. */
  readonly data: LogLine;
}

/** An event as it stands on the log: docs/log-format.md says how to check it. */
export interface LogLine {
  /** Its place in the session, from 0 on. */
  readonly revision: number;
  /** Names it for good. */
  readonly id: string;
  /** Which kind it is. */
  readonly type: string;
  /** ms since 1970 */
  readonly time: number;
  /** Of the form of its data. */
  readonly schemaVersion: number;
  /** Whose things it sees. Default for a new key: that of whoever makes it. */
  readonly project: string;
  /** Who caused it: the id of a key, or a part of the service. */
  readonly actor: string;
  /** What its data are held against: SHA-256(salt ‖ text). */
  readonly commitment: string;
  /** Empty: the next event that has one takes it in. */
  readonly prev: string;
  /** The run that it belongs to. */
  readonly run?: string;
  /** What caused it; of the first and the last event of a run its id. */
  readonly causationId?: string;
  /** The request that it came of. */
  readonly correlationId?: string;
  /** With the text it opens the commitment: SHA-256(salt ‖ text). */
  readonly salt?: string;
  /** The event's data: JSON, verbatim. Absent where they do not open. */
  readonly text?: string;
  /** How long a text is that was left out: more characters than `inline`. */
  readonly bytes?: number;
  /** How it begins: 512 characters. */
  readonly head?: string;
}

/** A LogLine with all of its text, and what was said in it. */
export interface LogEvent {
  /** Its place in the session, from 0 on. */
  readonly revision: number;
  /** Names it for good. */
  readonly id: string;
  /** Which kind it is. */
  readonly type: string;
  /** ms since 1970 */
  readonly time: number;
  /** Of the form of its data. */
  readonly schemaVersion: number;
  /** Whose things it sees. Default for a new key: that of whoever makes it. */
  readonly project: string;
  /** Who caused it: the id of a key, or a part of the service. */
  readonly actor: string;
  /** What its data are held against: SHA-256(salt ‖ text). */
  readonly commitment: string;
  /** Empty: the next event that has one takes it in. */
  readonly prev: string;
  /** Its message or content as text, also where that lies in a file. */
  readonly content: string | null;
  /** The run that it belongs to. */
  readonly run?: string;
  /** What caused it; of the first and the last event of a run its id. */
  readonly causationId?: string;
  /** The request that it came of. */
  readonly correlationId?: string;
  /** With the text it opens the commitment: SHA-256(salt ‖ text). */
  readonly salt?: string;
  /** The event's data: JSON, verbatim. Absent where they do not open. */
  readonly text?: string;
  /** How long a text is that was left out: more characters than `inline`. */
  readonly bytes?: number;
  /** How it begins: 512 characters. */
  readonly head?: string;
}

export interface MessageItemPage {
  /** What is on this page. */
  readonly items: readonly MessageItem[];
  /** For `cursor`, to get the next page; null at the end. */
  readonly next_cursor: string | null;
}

export interface MessageItem {
  /** of the event with which it begins */
  readonly id: string;
  /** Which kind it is. */
  readonly type: 'user_message' | 'agent_thinking' | 'agent_response' | 'agent_tool_use';
  /** of a tool use JSON text of {tool, input} */
  readonly content: string;
  /** The run; its id holds that of its session. */
  readonly run_id: string;
  /** When it came to be. */
  readonly created_at: string;
  /** of a tool use: what was called */
  readonly tool?: string;
  /** and with what */
  readonly input?: unknown;
  /** what the tool answered, as soon as that is there */
  readonly output?: string;
}

export interface TaskPage {
  /** What is on this page. */
  readonly items: readonly Task[];
  /** For `cursor`, to get the next page; null at the end. */
  readonly next_cursor: string | null;
}

export interface Task {
  /** The task. */
  readonly task_id: string;
  /** The session: what was said in one conversation. */
  readonly session: string;
  /** As it was given: seconds, a date, or a cron expression. */
  readonly schedule: number | string;
  /** IANA name in which a cron expression is read. */
  readonly timezone: string;
  /** The message of the runs that it starts. */
  readonly message: string;
  /** How it stands with it. */
  readonly status: 'scheduled' | 'paused' | 'finished' | 'cancelled';
  /** When it came to be. */
  readonly created_at: string;
  /** When it fires next; null: not again. */
  readonly next_run_at: string | null;
  /** When it fired last; null: not yet. */
  readonly last_run_at: string | null;
  /** The newest of its slots. */
  readonly firings: readonly Firing[];
}

export interface Firing {
  /** When it was due. */
  readonly slot: string;
  /** When it fired; null: it was missed. */
  readonly fired_at: string | null;
  /** The run that was started; null: the slot was missed, or it is not there yet. */
  readonly run_id: string | null;
  /** Whether it fired after its time, since the service was down. */
  readonly late: boolean;
  /** Why no run comes of it: processes ended while they started it, and the task was paused. */
  readonly error?: FiringError;
}

export interface FiringError {
  /** Tells these apart, for programs. */
  readonly code: 'internal';
  /** What is said, in words for people. */
  readonly message: string;
}

export interface NewToken {
  /** The one that it is for. Absent: those that are opened with it. */
  readonly session?: string;
  /** What it may do. */
  readonly scopes: readonly ('run' | 'read')[];
  /** For how long it is valid, in seconds. */
  readonly expires_s: number;
}

export interface Token {
  /** Shown once; sent as a key is, or to event streams as `?token=`. */
  readonly token: string;
  /** From then on it is as if it were revoked. */
  readonly expires_at: string;
}

export interface UsageGroupPage {
  /** What is on this page. */
  readonly items: readonly UsageGroup[];
  /** For `cursor`, to get the next page; null at the end. */
  readonly next_cursor: string | null;
}

export interface UsageGroup {
  /** How many runs the calls are of. */
  readonly runs: number;
  /** What the model was given. */
  readonly input_tokens: number;
  /** What the model gave. */
  readonly output_tokens: number;
  /** Calls of models of which something came back, also those that broke. */
  readonly model_calls: number;
  /** Those of them that the server did not count: about four characters a token. */
  readonly estimated_calls: number;
  /** Those of them that cost 0 because there is no price of the model. */
  readonly unpriced_calls: number;
  /** US dollars, a decimal without exponent. */
  readonly cost: string;
  /** Those of the input that the server had kept from before; absent: no call told of any. */
  readonly cached_input_tokens?: number;
  /** Those of the input that it has kept for later. */
  readonly cache_write_tokens?: number;
  /** Those of the output that were thinking. */
  readonly reasoning_tokens?: number;
  /** Whose things it sees. Default for a new key: that of whoever makes it. */
  readonly project?: string | null;
  /** Shown once; only a hash of it is kept. */
  readonly key?: string | null;
  /** The model that is asked. */
  readonly model?: string | null;
  /** As asked for; it chooses the model. */
  readonly mode?: string | null;
  /** The session: what was said in one conversation. */
  readonly session?: string | null;
  /** In UTC. */
  readonly day?: string | null;
}
