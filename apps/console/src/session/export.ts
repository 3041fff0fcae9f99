import { callApi } from '../api/client.js';
import { download } from '../parts/download.js';

/**
 * Has the browser save a session's export, which `annals verify` takes.
 * @param disclose `all`, or `none`: without what was said @throws ApiProblem
 */
export async function exportSession(session: string, disclose: 'all' | 'none'): Promise<void> {
  const answer = await callApi(`/sessions/${encodeURIComponent(session)}/export?disclose=${disclose}`, {
    headers: { accept: 'application/jsonl' },
  });
  download(`${session}.annals.jsonl`, await answer.blob());
}
