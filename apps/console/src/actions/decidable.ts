import type { ActionView } from '../api/types.js';
import { may } from '../app/session.js';
import type { ActionItem } from '../conversation/items.js';
import { loadedText } from '../conversation/items.js';
import { mayBeRounded } from './rounded.js';

/** An action as somebody decides on it, wherever it was read. */
export interface Decidable {
  readonly id: string;
  readonly kind: ActionView['kind'];
  readonly status: ActionView['status'];
  readonly session: string;
  readonly run: string;
  /** The tool, or what else it is about. */
  readonly about: string;
  readonly asked: Readonly<Record<string, unknown>>;
  /** JSON text of the call's input; null: it is about no call. */
  readonly input: string | null;
  /** The input that was carried out, where whoever released the call changed it; empty: it is too long to be told here. */
  readonly carriedOut: string | null;
  /** The new limit of a budget, in US dollars, a decimal; null: it was not raised. */
  readonly raisedTo: string | null;
  /** Numbers of it may have lost digits on the way here: the log has them all. */
  readonly isRounded: boolean;
  /** ms since 1970 */
  readonly expiresAt: number;
  readonly decision: ActionView['decision'];
  readonly decidedBy: string;
  /** ms since 1970 */
  readonly decidedAt: number | null;
  readonly reason: string;
}

export function decidableOf(view: ActionView): Decidable {
  const { tool, input } = view.asked;
  const { reason, input: changed, budget } = view.decided ?? {};
  return {
    id: view.action_id,
    kind: view.kind,
    status: view.status,
    session: view.session,
    run: view.run_id,
    about: typeof tool === 'string' && tool !== '' ? tool : view.kind.replaceAll('_', ' '),
    asked: view.asked,
    input: isAboutCall(view.kind) ? JSON.stringify(input ?? null) : null,
    carriedOut: changed === undefined ? null : JSON.stringify(changed),
    raisedTo: typeof budget === 'string' ? budget : null,
    isRounded: mayBeRounded(input) || mayBeRounded(changed),
    expiresAt: Date.parse(view.expires_at),
    decision: view.decision,
    decidedBy: view.actor ?? '',
    decidedAt: view.resolved_at === null ? null : Date.parse(view.resolved_at),
    reason: typeof reason === 'string' ? reason : '',
  };
}

export const decidableOfItem = (item: ActionItem, session: string): Decidable => ({
  id: item.id,
  kind: item.asks,
  status: item.status,
  session,
  run: item.run,
  about: item.about,
  asked: item.asked ?? {},
  input: isAboutCall(item.asks) ? loadedText(item.input) : null,
  carriedOut: item.carriedOut,
  raisedTo: null,
  isRounded: false,
  expiresAt: item.expiresAt,
  decision: item.decision,
  decidedBy: item.decidedBy,
  decidedAt: item.decidedAt,
  reason: item.reason,
});

const isAboutCall = (kind: ActionView['kind']): boolean => kind === 'approval' || kind === 'tool';

/** Which of the buttons the key that is signed in has. A budget that is not the run's own is raised where it is kept. */
export function mayDecide({ kind, asked }: Pick<Decidable, 'kind' | 'asked'>): {
  readonly grant: boolean;
  readonly deny: boolean;
} {
  const needed = kind === 'approval' || kind === 'budget' ? 'approve' : 'run';
  const isElsewhere = kind === 'budget' && asked['of'] !== undefined;
  return { grant: may(needed) && !isElsewhere, deny: may('approve', 'run') };
}

const DONE: Readonly<Record<string, string>> = {
  approve: 'Approved',
  answer: 'Answered',
  raise: 'Raised',
  supply: 'Supplied',
  deny: 'Denied',
};

/** How a decided action is told, before who and when: "Approved", "Expired", "Cancelled". */
export function outcomeOf({ status, decision }: Pick<Decidable, 'status' | 'decision'>): string {
  if (status === 'cancelled') return 'Cancelled';
  if (status === 'expired' || decision === 'expired') return 'Expired';
  return DONE[decision ?? ''] ?? 'Resolved';
}

/** A value of what is asked, for people: a text as it is, a list by commas, anything else as JSON. */
export function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(wordsOf).join(', ');
  return JSON.stringify(value) ?? '';
}

/** What is asked for, by kind. */
export const ASKS: Readonly<Record<ActionView['kind'], string>> = {
  approval: 'Needs a person',
  tool: 'Waits for a result',
  budget: 'The budget is spent',
  tool_servers: 'Tool servers are gone',
  input: 'A tool asks',
};
