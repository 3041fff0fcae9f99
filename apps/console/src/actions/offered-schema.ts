import { api } from '../api/client.js';
import type { LogLine, Page } from '../api/types.js';

interface Offered {
  readonly name: string;
  readonly parameters?: unknown;
}

/** Pages of a log that are looked through for what a model was offered. */
const MAX_PAGES = 20;

/**
 * The JSON schema of a tool's input as the model of this run was offered it; null: the log does not tell. Reads the lines of
 * the log without their texts, and then the one that is meant.
 */
export async function offeredSchema(
  { session, run, tool }: { readonly session: string; readonly run: string; readonly tool: string },
  signal: AbortSignal,
): Promise<unknown> {
  const log = `/sessions/${encodeURIComponent(session)}/log`;
  const offers: number[] = [];
  let cursor: string | null = null;
  for (let n = 0; n < MAX_PAGES; n += 1) {
    const more: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Page<{ readonly data: LogLine }> = await api.get(
      `${log}?run=${encodeURIComponent(run)}&limit=200&inline=0${more}`,
      { signal },
    );
    for (const { data } of page.items) if (data.type === 'tools_offered') offers.push(data.revision);
    cursor = page.next_cursor;
    if (cursor === null) break;
  }
  for (const revision of offers.toReversed()) {
    const { content } = await api.get<{ readonly content: string | null }>(`${log}/${revision}`, { signal });
    const schema = schemaIn(content, tool);
    if (schema !== undefined) return schema;
  }
  return null;
}

/** @param tools JSON text of the tools that were offered; undefined: this one is not among them */
export function schemaIn(tools: string | null, tool: string): unknown {
  if (tools === null) return undefined;
  try {
    const parsed = JSON.parse(tools) as unknown;
    const offered = Array.isArray(parsed) ? (parsed as readonly Offered[]) : [];
    return offered.find(({ name }) => name === tool)?.parameters;
  } catch {
    return undefined;
  }
}
