import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type ActionDecision, type ActionId, Problem, type Scope } from '#domain';
import { type Principal, hasScope } from '#access';
import { ActionCommands } from '#runs';
import { Caller } from '../../edge/admission/caller.js';
import { pageOf } from '../../edge/openapi/json-schema.js';
import { Operation, answer } from '../../edge/routes/operation.js';
import { ACTION } from '../runs/shared/action-schema.js';
import { RequestEgress } from '../runs/shared/request-egress.js';
import { ActionAnswers } from './action-answers.js';
import { ActionsQuery } from './actions-query.js';
import { decisionRequestOf } from './decision-request.js';
import { DECISION_EXAMPLES, DecisionDto } from './decision.dto.js';

/** What runs wait for. */
@Controller('actions')
export class ActionsController {
  constructor(
    private readonly answers: ActionAnswers,
    private readonly commands: ActionCommands,
    private readonly egress: RequestEgress,
  ) {}

  @Get()
  @Operation({
    id: 'listActions',
    tag: 'actions',
    summary: 'What runs wait for, or have waited for, newest first',
    scope: 'read',
    orScope: 'approve',
    isForTokens: true,
    query: ActionsQuery,
    answers: answer(200, pageOf(ACTION)),
    // A token of another session.
    refusals: [404],
  })
  list(
    @Query() { limit, cursor, session, run, kind, status }: ActionsQuery,
    @Caller() { project, reach }: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (reach !== undefined && session === undefined && run === undefined)
      throw new Problem('forbidden', 'a token reads the actions of one session: name it');
    return this.answers.list(reply, { project, limit, cursor, session, run, kind, status });
  }

  @Get(':action')
  @Operation({
    id: 'getAction',
    tag: 'actions',
    summary: 'One action',
    scope: 'read',
    orScope: 'approve',
    isForTokens: true,
    answers: answer(200, ACTION),
  })
  one(
    @Param('action') action: ActionId,
    @Caller() { project }: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answers.one(reply, project, () => this.commands.get(action, project));
  }

  @Post(':action/resolve')
  @Operation({
    id: 'resolveAction',
    tag: 'actions',
    summary: 'Decides on an action; the first decision holds',
    description:
      'The scope `approve` is for `approve` and `raise`, `run` for `answer` and `supply`, either for `deny`. The same decision ' +
      'again changes nothing, another one is 409; one that does not fit what is asked is 422.',
    scope: 'approve',
    orScope: 'run',
    isForTokens: true,
    body: DecisionDto,
    keepsNumbers: true,
    examples: DECISION_EXAMPLES,
    answers: answer(200, ACTION),
    refusals: [409, 422],
  })
  async resolve(
    @Param('action') action: ActionId,
    @Body() body: DecisionDto,
    @Caller() caller: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { project, keyId } = caller;
    requireScope(caller, body.decision);
    const request = decisionRequestOf(body);
    const { mcpServers = [] } = request;
    await this.egress.requireAllowed({ mcp_servers: mcpServers }, body, project);
    const resolved = await this.commands.resolve(action, request, { project, actor: keyId });
    return this.answers.one(reply, project, () => Promise.resolve(resolved));
  }
}

const SCOPES: Readonly<Record<ActionDecision, readonly Scope[]>> = {
  approve: ['approve'],
  raise: ['approve'],
  answer: ['run'],
  supply: ['run'],
  deny: ['approve', 'run'],
};

/** @throws Problem forbidden */
function requireScope(principal: Principal, decision: ActionDecision): void {
  const needed = SCOPES[decision];
  if (!needed.some((scope) => hasScope(principal, scope)))
    throw new Problem('forbidden', `to ${decision}, a key needs the scope ${needed.join(' or ')}`);
}
