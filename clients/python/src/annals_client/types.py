# Generated from docs/openapi.json by clients/generate.mjs: change it there.
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    # Only whoever checks types looks at it: annotations are not evaluated.
    from typing_extensions import NotRequired


class RunRequest(TypedDict):
    #: The task.
    message: str
    #: The system prompt, in place of the service's own.
    system: NotRequired[str]
    #: `flash`: simple tasks, shows thinking; `base`: balanced; `max`: complex reasoning. `fast` is an old name of `base`. Default: `base`.
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
    #: Answer 202 at once and run on the server. Default: `false`.
    background: NotRequired[bool]
    #: Receives the run's events, each in a POST of its own.
    callback: NotRequired[Callback]
    #: Knowledge that the agent may use.
    datastores: NotRequired[list[DatastoreRef]]
    #: Ready-made queries on the databases; `?` are parameters, always bound.
    queries: NotRequired[list[Query]]
    #: Text token by token, not in blocks. Default: `false`.
    streaming_tokens: NotRequired[bool]
    #: Another name of streaming_tokens.
    #: @deprecated
    streaming: NotRequired[bool]
    #: Runs to be started later in this session.
    schedules: NotRequired[list[Schedule]]
    #: One more event at the end, with output that fits the schema.
    final_output: NotRequired[FinalOutput]
    #: Which calls of tools wait until somebody decides on them, and which tools are not offered.
    approvals: NotRequired[Approvals]
    #: Tools that you carry out: each call waits for your answer.
    tools: NotRequired[list[CallerTool]]
    #: What the run may cost before it waits, in US dollars.
    budget: NotRequired[str]
    #: Whether the model is asked for a summary where the context is full; otherwise the oldest turns are left out. Default: `true`.
    compaction: NotRequired[bool]
    #: What you want to find the run by, or sum up its cost by: up to 16 pairs of strings.
    metadata: NotRequired[dict[str, str]]
    #: What happens while the session has a run: wait, 409, cancel that one, or hand the message to it (the rest of the request has no effect then). Default: `enqueue`.
    on_busy: NotRequired[Literal["enqueue", "reject", "interrupt", "steer"]]


class Workflow(TypedDict):
    #: Names the workflow, for `run_workflow` and in events.
    id: str
    #: What it is called.
    name: str
    #: Tells the agent what it is for.
    description: str
    #: A directed acyclic graph: those that do not wait for each other run at the same time.
    steps: list[Step]


class Step(TypedDict):
    #: Names the step within its workflow.
    id: str
    #: What it is called.
    name: str
    #: What is to be done; the agent decides how.
    description: str
    #: The ids of the steps whose outputs it sees. Empty: it may start at once.
    depends_on: list[str]
    #: Whether a failure skips it and does not fail the workflow. Default: false.
    optional: NotRequired[bool]
    #: How it is tried again. Absent: one attempt.
    retry_policy: NotRequired[RetryPolicy]
    #: JSON Schema that its output has to fit; one that does not is a failed attempt.
    output_schema: NotRequired[dict[str, Any]]


class RetryPolicy(TypedDict):
    #: Attempts in all.
    max_attempts: int
    #: How the wait grows with each attempt.
    backoff: Literal["none", "fixed", "linear", "exponential"]
    #: The first wait in milliseconds. Default: 1000.
    initial_delay_ms: NotRequired[int]


class Agent(TypedDict):
    #: Of the specialist; its tool is `transfer_to_<name>`.
    name: str
    #: Tells the agent what it is for.
    description: str


class McpServer(TypedDict):
    #: Tells its tools from those of other servers.
    serverName: str
    #: Where it speaks Streamable HTTP, or the older SSE.
    serverUrl: str
    #: Whether the run fails where this server cannot be used. Default: false.
    required: NotRequired[bool]
    #: What it is shown. Never stored.
    auth: NotRequired[Union[BearerAuth, OauthAuth]]


class BearerAuth(TypedDict):
    #: Which kind it is.
    type: Literal["bearer"]
    #: Sent as a bearer token.
    token: str


class OauthAuth(TypedDict):
    #: Which kind it is.
    type: Literal["oauth"]
    #: What was obtained by OAuth.
    oauth: Oauth


class Oauth(TypedDict):
    #: Sent as a bearer token.
    accessToken: str


class Callback(TypedDict):
    #: Where each event is POSTed to: http or https, without credentials in it.
    url: str
    #: Sent with each of them: 50, of 8 KB together.
    headers: NotRequired[dict[str, str]]


class DatastoreRef(TypedDict):
    #: The `datastore_id`.
    id: str
    #: The tools over it are named after it.
    name: str


class Query(TypedDict):
    #: The tool is called so.
    name: str
    #: Tells the agent what it is for.
    description: str
    #: SQL with at most 100 placeholders (`?`).
    query: str


class Schedule(TypedDict):
    #: Seconds from now, a date (once), or a five-field cron expression (recurring).
    schedule: Union[int, str]
    #: The message of the run that each firing starts.
    message: str
    #: IANA name, for cron expressions. Default: `UTC`.
    timezone: NotRequired[str]


class FinalOutput(TypedDict):
    #: Comes back with the value.
    name: str
    #: Whether the model is held to the schema while it writes. Default: false.
    strict: NotRequired[bool]
    #: JSON Schema of the value.
    schema: dict[str, Any]


