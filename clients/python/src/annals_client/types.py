# Generated from docs/openapi.json by clients/generate.mjs: change it there.
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    # Only whoever checks types looks at it: annotations are not evaluated.
    from typing_extensions import NotRequired


class AgentEventAgentStarted(TypedDict):
    type: Literal["agent_started"]
    session: str


class AgentEventAgentTaskScheduled(TypedDict):
    type: Literal["agent_task_scheduled"]
    session: str
    task_id: str
    schedule: Union[int, str]
    message: str
    next_run_at: str


class AgentEventAgentThinkingStart(TypedDict):
    type: Literal["agent_thinking_start"]
    session: str


class AgentEventAgentThinking(TypedDict):
    type: Literal["agent_thinking"]
    session: str
    content: str


class AgentEventAgentResponseStart(TypedDict):
    type: Literal["agent_response_start"]
    session: str


class AgentEventAgentResponse(TypedDict):
    type: Literal["agent_response"]
    session: str
    content: str


class AgentEventAgentToolUseStart(TypedDict):
    type: Literal["agent_tool_use_start"]
    session: str


class AgentEventAgentToolUse(TypedDict):
    type: Literal["agent_tool_use"]
    session: str
    #: JSON text of {tool, input}
    content: str


class AgentEventAgentToolResponse(TypedDict):
    type: Literal["agent_tool_response"]
    session: str
    #: JSON text of {tool, content}
    content: str


class AgentEventAgentStep(TypedDict):
    type: Literal["agent_step"]
    session: str
    step: str


class AgentEventAgentHandoff(TypedDict):
    type: Literal["agent_handoff"]
    session: str
    agent: str


class AgentEventAgentWorkflowStep(TypedDict):
    type: Literal["agent_workflow_step"]
    session: str
    workflow_id: str
    step_id: str
    status: Literal["started", "completed", "skipped", "failed"]
    attempt: str


class AgentEventAgentFinalOutput(TypedDict):
    type: Literal["agent_final_output"]
    session: str
    name: str
    #: JSON text of the value
    content: str


class AgentEventAgentWarning(TypedDict):
    type: Literal["agent_warning"]
    session: str
    #: JSON text of {code, reason, server?, tools?}
    content: str


class AgentEventAgentCost(TypedDict):
    type: Literal["agent_cost"]
    session: str
    cost: str


class AgentEventAgentCompleted(TypedDict):
    type: Literal["agent_completed"]
    session: str


class AgentEventAgentCancelled(TypedDict):
    type: Literal["agent_cancelled"]
    session: str


class AgentEventAgentError(TypedDict):
    type: Literal["agent_error"]
    session: str
    content: str
    code: Literal["model_unavailable", "max_steps", "timeout", "final_output_invalid", "tool_servers_lost", "context_too_long", "internal"]
    retryable: bool


class AgentEventUnreadable(TypedDict):
    """What the log holds of the event was damaged, or its key is lost: it has no other fields."""

    type: Literal["agent_started", "agent_task_scheduled", "agent_thinking_start", "agent_thinking", "agent_response_start", "agent_response", "agent_tool_use_start", "agent_tool_use", "agent_tool_response", "agent_step", "agent_handoff", "agent_workflow_step", "agent_final_output", "agent_warning", "agent_cost", "agent_completed", "agent_cancelled", "agent_error"]
    session: str
    unreadable: Literal[True]


class RecordedEvent(TypedDict):
    id: str
    data: AgentEvent


class Message(TypedDict):
    type: Literal["user_message", "agent_thinking", "agent_response", "agent_tool_use"]
    content: str


class RunUsage(TypedDict):
    input_tokens: int
    output_tokens: int


class RunWarningsItem(TypedDict):
    code: str
    reason: str
    server: NotRequired[str]
    tools: NotRequired[list[str]]


class RunError1(TypedDict):
    code: str
    message: str
    retryable: bool


class Run(TypedDict):
    run_id: str
    session: str
    status: Literal["queued", "running", "completed", "failed", "cancelled"]
    mode: Literal["flash", "base", "max"]
    model: str
    trigger: Literal["request", "task", "kafka"]
    #: the id of the key
    actor: str
    created_at: str
    started_at: Union[str, None]
    ended_at: Union[str, None]
    cost: str
    usage: RunUsage
    warnings: list[RunWarningsItem]
    error: Union[RunError1, None]
    last_event_id: Union[str, None]


class AcceptedRun(TypedDict):
    session: str
    run_id: str
    status: Literal["queued"]
    task_ids: list[str]


