import type { TurnToolCall } from '#domain';
import type { Tool, ToolServer } from './tool.js';

type RecordedCall = Pick<TurnToolCall, 'name' | 'server' | 'server_index' | 'tool' | 'needs'>;

/**
 * The tool that a call on the log is of; undefined: it is not offered. While a run waited its servers may have come and gone,
 * and names with them: what was decided about a call, and what its server wants back, is for that tool of that server alone.
 */
export function calledTool(call: RecordedCall, tools: readonly Tool[]): Tool | undefined {
  const { name, server, needs } = call;
  const isNamed = ({ definition }: Tool): boolean => definition.name === name;
  if (server === undefined) {
    const named = tools.find(isNamed);
    // Earlier versions recorded no servers, and asked nobody either: whatever somebody has part in is no server's.
    return needs !== undefined && named?.origin !== undefined ? undefined : named;
  }
  const same = tools.filter(({ origin }) => origin !== undefined && isOf(call, origin));
  return same.find(isNamed) ?? (same.length === 1 ? same[0] : undefined);
}

const isOf = (
  { server, server_index = 0, tool }: RecordedCall,
  origin: NonNullable<Tool['origin']>,
): boolean => origin.server === server && (origin.server_index ?? 0) === server_index && origin.tool === tool;

/** The server that a call on the log is of; undefined: it is of none, or of none of these. */
export const calledServer = (
  { server, server_index = 0 }: Pick<TurnToolCall, 'server' | 'server_index'>,
  servers: readonly ToolServer[],
): ToolServer | undefined => servers.find(({ name, index }) => name === server && index === server_index);
