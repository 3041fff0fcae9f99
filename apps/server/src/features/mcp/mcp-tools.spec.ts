import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import type { Principal } from '#access';
import { Problem, type Scope } from '#domain';
import { LogUnavailable } from '#event-log';
import { ReadModelsUnavailable } from '#read-models';
import { SilentLogger } from '#platform';
import { Exchange } from './exchange.js';
import { McpTools } from './mcp-tools.js';
import type { ToolCall } from './run-tools.js';

const callerWith = (...scopes: readonly Scope[]): Principal => ({
  project: 'default',
  keyId: 'key_1',
  scopes: new Set(scopes),
  isRoot: false,
});

const callBy = (caller: Principal): ToolCall => ({
  args: {},
  exchange: new Exchange({ id: 'req_1' } as FastifyRequest, caller),
  tell: () => Promise.resolve(),
  endsWithItsClient: true,
  knowsTasks: false,
  key: null,
});

/** Tools of which every call ends so. */
function toolsThat(fail: Error): { readonly tools: McpTools; readonly errors: object[] } {
  const failing = () => Promise.reject(fail);
  const errors: object[] = [];
  class Errors extends SilentLogger {
    override error(fields?: object): void {
      if (fields) errors.push(fields);
    }
  }
  const runs = { runAgent: failing, readRun: failing };
  const sessions = { readSession: failing, listSessions: failing };
  return { tools: new McpTools(runs, sessions, new Errors()), errors };
}

describe('a call of a tool that is refused', () => {
  it.each([
    ['invalid_request', 'message: is required'],
    ['not_found', 'the session does not exist'],
    ['session_busy', 'it has a run'],
    ['conflict', 'it was done'],
    ['unprocessable', 'it cannot be done'],
    ['idempotency_mismatch', 'another payload'],
  ] as const)('with %s says so in its result', async (code, detail) => {
    const call = callBy(callerWith('admin'));
    const result = await toolsThat(new Problem(code, detail)).tools.call('run_agent', call);
    expect(result).toEqual({ isError: true, content: [{ type: 'text', text: `${code}: ${detail}` }] });
    expect(call.exchange.problem).toBeNull();
  });

  it.each([
    [new Problem('rate_limited', 'too many wait', { retryAfterS: 5 }), 'rate_limited'],
    [new LogUnavailable('the disk is full'), 'log_unavailable'],
    [new ReadModelsUnavailable('no database'), 'unavailable'],
    [new Problem('overloaded', 'too many large answers'), 'overloaded'],
    [new TypeError('secret'), 'internal'],
  ])('for what nobody who calls can mend is a problem: %p', async (fault, code) => {
    const call = callBy(callerWith('admin'));
    const { tools, errors } = toolsThat(fault);
    const error: unknown = await tools.call('list_sessions', call).catch((thrown: unknown) => thrown);
    expect(call.exchange.problem).toMatchObject({ code });
    await call.exchange.decided;
    expect(error).toMatchObject({ code: -32603, message: expect.stringMatching(`^${code}: `) });
    expect(String(error)).not.toContain('secret');
    expect(errors).toHaveLength(code === 'internal' ? 1 : 0);
  });

  it('for want of a scope is forbidden, whatever was asked', async () => {
    const { tools } = toolsThat(new Error('it was called'));
    for (const [name, scope] of [
      ['run_agent', 'read'],
      ['read_session', 'run'],
    ] as const) {
      const call = callBy(callerWith(scope));
      await expect(tools.call(name, call)).rejects.toThrow('forbidden');
      expect(call.exchange.problem).toMatchObject({ code: 'forbidden' });
    }
  });

  it('because there is no such tool is an error of the protocol', async () => {
    const call = callBy(callerWith('admin'));
    const refused = toolsThat(new Error('it was called')).tools.call('no_tool', call);
    await expect(refused).rejects.toMatchObject({ code: -32602 });
    expect(call.exchange.problem).toBeNull();
  });
});
