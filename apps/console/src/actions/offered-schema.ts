import { api } from '../api/client.js';
import { type WholeEvent, logPath, runLines } from './run-lines.js';

interface Offered {
  readonly name: string;
  readonly parameters?: unknown;
}

/**
 * The JSON schema of a tool's input as the model of this run was offered it; null: the log does not tell. Reads the lines of
 * the log without their texts, and then the one that is meant.
 */
export async function offeredSchema(
  { session, run, tool }: { readonly session: string; readonly run: string; readonly tool: string },
  signal: AbortSignal,
): Promise<unknown> {
  const offers: number[] = [];
  for await (const { type, revision } of runLines({ session, run }, signal))
    if (type === 'tools_offered') offers.push(revision);
  for (const revision of offers.toReversed()) {
    const { content } = await api.get<WholeEvent>(`${logPath(session)}/${revision}`, { signal });
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
