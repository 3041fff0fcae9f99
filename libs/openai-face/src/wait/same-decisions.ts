import type { GivenItem, SessionId } from '#domain';
import type { FaceCall } from '../face-call.js';
import { givenOf } from '../given-of.js';
import { approvalRequestId } from '../ids.js';
import type { Passage } from '../passage.js';
import { type Decided, callIdOf, firstDecision, isAbout } from './decisions.js';
import { tokenOf } from './same-items.js';

/**
 * What items that decide on calls repeat of the session: all before the first decision, and the calls that stand between the
 * others, each before its own. null: they decide on none, or go on behind the decisions with more than what users say.
 */
export function repeatedBy(
  items: readonly GivenItem[],
  waits: readonly FaceCall[],
  session: SessionId,
): readonly GivenItem[] | null {
  const first = firstDecision(items, waits, session);
  if (first < 0) return null;
  const ids = new Set(
    waits.flatMap((call) => [callIdOf(call, session), approvalRequestId(call.action?.id ?? '')]),
  );
  const isAsked = (item: GivenItem): boolean =>
    (item.kind === 'call' || item.kind === 'question') && ids.has(item.id);
  const isSaid = (item: GivenItem): boolean => item.kind === 'message' && item.role !== 'assistant';
  const rest = items.slice(first).filter((item) => !waits.some((call) => isAbout(item, call, session)));
  if (!rest.every((item) => isAsked(item) || isSaid(item))) return null;
  return [...items.slice(0, first), ...rest.filter(isAsked)];
}

/** Whether the passage that followed the calls was asked for by the same decisions, with the same beside. */
export function isSameDecision(
  decided: Decided,
  waits: readonly FaceCall[],
  { given, isUnrequested }: Passage,
): boolean {
  const before = isUnrequested ? [] : given.map(givenOf);
  return isSaidAgain(before, decided.items) && waits.every((call) => isDecidedAgain(call, decided));
}

function isDecidedAgain({ action, decided: before, result }: FaceCall, { decisions }: Decided): boolean {
  const now = decisions.get(action?.id ?? '');
  if (now === undefined || before === null || now.kind !== before.decision) return false;
  return now.kind === 'answer' ? now.result === result : now.reason === before.reason;
}

function isSaidAgain(before: readonly (GivenItem | null)[], now: readonly GivenItem[]): boolean {
  const [said, saidNow] = [before, now].map((items) =>
    items.filter((item) => item?.kind === 'message').map((item) => tokenOf(item)),
  );
  return JSON.stringify(said) === JSON.stringify(saidNow);
}
