import type { ActionId, ActionKind, ActionOutcome, Content, RunId, SessionId } from '#domain';
import type { ActionEntry } from '#read-models';
import type { ContentStore } from '#vault';

/** An action as clients are told of it. */
export interface ActionView {
  readonly action_id: ActionId;
  readonly kind: ActionKind;
  readonly status: 'open' | 'resolved' | 'expired' | 'cancelled';
  readonly session: SessionId;
  readonly run_id: RunId;
  readonly asked: unknown;
  readonly decided: unknown;
  readonly decision: ActionOutcome | null;
  /** Id of the key; empty: nobody decided in time. */
  readonly actor: string | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly resolved_at: string | null;
}

/** From its time on an action is expired, written or not, unless its run ended before. @param now ms since 1970 */
export async function actionView(
  action: ActionEntry,
  contents: ContentStore,
  now: number,
): Promise<ActionView> {
  const { id, kind, session, run, createdAt, expiresAt, overAt } = action;
  const valueOf = async (content: Content): Promise<unknown> =>
    parsed(await contents.textOrNote(session, content));
  const isLate = (overAt ?? now) >= expiresAt;
  const expired = isLate ? ({ decision: 'expired', actor: '', content: '{}', at: expiresAt } as const) : null;
  const resolved = action.resolved ?? expired;
  return {
    action_id: id,
    kind,
    status: resolved === null ? (overAt === null ? 'open' : 'cancelled') : statusOf(resolved.decision),
    session,
    run_id: run,
    asked: await valueOf(action.asked),
    decided: resolved === null ? null : await valueOf(resolved.content),
    decision: resolved?.decision ?? null,
    actor: resolved?.actor ?? null,
    created_at: timeOf(createdAt),
    expires_at: timeOf(expiresAt),
    resolved_at: resolved === null ? null : timeOf(resolved.at),
  };
}

const statusOf = (decision: ActionOutcome): 'expired' | 'resolved' =>
  decision === 'expired' ? 'expired' : 'resolved';

/** What is erased or damaged says nothing. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return {};
  }
}

const timeOf = (ms: number): string => new Date(ms).toISOString();