class Approvals(TypedDict):
    #: Of tools that no pattern fits. Default: `allow`.
    default: NotRequired[Literal["allow", "ask", "deny"]]
    #: By name of the tool, in which `*` stands for any characters. An exact one wins, then the longest, among equals the strictest.
    tools: NotRequired[dict[str, Literal["allow", "ask", "deny"]]]
    #: Who may release a call: any key, or none that started or steered the run. Default: `anyone`.
    by: NotRequired[Literal["anyone", "another_key"]]
    #: Seconds, for every action of the run. Default: `86400`.
    expires_s: NotRequired[int]


class CallerTool(TypedDict):
    #: What it is called.
    name: str
    #: Tells the agent what it is for.
    description: str
    #: JSON schema of the arguments, which are an object.
    parameters: dict[str, Any]


class EndedRun(TypedDict):
    #: The session: what was said in one conversation.
    session: str
    #: The run; its id holds that of its session.
    run_id: str
    #: How it stands with it.
    status: Literal["completed", "failed", "cancelled", "waiting"]
    #: the text of the last turn
    response: str
    #: The whole session, as `POST /get-messages` tells it.
    messages: list[Message]
    #: US dollars, a decimal without exponent.
    cost: str
    #: What the model was given and gave.
    usage: Usage
    #: Of the tasks that `schedules` made, in their order.
    task_ids: list[str]
    #: What the agent had to do without.
    warnings: list[RunWarning]
    #: the value, if it was asked for
    final_output: NotRequired[Any]
    #: Why it failed; null, or absent: it did not.
    error: NotRequired[RunError]
    #: what a run that waits waits for
    actions: NotRequired[list[Action]]


class Message(TypedDict):
    #: Which kind it is.
    type: Literal["user_message", "agent_thinking", "agent_response", "agent_tool_use"]
    #: Its text; of a tool use JSON text of {tool, input}.
    content: str


class Usage(TypedDict):
    #: What the model was given.
    input_tokens: int
    #: What the model gave.
    output_tokens: int
    #: Calls of models of which something came back, also those that broke.
    model_calls: int
    #: Those of them that the server did not count: about four characters a token.
    estimated_calls: int
    #: Those of them that cost 0 because there is no price of the model.
    unpriced_calls: int
    #: Those of the input that the server had kept from before; absent: no call told of any.
    cached_input_tokens: NotRequired[int]
    #: Those of the input that it has kept for later.
    cache_write_tokens: NotRequired[int]
    #: Those of the output that were thinking.
    reasoning_tokens: NotRequired[int]


class RunWarning(TypedDict):
    #: Tells these apart, for programs.
    code: str
    #: What happened, in words.
    reason: str
    #: The tool server that it is about.
    server: NotRequired[str]
    #: The tools that it is about.
    tools: NotRequired[list[str]]


class RunError(TypedDict):
    #: Tells these apart, for programs.
    code: str
    #: What is said, in words for people.
    message: str
    #: Whether the same again may succeed.
    retryable: bool


class Action(TypedDict):
    #: The action; its id holds that of its session.
    action_id: str
    #: Why the run waits, and what it can be decided with.
    kind: Literal["approval", "tool", "budget", "tool_servers", "input"]
    #: How it stands with it.
    status: Literal["open", "resolved", "expired", "cancelled"]
    #: The session: what was said in one conversation.
    session: str
    #: The run; its id holds that of its session.
    run_id: str
    #: approval, tool: {tool, input}; tool_servers: {servers}; budget: {spent, limit}
    asked: dict[str, Any]
    #: What it was decided on; null: nobody has yet.
    decided: Union[dict[str, Any], None]
    #: What closed it; null: it is open, or its run has ended.
    decision: Union[Literal["approve", "answer", "raise", "supply", "deny", "expired"], None]
    #: the id of the key; empty: nobody decided in time
    actor: Union[str, None]
    #: When it came to be.
    created_at: str
    #: From then on it is as if it was denied, by nobody.
    expires_at: str
    #: When it was decided; null: it was not.
    resolved_at: Union[str, None]


class AcceptedRun(TypedDict):
    #: The session: what was said in one conversation.
    session: str
    #: The run; its id holds that of its session.
    run_id: str
    #: How it stands with it.
    status: Literal["queued"]
    #: Of the tasks that `schedules` made, in their order.
    task_ids: list[str]


class Problem(TypedDict):
    #: Always `about:blank`: `code` tells refusals apart.
    type: str
    #: The name of the status.
    title: str
    #: The HTTP status.
    status: int
    #: What is wrong, in words.
    detail: str
    #: tells refusals of one status apart
    code: str
    #: Names the request in logs; also in `X-Request-Id`.
    request_id: str
    #: What of the request is wrong, field by field.
    errors: NotRequired[list[FieldError]]


class FieldError(TypedDict):
    #: Leads to the field, e.g. `workflows[0].steps[2].depends_on[1]`.
    path: str
    #: What is said, in words for people.
    message: str


class UnreadableEvent(TypedDict):
    """What the log holds of the event was damaged, or its key is lost: it has no other fields."""

    #: Of the event that it was.
    type: Literal["agent_started", "agent_task_scheduled", "agent_thinking_start", "agent_thinking", "agent_response_start", "agent_response", "agent_tool_use_start", "agent_tool_use", "agent_tool_response", "agent_step", "agent_handoff", "agent_workflow_step", "agent_final_output", "agent_warning", "agent_drift", "agent_compacted", "agent_action_required", "agent_action_resolved", "agent_steered", "agent_cost", "agent_completed", "agent_cancelled", "agent_error"]
    #: The session: what was said in one conversation.
    session: str
    #: Tells it from the event that it was.
    unreadable: Literal[True]


class AgentStartedEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_started"]
    #: The session: what was said in one conversation.
    session: str


class AgentTaskScheduledEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_task_scheduled"]
    #: The session: what was said in one conversation.
    session: str
    #: The task.
    task_id: str
    #: As it was given: seconds, a date, or a cron expression.
    schedule: Union[int, str]
    #: The message of the runs that it starts.
    message: str
    #: When it fires next; null: not again.
    next_run_at: str


class AgentThinkingStartEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_thinking_start"]
    #: The session: what was said in one conversation.
    session: str


class AgentThinkingEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_thinking"]
    #: The session: what was said in one conversation.
    session: str
    #: Its text. With `streaming_tokens` the next piece of it.
    content: str


class AgentResponseStartEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_response_start"]
    #: The session: what was said in one conversation.
    session: str


class AgentResponseEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_response"]
    #: The session: what was said in one conversation.
    session: str
    #: Its text. With `streaming_tokens` the next piece of it.
    content: str


class AgentToolUseStartEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_tool_use_start"]
    #: The session: what was said in one conversation.
    session: str


class AgentToolUseEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_tool_use"]
    #: The session: what was said in one conversation.
    session: str
    #: JSON text of {tool, input}
    content: str


class AgentToolResponseEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_tool_response"]
    #: The session: what was said in one conversation.
    session: str
    #: JSON text of {tool, content}
    content: str


class AgentStepEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_step"]
    #: The session: what was said in one conversation.
    session: str
    #: Counts the turns of the main agent: 1, 2, 3 …
    step: str


class AgentHandoffEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_handoff"]
    #: The session: what was said in one conversation.
    session: str
    #: Who has the conversation from here on.
    agent: str


class AgentWorkflowStepEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_workflow_step"]
    #: The session: what was said in one conversation.
    session: str
    #: The workflow, as the request names it.
    workflow_id: str
    #: The step, as the workflow names it.
    step_id: str
    #: How it stands with it.
    status: Literal["started", "completed", "skipped", "failed"]
    #: Counts the attempts of the step: 1, 2, 3 …
    attempt: str


class AgentFinalOutputEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_final_output"]
    #: The session: what was said in one conversation.
    session: str
    #: As the request had it.
    name: str
    #: JSON text of the value
    content: str


class AgentWarningEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_warning"]
    #: The session: what was said in one conversation.
    session: str
    #: JSON text of {code, reason, server?, tools?}
    content: str


class AgentDriftEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_drift"]
    #: The session: what was said in one conversation.
    session: str
    #: JSON text of {tool, input}
    content: str


AgentCompactedEvent = TypedDict(
    "AgentCompactedEvent",
    {
        #: Which kind it is.
        "type": 'Literal["agent_compacted"]',
        #: The session: what was said in one conversation.
        "session": 'str',
        #: the summary; empty: there is none
        "content": 'str',
        #: id of the first shown event that it stands for
        "from": 'str',
        #: id of the last one
        "through": 'str',
    },
)


class AgentActionRequiredEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_action_required"]
    #: The session: what was said in one conversation.
    session: str
    #: The action; its id holds that of its session.
    action_id: str
    #: Why the run waits, and what it can be decided with.
    kind: Literal["approval", "tool", "budget", "tool_servers", "input"]
    #: JSON text of what is asked
    content: str
    #: From then on it is as if it was denied, by nobody.
    expires_at: str


class AgentActionResolvedEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_action_resolved"]
    #: The session: what was said in one conversation.
    session: str
    #: The action; its id holds that of its session.
    action_id: str
    #: What closed it; null: it is open, or its run has ended.
    decision: Literal["approve", "answer", "raise", "supply", "deny", "expired"]
    #: The id of the key that decided; empty: nobody did in time.
    actor: str
    #: JSON text of {reason?, input?, budget?}
    content: str


class AgentSteeredEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_steered"]
    #: The session: what was said in one conversation.
    session: str
    #: Its text. With `streaming_tokens` the next piece of it.
    content: str


class AgentCostEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_cost"]
    #: The session: what was said in one conversation.
    session: str
    #: US dollars, a decimal without exponent.
    cost: str


class AgentCompletedEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_completed"]
    #: The session: what was said in one conversation.
    session: str


class AgentCancelledEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_cancelled"]
    #: The session: what was said in one conversation.
    session: str


class AgentErrorEvent(TypedDict):
    #: Which kind it is.
    type: Literal["agent_error"]
    #: The session: what was said in one conversation.
    session: str
    #: Its text. With `streaming_tokens` the next piece of it.
    content: str
    #: Tells these apart, for programs.
    code: Literal["model_unavailable", "max_steps", "timeout", "final_output_invalid", "tool_servers_lost", "context_too_long", "internal"]
    #: Whether the same again may succeed.
    retryable: bool


class ResourceMetadata(TypedDict):
    #: What keys are shown to.
    resource: str
    #: What it is called.
    resource_name: str
    #: How a key is sent.
    bearer_methods_supported: list[str]
    #: What a key may be for.
    scopes_supported: list[str]
    #: Where more is said.
    resource_documentation: str


class ActionPage(TypedDict):
    #: What is on this page.
    items: list[Action]
    #: For `cursor`, to get the next page; null at the end.
    next_cursor: Union[str, None]


