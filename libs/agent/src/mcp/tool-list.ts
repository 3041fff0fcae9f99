import type { McpLimits } from './limits.js';
import type { McpSession } from './mcp-session.js';
import { isRecord } from './rpc-message.js';

/** A tool as its server describes it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
  /** It says that it reads only, or that twice is the same as once. */
  readonly isRepeatable: boolean;
}

export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** There are more than are taken. */
  readonly isCut: boolean;
}

/** All the pages. A tool that is described in a broken way does not cost the others. @throws McpFailure */
export async function listTools(
  session: McpSession,
  { maxTools, maxPages }: McpLimits,
  signal: AbortSignal,
): Promise<ToolList> {
  const tools = new Map<string, ListedTool>();
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools: listed, nextCursor } = await session.request('tools/list', params, { signal });
    for (const value of Array.isArray(listed) ? (listed as unknown[]) : []) {
      const tool = readTool(value);
      if (tool === null || tools.has(tool.name)) continue;
      if (tools.size === maxTools) return { tools: [...tools.values()], isCut: true };
      tools.set(tool.name, tool);
    }
    if (typeof nextCursor !== 'string' || nextCursor === '')
      return { tools: [...tools.values()], isCut: false };
    // Round and round.
    if (seen.has(nextCursor)) break;
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  return { tools: [...tools.values()], isCut: true };
}

function readTool(value: unknown): ListedTool | null {
  if (!isRecord(value) || typeof value['name'] !== 'string' || value['name'] === '') return null;
  const { name, title, description, inputSchema, execution } = value;
  // It can be called as a task only, which this client does not offer to do.
  if (isRecord(execution) && execution['taskSupport'] === 'required') return null;
  const annotations = isRecord(value['annotations']) ? value['annotations'] : {};
  const isRepeatable = annotations['readOnlyHint'] === true || annotations['idempotentHint'] === true;
  const text = typeof description === 'string' ? description : typeof title === 'string' ? title : '';
  return { name, description: text, inputSchema, isRepeatable };
}
