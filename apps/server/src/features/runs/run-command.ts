import { type Reach, sessionPrefixOf } from '#access';
import type { ProjectId, SessionId, Trigger } from '#domain';
import type { Schemas } from '#json-schema';
import type { KnowledgeTools } from '#knowledge';
import type { StartRun } from '#runs';
import type { RunBody } from './dto/run-body.js';
import type { RequestEgress } from './shared/request-egress.js';

/** Who asks for a run, and how. */
export interface RunOrigin {
  readonly project: ProjectId;
  readonly actor: string;
  /** Names the request in logs and events. */
  readonly requestId: string;
  readonly trigger: Trigger;
  /** Of the span that asks. */
  readonly traceparent?: string;
  /** Of whoever asks with a token. */
  readonly reach?: Reach;
}

/** What was sent: the body without a session, beside it the session and the keys that lead to the run. */
interface SentBody {
  readonly body: object;
  readonly session?: SessionId | undefined;
  readonly key?: string | undefined;
  /** Another one, which is looked at where the run is ended. */
  readonly alsoKey?: string | undefined;
}

/** What a command is held against besides itself. */
export class RunSurroundings {
  constructor(
    readonly egress: RequestEgress,
    readonly knowledge: KnowledgeTools,
    readonly schemas: Schemas,
  ) {}
}

/** The command of a checked body: the same for every door that runs come in by. `sent`: the body without a session. */
export function runCommandOf(
  body: RunBody,
  origin: RunOrigin,
  sent: SentBody,
  surroundings: RunSurroundings,
): StartRun {
  const { requestId, reach, ...caller } = origin;
  const { session } = sent;
  return {
    ...caller,
    ...wishesOf(body),
    correlationId: requestId,
    check: () => surroundings.egress.requireAllowed(body, sent.body, caller.project),
    ...stateCheck(body, caller.project, surroundings),
    ...surroundings.egress.sealedCallback(body, caller.project),
    ...(session === undefined ? {} : { session }),
    ...idempotencyOf(sent, reach),
    ...(reach === undefined ? {} : { sessionPrefix: sessionPrefixOf(reach) }),
  };
}

function stateCheck(
  { datastores, queries }: RunBody,
  project: ProjectId,
  { knowledge }: RunSurroundings,
): Pick<StartRun, 'checkState'> {
  if (datastores.length === 0 && queries.length === 0) return {};
  return { checkState: () => knowledge.check({ project, datastores, queries }) };
}

type Wishes = Pick<StartRun, 'message' | 'mode' | 'config' | 'mcpServers' | 'schedules' | 'onBusy'>;

function wishesOf(body: RunBody): Wishes {
  return {
    message: body.message,
    mode: body.mode,
    config: {
      ...(body.system === undefined ? {} : { system: body.system }),
      ...(body.rules.length > 0 ? { rules: body.rules } : {}),
      ...(body.streaming_tokens ? { streaming_tokens: true } : {}),
      ...(body.agents.length > 0 ? { agents: body.agents } : {}),
      ...(body.workflows.length > 0 ? { workflows: body.workflows } : {}),
      ...(body.mcp_servers.length > 0
        ? { mcp_servers: body.mcp_servers.map((server) => server.serverName) }
        : {}),
      ...(body.datastores.length > 0 ? { datastores: body.datastores } : {}),
      ...(body.queries.length > 0 ? { queries: body.queries } : {}),
      ...(body.final_output === undefined ? {} : { final_output: body.final_output }),
      ...(body.approvals === undefined ? {} : { approvals: body.approvals }),
      ...(body.tools.length > 0 ? { tools: body.tools } : {}),
      ...(body.metadata === undefined ? {} : { metadata: body.metadata }),
      ...(body.budget === undefined ? {} : { budget: body.budget }),
      ...(body.compaction === false ? { compaction: false as const } : {}),
    },
    mcpServers: body.mcp_servers,
    schedules: body.schedules,
    onBusy: body.on_busy,
  };
}

function idempotencyOf(
  { key, alsoKey, body, session }: SentBody,
  reach: Reach | undefined,
): Pick<StartRun, 'idempotency'> {
  if (key === undefined) return {};
  const also = alsoKey === undefined ? {} : { alsoKey: keyOf(alsoKey, reach) };
  return { idempotency: { key: keyOf(key, reach), ...also, payload: payloadOf(body, session) } };
}

/** A token knows the keys of its own sessions only: those of others must not lead it to their runs. */
const keyOf = (key: string, reach: Reach | undefined): string =>
  reach === undefined ? key : `${reach.session ?? reach.token} ${key}`;

/** What must be the same in a repeat. Credentials of MCP servers may differ each time. */
export function payloadOf(sent: object, session: SessionId | undefined): unknown {
  const { mcp_servers: _, mcpServers: __, ...body } = sent as Record<string, unknown>;
  return { body, session: session ?? null };
}
