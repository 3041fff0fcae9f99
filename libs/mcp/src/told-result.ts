import { warningEvent } from '#domain';
import type { ToolOutcome } from '#agent';
import { outcomeOf } from './call-result.js';
import type { McpLimits } from './limits.js';
import type { McpConnection } from './mcp-connection.js';

/** What a result is told as; the caller hears of what the agent does not see of it. */
export function toldResult(
  result: Readonly<Record<string, unknown>>,
  tool: string,
  { config: { serverName: server }, mask, session }: McpConnection,
  { maxResultChars }: McpLimits,
): ToolOutcome {
  const { missing, ...outcome } = outcomeOf(result, mask, maxResultChars, session);
  if (missing.length === 0) return outcome;
  const reason = `The agent does not see all of a result of "${tool}": ${missing.join(', ')}.`;
  return { ...outcome, events: [warningEvent({ code: 'unreadable_result', server, tools: [tool], reason })] };
}

export const saidOf = ({ config, mask }: McpConnection, what: string): string =>
  `the tool server "${config.serverName}" ${mask.cleanError(what)}`;

export const failed = (content: string): ToolOutcome => ({ content, isError: true });

export const outcomeUnknown = (said: string): ToolOutcome => ({
  ...failed(`outcome unknown: ${said}, so the call may or may not have taken effect`),
  isUnknown: true,
});
