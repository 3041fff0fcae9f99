import { ACTION_EXPIRES_S, type Content, type Draft, type RunId, type TurnToolCall, actionId } from '#domain';

interface Asking {
  readonly run: RunId;
  /** Actions of the run so far. */
  readonly asked: number;
  /** ms since 1970 */
  readonly now: number;
  /** Seconds; absent: the default. */
  readonly expiresS?: number | undefined;
}

/** What is asked about the calls of a turn, in their order. @param contents JSON text of {`tool`, `input`} of each */
export function actionsOf(
  calls: readonly TurnToolCall[],
  contents: readonly Content[],
  asking: Asking,
): readonly Draft[] {
  return calls
    .flatMap(({ needs }, at) => (needs === undefined ? [] : [{ needs, content: contents[at] ?? '{}' }]))
    .map(({ needs, content }, at) => actionOf(needs === 'caller' ? 'tool' : 'approval', content, at, asking));
}

/** What is asked of somebody. @param at its place among those that are asked at once */
export function actionOf(
  kind: 'approval' | 'tool' | 'tool_servers',
  content: Content,
  at: number,
  { run, asked, now, expiresS = ACTION_EXPIRES_S }: Asking,
): Draft {
  const expires_at = new Date(now + expiresS * 1000).toISOString();
  const action_id = actionId(run, asked + at);
  return { type: 'agent_action_required', data: { action_id, kind, content, expires_at } };
}
