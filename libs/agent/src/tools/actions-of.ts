import { ACTION_EXPIRES_S, type Content, type Draft, type TurnToolCall, actionId } from '#domain';
import type { RunRecord } from '../run/run-record.js';

/** The run that asks: it numbers its actions, and says how long they stay open. */
type Asker = Pick<RunRecord, 'run' | 'state'>;

/**
 * What is asked about the calls of a turn, in their order.
 * @param contents JSON text of {`tool`, `input`} of each
 * @param now ms since 1970
 */
export function actionsOf(
  calls: readonly TurnToolCall[],
  contents: readonly Content[],
  asker: Asker,
  now: number,
): readonly Draft[] {
  // The run ends with them.
  if (asker.state.config.ends_with_calls) return [];
  return calls
    .flatMap(({ needs }, at) => (needs === undefined ? [] : [{ needs, content: contents[at] ?? '{}' }]))
    .map(({ needs, content }, at) =>
      actionOf(needs === 'caller' ? 'tool' : 'approval', content, asker, now, at),
    );
}

/** What is asked of somebody. @param at its place among those that are asked at once */
export function actionOf(
  kind: 'approval' | 'tool' | 'tool_servers' | 'budget',
  content: Content,
  { run, state: { asked, config } }: Asker,
  now: number,
  at = 0,
): Draft {
  const expiresS = config.approvals?.expires_s ?? ACTION_EXPIRES_S;
  const expires_at = new Date(now + expiresS * 1000).toISOString();
  const action_id = actionId(run, asked + at);
  return { type: 'agent_action_required', data: { action_id, kind, content, expires_at } };
}