class EndedRunWarningsItem(TypedDict):
    code: str
    reason: str
    server: NotRequired[str]
    tools: NotRequired[list[str]]


class EndedRunError(TypedDict):
    code: str
    message: str
    retryable: bool


class EndedRun(TypedDict):
    session: str
    run_id: str
    status: Literal["completed", "failed", "cancelled"]
    #: the text of the last turn
    response: str
    messages: list[Message]
    cost: str
    task_ids: list[str]
    warnings: list[EndedRunWarningsItem]
    #: the value, if it was asked for
    final_output: NotRequired[Any]
    error: NotRequired[EndedRunError]


class Session(TypedDict):
    session: str
    title: Union[str, None]
    message_count: int
    last_status: Union[Literal["queued", "running", "completed", "failed", "cancelled"], None]
    cost: str
    created_at: str


class ErasedSession(TypedDict):
    session: str
    erased_at: str
    events: int
    not_reached: list[str]


class TaskFiringsItemError(TypedDict):
    """why no run comes of it: processes ended while they started it, and the task was paused"""

    code: Literal["internal"]
    message: str


class TaskFiringsItem(TypedDict):
    slot: str
    fired_at: Union[str, None]
    run_id: Union[str, None]
    late: bool
    #: why no run comes of it: processes ended while they started it, and the task was paused
    error: NotRequired[TaskFiringsItemError]


class Task(TypedDict):
    task_id: str
    session: str
    schedule: Union[int, str]
    timezone: str
    message: str
    status: Literal["scheduled", "paused", "finished", "cancelled"]
    created_at: str
    next_run_at: Union[str, None]
    last_run_at: Union[str, None]
    firings: list[TaskFiringsItem]


class Delivery(TypedDict):
    delivery_id: str
    sequence: int
    type: str
    status: Literal["pending", "retrying", "delivered", "failed", "stopped"]
    attempts: int
    last_status: Union[int, None]
    next_attempt_at: Union[str, None]
    last_error: Union[str, None]
    last_response: Union[str, None]


class Datastore(TypedDict):
    datastore_id: str
    name: str
    type: Literal["database", "documents"]
    created_at: str


class UploadedDocumentWarningsItem(TypedDict):
    code: str
    detail: str
    #: of a PDF; slides and sheets count as pages
    page: NotRequired[int]


class UploadedDocument(TypedDict):
    document_id: str
    datastore_id: str
    filename: str
    status: Literal["indexed", "processing", "failed"]
    indexed_at: Union[str, None]
    #: what the file holds and the index does not
    warnings: list[UploadedDocumentWarningsItem]


class DocumentWarningsItem(TypedDict):
    code: str
    detail: str
    #: of a PDF; slides and sheets count as pages
    page: NotRequired[int]


class DocumentError1(TypedDict):
    code: str
    message: str


class Document(TypedDict):
    document_id: str
    datastore_id: str
    filename: str
    status: Literal["indexed", "processing", "failed"]
    indexed_at: Union[str, None]
    #: what the file holds and the index does not
    warnings: list[DocumentWarningsItem]
    created_at: str
    bytes: int
    pages: Union[int, None]
    error: Union[DocumentError1, None]


class SearchItem(TypedDict):
    document_id: str
    filename: str
    page: Union[int, None]
    text: str
    score: float


class ApiKey(TypedDict):
    id: str
    name: str
    scopes: list[Literal["run", "read", "datastores", "approve", "metrics", "admin"]]
    project: str
    created_at: str
    expires_at: Union[str, None]
    #: to the hour
    last_used_at: Union[str, None]


class NewKey(TypedDict):
    id: str
    key: str
    webhook_secret: str
    name: str
    scopes: list[Literal["run", "read", "datastores", "approve", "metrics", "admin"]]
    project: str
    created_at: str
    expires_at: NotRequired[str]


class ReadinessChecksValue(TypedDict):
    status: Literal["ok", "failing"]
    detail: NotRequired[str]


class Readiness(TypedDict):
    status: Literal["ok", "unavailable"]
    checks: dict[str, ReadinessChecksValue]


class ProblemErrorsItem(TypedDict):
    path: str
    message: str


