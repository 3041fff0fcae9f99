import { Inject, Injectable } from '@nestjs/common';
import type { CallToolResult, ListToolsResult } from '@modelcontextprotocol/server';
import { type Principal, hasScope } from '#access';
import { Problem, type ProblemCode, type Scope } from '#domain';
import { Logger } from '#platform';
import { STATUS } from '../../edge/problems/problem-response.js';
import { problemOf } from '../../edge/problems/problem-filter.js';
import { isObject } from '../../edge/validation/rules.js';
import { traceOf } from '../../edge/request-trace.js';
import type { Exchange } from './exchange.js';
import { INTERNAL_ERROR, INVALID_PARAMS, McpRefusal } from './mcp-refusal.js';
import { refusedResult } from './results.js';
import { RunTools, type ToolCall } from './run-tools.js';
import { SessionTools } from './session-tools.js';
import type { TaskHandle } from './task-views.js';
import { TOOL_DEFINITIONS } from './tool-definitions.js';

/** What whoever called a tool can do something about stands in its result. */
const TOLD_IN_RESULTS: ReadonlySet<number> = new Set([400, 402, 404, 409, 422]);

/** The tools of this service: which of them a key may call, and what becomes of their refusals. */
@Injectable()
export class McpTools {
  constructor(
    @Inject(RunTools) private readonly runs: Pick<RunTools, 'runAgent' | 'readRun'>,
    @Inject(SessionTools) private readonly sessions: Pick<SessionTools, 'readSession' | 'listSessions'>,
    private readonly logger: Logger,
  ) {}

  list(caller: Principal): ListToolsResult {
    return { tools: TOOL_DEFINITIONS.filter(({ scope }) => hasScope(caller, scope)).map(({ tool }) => tool) };
  }

  /** @throws McpRefusal where there is no such tool, and in place of what is answered as a problem */
  async call(name: string, call: ToolCall): Promise<CallToolResult | TaskHandle> {
    const definition = TOOL_DEFINITIONS.find(({ tool }) => tool.name === name);
    if (definition === undefined)
      throw new McpRefusal(INVALID_PARAMS, `there is no tool ${name.slice(0, 100)}`);
    try {
      requireScope(call.exchange, definition.scope);
      if (!isObject(call.args)) throw new Problem('invalid_request', 'arguments: must be an object');
      return await this.carryOut(name, call);
    } catch (error) {
      const problem = problemOf(error);
      if (isForResults(problem.code)) return refusedResult(problem);
      throw this.refused(error, call.exchange);
    }
  }

  /** Notes a refusal that has a status of its own; what is thrown stands in the answer where that has begun. */
  refused(error: unknown, exchange: Exchange): McpRefusal {
    const problem = problemOf(error);
    const { request } = exchange;
    if (problem.code === 'internal')
      this.logger.error({ err: error, request: request.id, ...traceOf(request) }, 'a tool call failed');
    exchange.refuse(problem);
    return new McpRefusal(INTERNAL_ERROR, `${problem.code}: ${problem.detail}`);
  }

  private carryOut(name: string, call: ToolCall): Promise<CallToolResult | TaskHandle> {
    switch (name) {
      case 'run_agent':
        return this.runs.runAgent(call);
      case 'read_run':
        return this.runs.readRun(call);
      case 'read_session':
        return this.sessions.readSession(call);
      default:
        return this.sessions.listSessions(call);
    }
  }
}

const isForResults = (code: ProblemCode): boolean => TOLD_IN_RESULTS.has(STATUS[code]);

/** @throws Problem forbidden */
export function requireScope({ caller }: Exchange, scope: Scope): void {
  if (!hasScope(caller, scope)) throw new Problem('forbidden', `this key lacks the scope ${scope}`);
}