class Decision(TypedDict):
    #: `approve` an approval, `answer` a call of a tool of your own, `raise` a budget, `supply` tool servers, or `deny` any.
    decision: Literal["approve", "answer", "raise", "supply", "deny"]
    #: Of `approve`: the call is made with this instead; any JSON.
    input: NotRequired[Any]
    #: Of `answer`: what the call brought; any JSON, a string as it is.
    result: NotRequired[Any]
    #: Of `raise`: what the run may cost in all, in US dollars.
    budget: NotRequired[str]
    #: Of `supply`: the servers that are asked for, as in the request of the run. Never stored.
    mcp_servers: NotRequired[list[McpServer]]
    #: Another name of mcp_servers.
    #: @deprecated
    mcpServers: NotRequired[list[McpServer]]
    #: Why; the agent is told the reason of a denial.
    reason: NotRequired[str]


class NewApiKey(TypedDict):
    #: What it is called.
    name: str
    #: What it may do.
    scopes: list[Literal["run", "read", "datastores", "approve", "metrics", "admin"]]
    #: Whose things it sees. Default for a new key: that of whoever makes it.
    project: NotRequired[str]
    #: From then on it is as if it were revoked.
    expires_at: NotRequired[str]


class NewKey(TypedDict):
    #: Names it for good.
    id: str
    #: Shown once; only a hash of it is kept.
    key: str
    #: Shown once: `whsec_…`, signs the callbacks of its runs.
    webhook_secret: str
    #: What it is called.
    name: str
    #: What it may do.
    scopes: list[Literal["run", "read", "datastores", "approve", "metrics", "admin"]]
    #: Whose things it sees. Default for a new key: that of whoever makes it.
    project: str
    #: When it came to be.
    created_at: str
    #: From then on it is as if it were revoked.
    expires_at: NotRequired[str]


class ApiKeyPage(TypedDict):
    #: What is on this page.
    items: list[ApiKey]
    #: For `cursor`, to get the next page; null at the end.
    next_cursor: Union[str, None]


class ApiKey(TypedDict):
    #: Names it for good.
    id: str
    #: What it is called.
    name: str
    #: What it may do.
    scopes: list[Literal["run", "read", "datastores", "approve", "metrics", "admin"]]
    #: Whose things it sees. Default for a new key: that of whoever makes it.
    project: str
    #: When it came to be.
    created_at: str
    #: From then on it is as if it were revoked.
    expires_at: Union[str, None]
    #: to the hour
    last_used_at: Union[str, None]


class SignInLink(TypedDict):
    #: Where the link leads: a path under `/console`. Default: `/console`.
    to: NotRequired[str]
    #: For how long it is valid, in seconds.
    expires_s: NotRequired[int]


class NewSignInLink(TypedDict):
    #: Works once; shown this once.
    url: str
    #: From then on it is as if it were revoked.
    expires_at: str


class BudgetPage(TypedDict):
    #: What is on this page.
    items: list[Budget]
    #: For `cursor`, to get the next page; null at the end.
    next_cursor: Union[str, None]


class Budget(TypedDict):
    #: Whose calls it counts.
    scope: Literal["key", "project"]
    #: Names it for good.
    id: str
    #: US dollars.
    limit: str
    #: After which the spent begins at 0 again.
    period: Literal["day", "month", "total"]
    #: US dollars, in the period that it is now.
    spent: str
    #: When the next period begins; null: there is none.
    renews_at: Union[str, None]


class NewBudget(TypedDict):
    #: US dollars, 0 or more.
    limit: str
    #: After which the spent begins at 0 again: a day or a month of UTC; `total`: never.
    period: Literal["day", "month", "total"]


class Cleared(TypedDict):
    #: Always true.
    success: bool
    #: What is said, in words for people.
    message: str


class ConsoleAuthKey1(TypedDict):
    id: str
    name: str
    scopes: list[Literal["run", "read", "datastores", "approve", "metrics", "admin"]]
    project: str


class ConsoleAuth(TypedDict):
    #: Shown once; only a hash of it is kept.
    key: Union[ConsoleAuthKey1, None]
    #: What requests of the page say in the header `annals-csrf`.
    csrf: Union[str, None]
    #: From then on it is as if it were revoked.
    expires_at: Union[str, None]
    #: Of the program that answers.
    version: str
    #: Whether the built-in demo model answers.
    demo_model: bool


class SignIn(TypedDict):
    #: Shown once; only a hash of it is kept.
    key: NotRequired[str]
    #: What a link to the console has behind its `#`.
    link: NotRequired[str]


class SignedInKey1(TypedDict):
    id: str
    name: str
    scopes: list[Literal["run", "read", "datastores", "approve", "metrics", "admin"]]
    project: str


class SignedIn(TypedDict):
    #: Shown once; only a hash of it is kept.
    key: Union[SignedInKey1, None]
    #: What requests of the page say in the header `annals-csrf`.
    csrf: Union[str, None]
    #: From then on it is as if it were revoked.
    expires_at: Union[str, None]
    #: Of the program that answers.
    version: str
    #: Whether the built-in demo model answers.
    demo_model: bool
    #: Where to go now: a path under `/console`.
    to: str


class NewDatastore(TypedDict):
    #: What it is called.
    name: str
    #: Which kind it is.
    type: Literal["database", "documents"]
    #: Of a `database`: where it is.
    metadata: NotRequired[Metadata]


class Metadata(TypedDict):
    #: For databases. Encrypted at rest, never shown again.
    connectionString: NotRequired[str]
    #: false lets the caller's own queries write. Default: `true`.
    readOnly: NotRequired[bool]


class Datastore(TypedDict):
    #: The datastore.
    datastore_id: str
    #: What it is called.
    name: str
    #: Which kind it is.
    type: Literal["database", "documents"]
    #: When it came to be.
    created_at: str


