import type { ActionId, ActionKind, ActionOutcome, Content, RunId, SessionId } from '#domain';
import type { ActionRecord } from '#runs';
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

/** From its time on an action is expired, written or not. @param now ms since 1970 */
export async function actionView(
  action: ActionRecord,
  contents: ContentStore,
  now: number,
): Promise<ActionView> {
  const { id, kind, session, run, createdAt, expiresAt, isOver } = action;
  const valueOf = async (content: Content): Promise<unknown> =>
    JSON.parse(await contents.text(session, content)) as unknown;
  const isLate = !isOver && now >= expiresAt;
  const expired = isLate ? ({ decision: 'expired', actor: '', content: '{}', at: expiresAt } as const) : null;
  const resolved = action.resolved ?? expired;
  return {
    action_id: id,
    kind,
    status: resolved === null ? (isOver ? 'cancelled' : 'open') : statusOf(resolved.decision),
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

const timeOf = (ms: number): string => new Date(ms).toISOString();
