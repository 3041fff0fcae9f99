import { useEffect, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { LogLine, Page, RunView, SessionView } from '../api/types.js';
import { may } from '../app/session.js';
import type { Decidable } from './decidable.js';

/** What somebody who decides wants to know besides; what the key may not read is null. */
export interface ActionContext {
  readonly title: string | null;
  /** Id of the key that asked for the run. */
  readonly askedBy: string | null;
  /** What the agent said last, since it was last spoken to. */
  readonly says: string | null;
  /** The keys that started or steered the run may not approve. */
  readonly needsAnotherKey: boolean;
}

const NOTHING: ActionContext = { title: null, askedBy: null, says: null, needsAnotherKey: false };

/** By action: what it was asked in does not change. */
const known = new Map<string, ActionContext>();
const MAX_KNOWN = 200;

/** What was said in an erased session is nowhere in the page. */
export const forgetContext = (action: string): void => void known.delete(action);

interface Message {
  readonly type: string;
  readonly content: string;
}

/** The session's title, who asked for the run, and what the agent said last. */
export function useActionContext({
  id,
  session,
  run,
}: Pick<Decidable, 'id' | 'session' | 'run'>): ActionContext {
  const [context, setContext] = useState(known.get(id) ?? NOTHING);
  const mayRead = may('read');
  useEffect(() => {
    if (!mayRead || known.has(id)) return;
    const abort = new AbortController();
    void readContext(session, run, abort.signal)
      .then((read) => {
        if (known.size >= MAX_KNOWN) known.clear();
        known.set(id, read);
        setContext(read);
      })
      .catch(() => undefined);
    return () => abort.abort();
  }, [id, mayRead]);
  return context;
}

async function readContext(session: string, run: string, signal: AbortSignal): Promise<ActionContext> {
  const of = encodeURIComponent(session);
  // The first run of a session has the session's beginning, too.
  const asking = `/sessions/${of}/log?run=${encodeURIComponent(run)}&limit=2&inline=262144`;
  const [{ title }, { actor }, messages, request] = await Promise.all([
    api.get<SessionView>(`/sessions/${of}`, { signal }),
    api.get<RunView>(`/runs/${encodeURIComponent(run)}`, { signal }),
    api.post<readonly Message[]>(`/get-messages?session=${of}`, undefined, { signal }),
    api.get<Page<{ readonly data: LogLine }>>(asking, { signal }),
  ]);
  // What it said in answer to somebody else's message says nothing of this call.
  const asked = messages.findLastIndex(({ type }) => type === 'user_message');
  const says = messages.slice(asked + 1).findLast(({ type }) => type === 'agent_response')?.content ?? null;
  return { title, askedBy: actor, says, needsAnotherKey: needsAnother(request.items) };
}

interface Requested {
  readonly config?: { readonly approvals?: { readonly by?: unknown } };
}

/** @param events the first of the run */
function needsAnother(events: readonly { readonly data: LogLine }[]): boolean {
  const request = events.find(({ data: { type } }) => type === 'run_requested');
  const { config } = JSON.parse(request?.data.text ?? '{}') as Requested;
  return config?.approvals?.by === 'another_key';
}
