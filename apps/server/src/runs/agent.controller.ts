import { Body, Controller, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { KnowledgeTools } from '#knowledge';
import { History, type MessageView } from '#read-models';
import { SessionCommands, StartRunHandler, type AcceptedRun, type StartRun, type Principal } from '#runs';
import { Caller } from '../http/caller.js';
import { parseIdempotencyKey } from '../dto/idempotency-key.js';
import { runQuery, sessionQuery } from '../dto/queries.js';
import { parseRunRequest, type RunBody } from '../dto/run-body.js';
import { RequestEgress } from './request-egress.js';
import { checkRunSemantics } from '../dto/run-semantics.js';
import { NeedsScope } from '../http/needs-scope.js';
import { wantsJson } from './negotiation.js';
import { RunAnswers, type RunOutcome } from './run-answers.js';

interface AcceptedAnswer {
  readonly session: string;
  readonly run_id: string;
  readonly status: 'queued';
  readonly task_ids: readonly string[];
}

interface EndedAnswer extends Omit<AcceptedAnswer, 'status'>, RunOutcome {
  readonly messages: readonly MessageView[];
}

/** The interface that existing clients speak: start a run, read a session's messages, clear them. */
@Controller()
export class AgentController {
  constructor(
    private readonly startRun: StartRunHandler,
    private readonly commands: SessionCommands,
    private readonly history: History,
    private readonly answers: RunAnswers,
    private readonly egress: RequestEgress,
    private readonly knowledge: KnowledgeTools,
  ) {}

  @Post()
  @NeedsScope('run')
  async run(
    @Query() query: unknown,
    @Body() sent: unknown,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { session } = runQuery(query);
    const body = parseRunRequest(sent);
    checkRunSemantics(body);
    const key = parseIdempotencyKey(request.headers['idempotency-key']);
    const started = await this.startRun.start({
      ...commandOf(body, caller, request.id),
      check: () => this.requireUsable(body, caller.project),
      ...this.egress.sealedCallback(body, caller.project),
      ...(session === undefined ? {} : { session }),
      ...(key === undefined ? {} : { idempotency: { key, payload: payloadOf(sent, session) } }),
    });
    reply.header('content-location', `/runs/${started.run}`);
    if (body.background) return void reply.code(202).send(accepted(started));
    if (wantsJson(request.headers.accept)) return this.sendEnded(started, caller.project, reply);
    const { run, requested } = started;
    void this.answers.stream(reply, { session: started.session, run, after: requested });
  }

  @Post('get-messages')
  @HttpCode(200)
  @NeedsScope('read')
  async messages(@Query() query: unknown, @Caller() { project }: Principal): Promise<readonly MessageView[]> {
    const { session } = sessionQuery(query);
    return this.history.messages(project, session);
  }

  @Post('clear-messages')
  @HttpCode(200)
  @NeedsScope('run')
  async clear(@Query() query: unknown, @Caller() { project, keyId }: Principal) {
    const { session } = sessionQuery(query);
    await this.commands.clear(session, { project, actor: keyId });
    return { success: true, message: 'Messages cleared' };
  }

  /** What depends on names or state beside the session. @throws Problem */
  private async requireUsable(body: RunBody, project: string): Promise<void> {
    await this.egress.requireAllowed(body);
    const { datastores, queries } = body;
    await this.knowledge.check({ project, datastores, queries });
  }

  private async sendEnded(started: AcceptedRun, project: string, reply: FastifyReply): Promise<void> {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const outcome = await this.answers.outcome(started, gone.signal);
    if (outcome === null) return;
    const { session, run } = started;
    const messages = await this.history.messages(project, session);
    const answer: EndedAnswer = { session, run_id: run, ...outcome, messages, task_ids: started.tasks };
    reply.code(200).send(answer);
  }
}

const accepted = ({ session, run, tasks }: AcceptedRun): AcceptedAnswer => ({
  session,
  run_id: run,
  status: 'queued',
  task_ids: tasks,
});

function commandOf(body: RunBody, caller: Principal, requestId: string): StartRun {
  return {
    project: caller.project,
    actor: caller.keyId,
    correlationId: requestId,
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
    },
    mcpServers: body.mcp_servers,
    schedules: body.schedules,
    onBusy: body.on_busy,
    trigger: 'request',
  };
}

/** What must be the same in a repeat. Credentials of MCP servers may differ each time. */
function payloadOf(sent: unknown, session: string | undefined): unknown {
  const { mcp_servers: _, mcpServers: __, ...body } = sent as Record<string, unknown>;
  return { body, session: session ?? null };
}
