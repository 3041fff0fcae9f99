import { Injectable } from '@nestjs/common';
import type { CallToolResult, Server, ServerContext } from '@modelcontextprotocol/server';
import { Problem } from '#domain';
import { programVersion } from '../../version.js';
import type { Exchange } from './exchange.js';
import { McpTools, requireScope } from './mcp-tools.js';
import { TASKS_EXTENSION, knowsTasks, legacyKeyOf, messageOf, sessionIdOf } from './messages.js';
import { INVALID_PARAMS, MISSING_CAPABILITY, McpRefusal } from './mcp-refusal.js';
import type { McpSdk } from './mcp-sdk.js';
import { RunTasks } from './tasks.js';

/** Which generation of the protocol a message is of: without a handshake (2026-07-28), or with one. */
export type Era = 'modern' | 'legacy';

const INSTRUCTIONS =
  'run_agent gives a task to an AI agent whose every step is recorded. A run that takes longer than its wait_s goes on, over ' +
  'restarts, too: ask read_run with its run_id. A session keeps what was said; name it to go on with it.';

/** The SDK's side of the protocol: for each message a server of its own, so that nothing is kept between two. */
@Injectable()
export class ProtocolServers {
  private readonly version = programVersion();

  constructor(
    private readonly tools: McpTools,
    private readonly tasks: RunTasks,
  ) {}

  /** One that answers the message of this exchange. */
  for(exchange: Exchange, era: Era, sdk: McpSdk): Server {
    const isModern = era === 'modern';
    const extensions = isModern ? { extensions: { [TASKS_EXTENSION]: {} } } : {};
    const server = new sdk.Server(
      { name: 'annals', title: 'Annals', version: this.version },
      {
        capabilities: { tools: {}, ...extensions },
        instructions: INSTRUCTIONS,
        jsonSchemaValidator: NOTHING_ASKED,
      },
    );
    server.setRequestHandler('tools/list', () => this.tools.list(exchange.caller));
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const { name } = params;
      const { arguments: args = {} } = messageOf(exchange.request.body).params;
      const call = { args, exchange, tell: progressOf(context), ...this.termsOf(exchange, era) };
      // A Task, where it is one, is no result of a call in the SDK's types; it passes it on as it is.
      return (await this.tools.call(name, call)) as CallToolResult;
    });
    if (isModern) this.addTasks(server, exchange);
    return server;
  }

  private termsOf({ request }: Exchange, era: Era) {
    const message = messageOf(request.body);
    const session = sessionIdOf(request.headers['mcp-session-id']);
    const isModern = era === 'modern';
    return {
      endsWithItsClient: isModern,
      knowsTasks: isModern && knowsTasks(message),
      key: isModern || session === null || message.id === null ? null : legacyKeyOf(session, message.id),
    };
  }

  private addTasks(server: Server, exchange: Exchange): void {
    const on = (method: string, answer: (run: string) => Promise<object>, scope?: 'run'): void =>
      server.setRequestHandler(method, ANY_PARAMS, async (params) => {
        const { taskId } = params as { readonly taskId?: unknown };
        requireTasks(exchange);
        if (typeof taskId !== 'string') throw new McpRefusal(INVALID_PARAMS, 'taskId: must be a string');
        try {
          if (scope !== undefined) requireScope(exchange, scope);
          return { ...(await answer(taskId)) };
        } catch (error) {
          if (error instanceof Problem && error.code === 'not_found')
            throw new McpRefusal(INVALID_PARAMS, 'there is no such task');
          throw this.tools.refused(error, exchange);
        }
      });
    on('tasks/get', (run) => this.tasks.get(run, exchange));
    on('tasks/cancel', (run) => this.tasks.cancel(run, exchange), 'run');
    on('tasks/update', (run) => this.tasks.update(run, exchange), 'run');
  }
}

/** @throws McpRefusal */
function requireTasks({ request }: Exchange): void {
  if (knowsTasks(messageOf(request.body))) return;
  const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
  throw new McpRefusal(MISSING_CAPABILITY, `a client must say that it knows ${TASKS_EXTENSION}`, {
    requiredCapabilities,
  });
}

/** Numbers what the client is told, where it has asked to be told. */
function progressOf({ mcpReq: { _meta, notify } }: ServerContext): (message: string) => Promise<void> {
  const progressToken = _meta?.progressToken;
  let progress = 0;
  return async (message) => {
    if (progressToken === undefined) return;
    progress += 1;
    const params = { progressToken, progress, message };
    // A client that has gone is told nothing more; what becomes of its run is decided elsewhere.
    await notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

/** Nothing of a client is ever held against a schema here; the SDK would compile a validator for every message. */
const NOTHING_ASKED = {
  getValidator: (): never => {
    throw new Error('no client is asked for anything');
  },
};

const ANY_PARAMS = {
  params: {
    '~standard': {
      version: 1 as const,
      vendor: 'annals',
      validate: (value: unknown) => ({ value }),
    },
  },
};