class DatastorePage(TypedDict):
    #: What is on this page.
    items: list[Datastore]
    #: For `cursor`, to get the next page; null at the end.
    next_cursor: Union[str, None]


class DocumentPage(TypedDict):
    #: What is on this page.
    items: list[Document]
    #: For `cursor`, to get the next page; null at the end.
    next_cursor: Union[str, None]


class Document(TypedDict):
    #: The document.
    document_id: str
    #: The datastore.
    datastore_id: str
    #: As it was uploaded.
    filename: str
    #: How it stands with it.
    status: Literal["indexed", "processing", "failed"]
    #: Since when it can be searched; null: not yet.
    indexed_at: Union[str, None]
    #: what the file holds and the index does not
    warnings: list[DocumentWarning]
    #: When it came to be.
    created_at: str
    #: Size of the file.
    bytes: int
    #: Pages, slides or sheets; null: it has none.
    pages: Union[int, None]
    #: Why it failed; null, or absent: it did not.
    error: Union[DocumentError, None]


class DocumentWarning(TypedDict):
    #: Tells these apart, for programs.
    code: str
    #: What is wrong, in words.
    detail: str
    #: Of a PDF; slides and sheets count as pages.
    page: NotRequired[int]


class DocumentError(TypedDict):
    #: Tells these apart, for programs.
    code: str
    #: What is said, in words for people.
    message: str


class Search(TypedDict):
    #: What to look for.
    query: str
    #: The most items. Default: `50`.
    limit: NotRequired[int]


class SearchItemPage(TypedDict):
    #: What is on this page.
    items: list[SearchItem]
    #: For `cursor`, to get the next page; null at the end.
    next_cursor: Union[str, None]


class SearchItem(TypedDict):
    #: The document.
    document_id: str
    #: As it was uploaded.
    filename: str
    #: On which page it stands; null: it has none.
    page: Union[int, None]
    #: The passage.
    text: str
    #: How well it fits; the first is the best.
    score: float


class ListedDeliveryPage(TypedDict):
    #: What is on this page.
    items: list[ListedDelivery]
    #: For `cursor`, to get the next page; null at the end.
    next_cursor: Union[str, None]


class ListedDelivery(TypedDict):
    #: The delivery; also `webhook-id`.
    delivery_id: str
    #: Counts the events of the run: 1, 2, 3 …
    sequence: int
    #: Which kind it is.
    type: str
    #: Revision of the event in its session.
    event_id: str
    #: Where it is sent: the origin of the URL alone.
    target: Union[str, None]
    #: How it stands with it.
    status: Literal["pending", "retrying", "delivered", "failed", "stopped"]
    #: How often it was tried.
    attempts: int
    #: HTTP status of the last answer; null: there was none.
    last_status: Union[int, None]
    #: When it is tried again; null: it is not.
    next_attempt_at: Union[str, None]
    #: Why there was no answer; null: there was one, or it was not tried.
    last_error: Union[str, None]
    #: The first 2 KB of the last answer, without what is secret.
    last_response: Union[str, None]
    #: When it was sent last; null: never.
    last_attempt_at: Union[str, None]
    #: The run; its id holds that of its session.
    run_id: str
    #: The session: what was said in one conversation.
    session: str
    #: When it came to be.
    created_at: str


Resend = TypedDict(
    "Resend",
    {
        #: How it stands with it.
        "status": 'Literal["failed", "stopped"]',
        #: Only what tells of events from then on.
        "from": 'NotRequired[str]',
        #: Only what tells of events before then.
        "to": 'NotRequired[str]',
    },
)


class Health(TypedDict):
    #: How it stands with it.
    status: Literal["ok"]


class UploadedDocument(TypedDict):
    #: The document.
    document_id: str
    #: The datastore.
    datastore_id: str
    #: As it was uploaded.
    filename: str
    #: How it stands with it.
    status: Literal["indexed", "processing", "failed"]
    #: Since when it can be searched; null: not yet.
    indexed_at: Union[str, None]
    #: what the file holds and the index does not
    warnings: list[DocumentWarning]


class McpAnswer(TypedDict):
    #: Always `2.0`.
    jsonrpc: Literal["2.0"]
    #: Of the message that it answers.
    id: NotRequired[Any]
    #: What the method gives.
    result: NotRequired[dict[str, Any]]
    #: Code, message and data of a failure.
    error: NotRequired[dict[str, Any]]


class McpMessage(TypedDict):
    #: Always `2.0`.
    jsonrpc: Literal["2.0"]
    #: What is asked for.
    method: str
    #: A string or a number; a notification has none.
    id: NotRequired[Any]
    #: What the method takes.
    params: NotRequired[dict[str, Any]]


class Readiness(TypedDict):
    #: How it stands with it.
    status: Literal["ok", "unavailable"]
    #: What it needs, by name.
    checks: dict[str, Check]


class Check(TypedDict):
    #: How it stands with it.
    status: Literal["ok", "failing"]
    #: What is wrong, in words.
    detail: NotRequired[str]


class RunPage(TypedDict):
    #: What is on this page.
    items: list[Run]
    #: For `cursor`, to get the next page; null at the end.
    next_cursor: Union[str, None]