class Problem(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    #: tells refusals of one status apart
    code: str
    request_id: str
    errors: NotRequired[list[ProblemErrorsItem]]


class RunRequest(TypedDict):
    #: The task.
    message: str
    #: The system prompt, in place of the service's own.
    system: NotRequired[str]
    #: `flash`: simple tasks, shows thinking; `base`: balanced; `max`: complex reasoning. `fast` is an old name of `base`.
    mode: NotRequired[Literal["flash", "base", "max", "fast"]]
    #: Constraints that the agent obeys in every turn.
    rules: NotRequired[list[str]]
    #: Directed acyclic graphs of steps, offered to the agent as a tool.
    workflows: NotRequired[list[Workflow]]
    #: Specialists to which the conversation can be handed off.
    agents: NotRequired[list[Agent]]
    #: External tool servers. Never stored: send them each time.
    mcp_servers: NotRequired[list[McpServer]]
    #: Another name of mcp_servers.
    #: @deprecated
    mcpServers: NotRequired[list[McpServer]]
    #: Answer 202 at once and run on the server.
    background: NotRequired[bool]
    #: Receives the run's events, each in a POST of its own.
    callback: NotRequired[Callback]
    #: Knowledge that the agent may use.
    datastores: NotRequired[list[DatastoreRef]]
    #: Ready-made queries on the databases; `?` are parameters, always bound.
    queries: NotRequired[list[Query]]
    #: Text token by token, not in blocks.
    streaming_tokens: NotRequired[bool]
    #: Another name of streaming_tokens.
    #: @deprecated
    streaming: NotRequired[bool]
    #: Runs to be started later in this session.
    schedules: NotRequired[list[Schedule]]
    #: One more event at the end, with output that fits the schema.
    final_output: NotRequired[FinalOutput]
    #: What happens while the session has a run: wait, 409, or cancel that one.
    on_busy: NotRequired[Literal["enqueue", "reject", "interrupt"]]


class Workflow(TypedDict):
    id: str
    name: str
    description: str
    steps: list[Step]


class Step(TypedDict):
    id: str
    name: str
    description: str
    depends_on: list[str]
    optional: NotRequired[bool]
    retry_policy: NotRequired[RetryPolicy]
    output_schema: NotRequired[dict[str, Any]]


class RetryPolicy(TypedDict):
    max_attempts: int
    backoff: Literal["none", "fixed", "linear", "exponential"]
    initial_delay_ms: NotRequired[int]


class Agent(TypedDict):
    name: str
    description: str


class McpServer(TypedDict):
    serverName: str
    serverUrl: str
    required: NotRequired[bool]
    auth: NotRequired[Union[BearerAuth, OauthAuth]]


class BearerAuth(TypedDict):
    type: Literal["bearer"]
    token: str


class OauthAuth(TypedDict):
    type: Literal["oauth"]
    oauth: Oauth


class Oauth(TypedDict):
    accessToken: str


class Callback(TypedDict):
    url: str
    headers: NotRequired[dict[str, str]]


class DatastoreRef(TypedDict):
    id: str
    name: str


class Query(TypedDict):
    name: str
    description: str
    #: SQL with at most 100 placeholders (`?`).
    query: str


class Schedule(TypedDict):
    #: Seconds from now, a date (once), or a five-field cron expression (recurring).
    schedule: Union[int, str]
    message: str
    #: IANA name, for cron expressions.
    timezone: NotRequired[str]


class FinalOutput(TypedDict):
    name: str
    schema: dict[str, Any]
    strict: NotRequired[bool]


class NewDatastore(TypedDict):
    name: str
    type: Literal["database", "documents"]
    metadata: NotRequired[Metadata]


class Metadata(TypedDict):
    #: For databases. Encrypted at rest, never shown again.
    connectionString: NotRequired[str]
    #: false lets the caller's own queries write.
    readOnly: NotRequired[bool]


class Search(TypedDict):
    query: str
    limit: NotRequired[int]


class NewApiKey(TypedDict):
    name: str
    scopes: list[Literal["run", "read", "datastores", "approve", "metrics", "admin"]]
    project: NotRequired[str]
    #: From then on it is as if it were revoked.
    expires_at: NotRequired[str]


#: The `data:` JSON of an event. A run ends with exactly one of agent_completed, agent_error and agent_cancelled.
AgentEvent = Union["AgentEventAgentStarted", "AgentEventAgentTaskScheduled", "AgentEventAgentThinkingStart", "AgentEventAgentThinking", "AgentEventAgentResponseStart", "AgentEventAgentResponse", "AgentEventAgentToolUseStart", "AgentEventAgentToolUse", "AgentEventAgentToolResponse", "AgentEventAgentStep", "AgentEventAgentHandoff", "AgentEventAgentWorkflowStep", "AgentEventAgentFinalOutput", "AgentEventAgentWarning", "AgentEventAgentCost", "AgentEventAgentCompleted", "AgentEventAgentCancelled", "AgentEventAgentError", "AgentEventUnreadable"]
