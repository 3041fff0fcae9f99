import { jsonText } from './json-text.js';
import { McpFailure } from './mcp-failure.js';
import type { McpLimits } from './limits.js';
import type { McpWire, WireKind } from './mcp-wire.js';
import { type ParamHeader, paramHeadersIn } from './param-headers.js';
import { isRecord } from './rpc-message.js';

/** A tool as its server describes it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
  /** It says that it reads only, or that twice is the same as once. */
  readonly isRepeatable: boolean;
  readonly isReadOnly: boolean;
  /** Arguments that a call repeats as headers. */
  readonly paramHeaders: readonly ParamHeader[];
}

/** A tool that is listed and cannot be called from here. */
export interface LeftOutTool {
  readonly name: string;
  /** Why, as the end of "because …". */
  readonly reason: string;
}

export interface ToolList {
  readonly tools: readonly ListedTool[];
  readonly leftOut: readonly LeftOutTool[];
  /** Names of what is listed beyond what is taken, as far as it was read; null: everything is taken. */
  readonly beyond: readonly string[] | null;
}

/** All the pages. A tool that is described in a broken way does not cost the others. @throws McpFailure */
export async function listTools(
  wire: McpWire,
  { maxTools, maxPages }: McpLimits,
  signal: AbortSignal,
): Promise<ToolList> {
  const tools = new Map<string, ListedTool | LeftOutTool>();
  const repeated = new Set<string>();
  const seen = new Set<string>();
  let at = 0;
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const { listed, nextCursor } = pageOf(await wire.request('tools/list', params, { signal }));
    const beyond: string[] = [];
    for (const value of listed) {
      at++;
      const tool = readTool(value, wire.kind) ?? {
        name: `entry ${at} of its list`,
        reason: 'they have no name',
      };
      if (tools.has(tool.name)) repeated.add(tool.name);
      else if (tools.size < maxTools) tools.set(tool.name, tool);
      else beyond.push(tool.name);
    }
    if (beyond.length > 0) return listOf(tools, repeated, beyond);
    if (nextCursor === null) return listOf(tools, repeated, null);
    // Round and round.
    if (seen.has(nextCursor)) break;
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  return listOf(tools, repeated, []);
}

/** @throws McpFailure: it is none */
function pageOf({ resultType = 'complete', tools, nextCursor }: Readonly<Record<string, unknown>>): {
  readonly listed: readonly unknown[];
  readonly nextCursor: string | null;
} {
  if (resultType !== 'complete' || !Array.isArray(tools))
    throw new McpFailure('nonsense', 'gave something else than a list of its tools');
  return {
    listed: tools as unknown[],
    nextCursor: typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : null,
  };
}

function listOf(
  tools: ReadonlyMap<string, ListedTool | LeftOutTool>,
  repeated: ReadonlySet<string>,
  beyond: readonly string[] | null,
): ToolList {
  const others = [...repeated].map((name) => ({ name, reason: 'others of their names stand before them' }));
  const all = [...tools.values(), ...others];
  return {
    tools: all.filter((tool): tool is ListedTool => !('reason' in tool)),
    leftOut: all.filter((tool): tool is LeftOutTool => 'reason' in tool),
    beyond,
  };
}

function readTool(value: unknown, wire: WireKind): ListedTool | LeftOutTool | null {
  if (!isRecord(value) || typeof value['name'] !== 'string' || value['name'] === '') return null;
  const { name, title, description, inputSchema, execution } = value;
  // Only the earlier revisions have these, and only today's has headers of parameters.
  if (wire !== 'modern' && isRecord(execution) && execution['taskSupport'] === 'required') {
    return { name, reason: 'they can be called as tasks only' };
  }
  const paramHeaders = wire === 'modern' ? paramHeadersIn(inputSchema) : [];
  if (paramHeaders === null) return { name, reason: 'their x-mcp-header declarations are not valid' };
  if (inputSchema !== undefined && jsonText(inputSchema) === null)
    return { name, reason: 'their input schemas are nested too deeply' };
  const annotations = isRecord(value['annotations']) ? value['annotations'] : {};
  const isReadOnly = annotations['readOnlyHint'] === true;
  const isRepeatable = isReadOnly || annotations['idempotentHint'] === true;
  const text = typeof description === 'string' ? description : typeof title === 'string' ? title : '';
  return { name, description: text, inputSchema, isRepeatable, isReadOnly, paramHeaders };
}
