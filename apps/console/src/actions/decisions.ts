import { api } from '../api/client.js';
import { ApiProblem } from '../api/problem.js';
import type { ActionView } from '../api/types.js';
import { tellTabs } from '../app/session.js';

/** What is decided, with its field. */
export type Decision =
  | { readonly decision: 'approve'; readonly input?: unknown }
  | { readonly decision: 'answer'; readonly result?: unknown }
  | { readonly decision: 'raise'; readonly budget: string }
  | { readonly decision: 'supply'; readonly mcp_servers: unknown }
  | { readonly decision: 'deny'; readonly reason?: string };

const pathOf = (id: string): string => `/actions/${encodeURIComponent(id)}`;

/**
 * Decides, and tells the other tabs. The same decision again changes nothing, so one that was cut is sent again. Where
 * somebody else was faster, resolves with what became of the action. @throws ApiProblem
 */
export async function decide(id: string, decision: Decision): Promise<ActionView> {
  const send = () => api.post<ActionView>(`${pathOf(id)}/resolve`, decision);
  const view = await send()
    .catch((problem: unknown) => {
      if (problem instanceof ApiProblem && problem.status === 0) return send();
      throw problem;
    })
    .catch(async (problem: unknown) => {
      if (!(problem instanceof ApiProblem) || problem.status !== 409) throw problem;
      const now = await api.get<ActionView>(pathOf(id));
      if (now.status === 'open') throw problem;
      return now;
    });
  tellTabs({ what: 'decided', action: id });
  return view;
}
