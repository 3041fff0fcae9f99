import { callApi } from '../api/client.js';
import { readLines } from '../api/lines.js';
import type { LogLine } from './log-event.js';

/**
 * What is left of an erased session, for a key that administers it: its events, without what was said.
 * @returns null: it is not an erased session @throws ApiProblem; a DOMException where `signal` aborts
 */
export async function readErased(session: string, signal: AbortSignal): Promise<readonly LogLine[] | null> {
  const answer = await callApi(`/sessions/${encodeURIComponent(session)}/export?disclose=none`, {
    headers: { accept: 'application/jsonl' },
    signal,
  });
  const lines: LogLine[] = [];
  let isErased: boolean | null = null;
  await readLines(answer, signal, (line) => {
    const read = JSON.parse(line) as Partial<LogLine> & { readonly erased?: boolean };
    isErased ??= read.erased === true;
    if (read.revision === lines.length && read.type !== undefined) lines.push(read as LogLine);
    return isErased;
  });
  return isErased === true && lines.length > 0 ? lines : null;
}