class Run(TypedDict):
    #: The run; its id holds that of its session.
    run_id: str
    #: The session: what was said in one conversation.
    session: str
    #: How it stands with it.
    status: Literal["queued", "running", "waiting", "completed", "failed", "cancelled"]
    #: As asked for; it chooses the model.
    mode: Literal["flash", "base", "max"]
    #: The model that is asked.
    model: str
    #: What started it.
    trigger: Literal["request", "task", "kafka"]
    #: the run that it goes on with
    retry_of: Union[str, None]
    #: the run that it gives again
    replay_of: Union[str, None]
    #: of a replay: calls that the record holds no result of
    drift: Union[int, None]
    #: the id of the key
    actor: str
    #: When it came to be.
    created_at: str
    #: When its turn came; null: it waits.
    started_at: Union[str, None]
    #: When the first of what its model said was on the log; null: it has said nothing.
    first_token_at: Union[str, None]
    #: When it ended; null: it has not.
    ended_at: Union[str, None]
    #: US dollars, a decimal without exponent.
    cost: str
    #: What the model was given and gave.
    usage: Usage
    #: What its caller says of it.
    metadata: dict[str, str]
    #: What the agent had to do without.
    warnings: list[RunWarning]
    #: Why it failed; null, or absent: it did not.
    error: Union[RunError, None]
    #: Of its last event that is shown; null: there is none yet.
    last_event_id: Union[str, None]


class DeliveryPage(TypedDict):
    #: What is on this page.
    items: list[Delivery]
    #: For `cursor`, to get the next page; null at the end.
    next_cursor: Union[str, None]


class Delivery(TypedDict):
    #: The delivery; also `webhook-id`.
    delivery_id: str
    #: Counts the events of the run: 1, 2, 3 …
    sequence: int
    #: Of the event that is delivered.
    type: str
    #: Revision of the event in its session.
    event_id: str
    #: Where it is sent: the origin of the URL alone.
    target: Union[str, None]
    #: How it stands with it.
    status: Literal["pending", "retrying", "delivered", "failed", "stopped"]
    #: How often it was tried.
    attempts: int
    #: HTTP status of the last answer; null: there was none.
    last_status: Union[int, None]
    #: When it is tried again; null: it is not.
    next_attempt_at: Union[str, None]
    #: Why there was no answer; null: there was one, or it was not tried.
    last_error: Union[str, None]
    #: The first 2 KB of the last answer, without what is secret.
    last_response: Union[str, None]
    #: When it was sent last; null: never.
    last_attempt_at: Union[str, None]


class RunDiffStatus(TypedDict):
    """As `GET /runs/{run_id}` tells it."""

    a: Literal["queued", "running", "waiting", "completed", "failed", "cancelled"]
    b: Literal["queued", "running", "waiting", "completed", "failed", "cancelled"]


class RunDiffCost(TypedDict):
    """US dollars, a decimal without exponent."""

    a: str
    b: str


class RunDiffUsage(TypedDict):
    """What the model was given and gave."""

    a: Usage
    b: Usage


class RunDiffMs(TypedDict):
    """Milliseconds from its start to its end; null: it has not ended, or never started."""

    a: Union[int, None]
    b: Union[int, None]


class RunDiffFinalOutput(TypedDict):
    """The value; null: there is none."""

    a: Any
    b: Any


class RunDiff(TypedDict):
    #: Whether the last turns of both say the same.
    same_response: bool
    #: Whether the turns at each position make the same calls in the same order; the order of keys says nothing.
    same_tool_calls: bool
    #: Whether both have the same value as final output, or none.
    same_final_output: bool
    #: By position.
    turns: list[TurnDiff]
    #: As `GET /runs/{run_id}` tells it.
    status: RunDiffStatus
    #: US dollars, a decimal without exponent.
    cost: RunDiffCost
    #: What the model was given and gave.
    usage: RunDiffUsage
    #: Milliseconds from its start to its end; null: it has not ended, or never started.
    ms: RunDiffMs
    #: The value; null: there is none.
    final_output: RunDiffFinalOutput


class TurnDiff(TypedDict):
    #: How the turns at this position compare; `only_a`: the other run has none there.
    status: Literal["same", "changed", "only_a", "only_b"]
    #: Of the run that is named first.
    a: Union[ComparedTurn, None]
    #: Of the run that is named second.
    b: Union[ComparedTurn, None]


class ComparedTurn(TypedDict):
    #: Its text.
    response: str
    #: In their order.
    tool_calls: list[ComparedCall]


class ComparedCall(TypedDict):
    #: The name of the tool.
    tool: str
    #: The arguments; text where they are no JSON.
    input: Any


class RecordedEventPage(TypedDict):
    #: What is on this page.
    items: list[RecordedEvent]
    #: For `cursor`, to get the next page; null at the end.
    next_cursor: Union[str, None]


class RecordedEvent(TypedDict):
    #: Its revision in its session; `Last-Event-ID` and `after` take it.
    id: str
    #: The event.
    data: StreamEvent


class RunFilePage(TypedDict):
    #: What is on this page.
    items: list[RunFile]
    #: For `cursor`, to get the next page; null at the end.
    next_cursor: Union[str, None]


class RunFile(TypedDict):
    #: The file; the result that brought it names it so.
    file_id: str
    #: The tool whose result brought it.
    tool: str
    #: By its first bytes; where they do not tell, as the tool server says.
    media_type: str
    #: Size of the file.
    bytes: int
    #: The end of its address; null: it has none.
    name: Union[str, None]
    #: When it came to be.
    created_at: str


