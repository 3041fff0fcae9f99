import type { ActionId, ActionKind, ActionOutcome, ProjectId, Revision, RunId, SessionId } from '#domain';
import { type RowOf, changing, integer, nullable, table, text, whole } from '#postgres';
import { content } from './contents.js';

/** `cancelled`: its run has ended while it was open. */
export type ActionStatus = 'open' | 'resolved' | 'expired' | 'cancelled';

export const ACTIONS = table(
  'actions',
  { key: ['action_id'], scope: 'session' },
  {
    action: text<ActionId>('action_id'),
    session: text<SessionId>('session'),
    project: text<ProjectId>('project'),
    run: text<RunId>('run_id'),
    kind: text<ActionKind>('kind'),
    /** Revision of its `agent_action_required`. */
    asked: integer<Revision>('asked'),
    /** ms since 1970, as all times. */
    createdAt: whole('created_at'),
    expiresAt: whole('expires_at'),
    /** JSON text, as the decision's. */
    question: content('question', 'question_is_file'),
    /** `open` as long as no event says more, whatever the time. */
    status: changing(text<ActionStatus>('status')),
    /** Each is null until somebody, or time, has decided. */
    decision: changing(nullable(text<ActionOutcome>('decision'))),
    actor: changing(nullable(text('actor'))),
    verdict: changing(nullable(content('verdict', 'verdict_is_file'))),
    resolvedAt: changing(nullable(whole('resolved_at'))),
    /** When its run ended while it was open. */
    overAt: changing(nullable(whole('over_at'))),
  },
);

/** An action as its table knows it. */
export type ActionRow = RowOf<typeof ACTIONS>;