class Replay(TypedDict):
    #: Absent: the run's own, and its model.
    mode: NotRequired[Literal["flash", "base", "max", "fast"]]
    #: Absent: the mode's, or, where none is given, the run's own.
    model: NotRequired[str]
    #: In place of the run's own.
    system: NotRequired[str]
    #: In place of the run's own.
    rules: NotRequired[list[str]]
    #: `recorded`: what it was offered then, with the results that were recorded. Default: `recorded`.
    tools: NotRequired[Literal["recorded", "none"]]
    #: Answer 202 at once and run on the server. Default: `false`.
    background: NotRequired[bool]


class Retry(TypedDict):
    #: The run's tool servers, under the same names: they are stored nowhere.
    mcp_servers: NotRequired[list[McpServer]]
    #: Another name of mcp_servers.
    #: @deprecated
    mcpServers: NotRequired[list[McpServer]]
    #: Absent: the run's own.
    mode: NotRequired[Literal["flash", "base", "max", "fast"]]
    #: In place of the run's own.
    approvals: NotRequired[Approvals]
    #: What the run may cost before it waits, in US dollars. Absent: as the run itself.
    budget: NotRequired[str]
    #: Answer 202 at once and run on the server. Default: `false`.
    background: NotRequired[bool]


class SessionPage(TypedDict):
    #: What is on this page.
    items: list[Session]
    #: For `cursor`, to get the next page; null at the end.
    next_cursor: Union[str, None]


class SessionForkedFrom1(TypedDict):
    session: str
    #: the last event that is shared
    at: str


class Session(TypedDict):
    #: The session: what was said in one conversation.
    session: str
    #: The beginning of the session's first message.
    title: Union[str, None]
    #: As many messages as its history has.
    message_count: int
    #: Of its newest run; null: none has started.
    last_status: Union[Literal["queued", "running", "waiting", "completed", "failed", "cancelled"], None]
    #: US dollars, a decimal without exponent.
    cost: str
    #: When it came to be.
    created_at: str
    #: null: it is no fork
    forked_from: Union[SessionForkedFrom1, None]


class ErasedSession(TypedDict):
    #: The session: what was said in one conversation.
    session: str
    #: When that was.
    erased_at: str
    #: Events whose content nobody can read any more.
    events: int
    #: ids of its forks, and of theirs; with `?forks=true` they are erased, too
    forks: list[str]
    #: Where copies may be that the service does not hold.
    not_reached: list[str]


class Context(TypedDict):
    #: In the order in which they were said, without the system message.
    messages: list[ChatMessage]


class ChatMessage(TypedDict):
    #: Who said it.
    role: Literal["user", "assistant", "tool"]
    #: null where it called tools and said nothing
    content: Union[str, None]
    #: of an assistant that called tools
    tool_calls: NotRequired[list[ChatToolCall]]
    #: of a tool's result: of the call that it belongs to
    tool_call_id: NotRequired[str]


class ChatToolCallFunction(TypedDict):
    """What was called, and with what."""

    name: str
    #: JSON text as the model wrote it
    arguments: str


class ChatToolCall(TypedDict):
    #: As the model named it.
    id: str
    #: Which kind it is.
    type: Literal["function"]
    #: What was called, and with what.
    function: ChatToolCallFunction


class Fork(TypedDict):
    #: Id of the event up to which it is shared; absent: the last.
    at: NotRequired[Union[int, str]]
    #: Absent: as the parent's.
    title: NotRequired[str]


class LogItemPage(TypedDict):
    #: What is on this page.
    items: list[LogItem]
    #: For `cursor`, to get the next page; null at the end.
    next_cursor: Union[str, None]


class LogItem(TypedDict):
    #: Names it for good.
    id: str
    #: The event.
    data: LogLine


class LogLine(TypedDict):
    """An event as it stands on the log: docs/log-format.md says how to check it."""

    #: Its place in the session, from 0 on.
    revision: int
    #: Names it for good.
    id: str
    #: Which kind it is.
    type: str
    #: ms since 1970
    time: int
    #: Of the form of its data.
    schemaVersion: int
    #: Whose things it sees. Default for a new key: that of whoever makes it.
    project: str
    #: Who caused it: the id of a key, or a part of the service.
    actor: str
    #: What its data are held against: SHA-256(salt ‖ text).
    commitment: str
    #: Empty: the next event that has one takes it in.
    prev: str
    #: The run that it belongs to.
    run: NotRequired[str]
    #: What caused it; of the first and the last event of a run its id.
    causationId: NotRequired[str]
    #: The request that it came of.
    correlationId: NotRequired[str]
    #: With the text it opens the commitment: SHA-256(salt ‖ text).
    salt: NotRequired[str]
    #: The event's data: JSON, verbatim. Absent where they do not open.
    text: NotRequired[str]
    #: How long a text is that was left out: more characters than `inline`.
    bytes: NotRequired[int]
    #: How it begins: 512 characters.
    head: NotRequired[str]


class LogEvent(TypedDict):
    """A LogLine with all of its text, and what was said in it."""

    #: Its place in the session, from 0 on.
    revision: int
    #: Names it for good.
    id: str
    #: Which kind it is.
    type: str
    #: ms since 1970
    time: int
    #: Of the form of its data.
    schemaVersion: int
    #: Whose things it sees. Default for a new key: that of whoever makes it.
    project: str
    #: Who caused it: the id of a key, or a part of the service.
    actor: str
    #: What its data are held against: SHA-256(salt ‖ text).
    commitment: str
    #: Empty: the next event that has one takes it in.
    prev: str
    #: Its message or content as text, also where that lies in a file.
    content: Union[str, None]
    #: The run that it belongs to.
    run: NotRequired[str]
    #: What caused it; of the first and the last event of a run its id.
    causationId: NotRequired[str]
    #: The request that it came of.
    correlationId: NotRequired[str]
    #: With the text it opens the commitment: SHA-256(salt ‖ text).
    salt: NotRequired[str]
    #: The event's data: JSON, verbatim. Absent where they do not open.
    text: NotRequired[str]
    #: How long a text is that was left out: more characters than `inline`.
    bytes: NotRequired[int]
    #: How it begins: 512 characters.
    head: NotRequired[str]


class MessageItemPage(TypedDict):
    #: What is on this page.
    items: list[MessageItem]
    #: For `cursor`, to get the next page; null at the end.
    next_cursor: Union[str, None]


class MessageItem(TypedDict):
    #: of the event with which it begins
    id: str
    #: Which kind it is.
    type: Literal["user_message", "agent_thinking", "agent_response", "agent_tool_use"]
    #: of a tool use JSON text of {tool, input}
    content: str
    #: The run; its id holds that of its session.
    run_id: str
    #: When it came to be.
    created_at: str
    #: of a tool use: what was called
    tool: NotRequired[str]
    #: and with what
    input: NotRequired[Any]
    #: what the tool answered, as soon as that is there
    output: NotRequired[str]


class TaskPage(TypedDict):
    #: What is on this page.
    items: list[Task]
    #: For `cursor`, to get the next page; null at the end.
    next_cursor: Union[str, None]


class Task(TypedDict):
    #: The task.
    task_id: str
    #: The session: what was said in one conversation.
    session: str
    #: As it was given: seconds, a date, or a cron expression.
    schedule: Union[int, str]
    #: IANA name in which a cron expression is read.
    timezone: str
    #: The message of the runs that it starts.
    message: str
    #: How it stands with it.
    status: Literal["scheduled", "paused", "finished", "cancelled"]
    #: When it came to be.
    created_at: str
    #: When it fires next; null: not again.
    next_run_at: Union[str, None]
    #: When it fired last; null: not yet.
    last_run_at: Union[str, None]
    #: The newest of its slots.
    firings: list[Firing]


class Firing(TypedDict):
    #: When it was due.
    slot: str
    #: When it fired; null: it was missed.
    fired_at: Union[str, None]
    #: The run that was started; null: the slot was missed, or it is not there yet.
    run_id: Union[str, None]
    #: Whether it fired after its time, since the service was down.
    late: bool
    #: Why no run comes of it: processes ended while they started it, and the task was paused.
    error: NotRequired[FiringError]


class FiringError(TypedDict):
    #: Tells these apart, for programs.
    code: Literal["internal"]
    #: What is said, in words for people.
    message: str


class NewToken(TypedDict):
    #: The one that it is for. Absent: those that are opened with it.
    session: NotRequired[str]
    #: What it may do.
    scopes: list[Literal["run", "read"]]
    #: For how long it is valid, in seconds.
    expires_s: int


class Token(TypedDict):
    #: Shown once; sent as a key is, or to event streams as `?token=`.
    token: str
    #: From then on it is as if it were revoked.
    expires_at: str


class UsageGroupPage(TypedDict):
    #: What is on this page.
    items: list[UsageGroup]
    #: For `cursor`, to get the next page; null at the end.
    next_cursor: Union[str, None]


class UsageGroup(TypedDict):
    #: How many runs the calls are of.
    runs: int
    #: What the model was given.
    input_tokens: int
    #: What the model gave.
    output_tokens: int
    #: Calls of models of which something came back, also those that broke.
    model_calls: int
    #: Those of them that the server did not count: about four characters a token.
    estimated_calls: int
    #: Those of them that cost 0 because there is no price of the model.
    unpriced_calls: int
    #: US dollars, a decimal without exponent.
    cost: str
    #: Those of the input that the server had kept from before; absent: no call told of any.
    cached_input_tokens: NotRequired[int]
    #: Those of the input that it has kept for later.
    cache_write_tokens: NotRequired[int]
    #: Those of the output that were thinking.
    reasoning_tokens: NotRequired[int]
    #: Whose things it sees. Default for a new key: that of whoever makes it.
    project: NotRequired[Union[str, None]]
    #: Shown once; only a hash of it is kept.
    key: NotRequired[Union[str, None]]
    #: The model that is asked.
    model: NotRequired[Union[str, None]]
    #: As asked for; it chooses the model.
    mode: NotRequired[Union[str, None]]
    #: The session: what was said in one conversation.
    session: NotRequired[Union[str, None]]
    #: In UTC.
    day: NotRequired[Union[str, None]]


#: The `data:` JSON of an event. A run ends with exactly one of agent_completed, agent_error and agent_cancelled.
StreamEvent = Union["UnreadableEvent", "AgentEvent"]


#: An event of a run, by its `type`.
AgentEvent = Union["AgentStartedEvent", "AgentTaskScheduledEvent", "AgentThinkingStartEvent", "AgentThinkingEvent", "AgentResponseStartEvent", "AgentResponseEvent", "AgentToolUseStartEvent", "AgentToolUseEvent", "AgentToolResponseEvent", "AgentStepEvent", "AgentHandoffEvent", "AgentWorkflowStepEvent", "AgentFinalOutputEvent", "AgentWarningEvent", "AgentDriftEvent", "AgentCompactedEvent", "AgentActionRequiredEvent", "AgentActionResolvedEvent", "AgentSteeredEvent", "AgentCostEvent", "AgentCompletedEvent", "AgentCancelledEvent", "AgentErrorEvent"]
