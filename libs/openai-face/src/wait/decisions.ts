import { type ActionId, type GivenItem, Problem, type SessionId, textsOf } from '#domain';
import type { FaceCall } from '../face-call.js';
import { textOf } from '../given-view.js';
import { approvalRequestId, itemId } from '../ids.js';
import { refused } from '../request/refusals.js';
import { tokenOf } from './same-items.js';

/** What somebody decides on a call that waits. */
export type CallDecision =
  | { readonly kind: 'answer'; readonly result: string }
  | { readonly kind: 'approve' | 'deny'; readonly reason: string | null };

/** What an input decides, and what it says besides. */
export interface Decided {
  readonly decisions: ReadonlyMap<ActionId, CallDecision>;
  /** The decisions as they were given, in their order. */
  readonly items: readonly GivenItem[];
  /** For the next turn. */
  readonly messages: readonly string[];
}

/** The id by which an input answers a call. */
export const callIdOf = ({ use }: FaceCall, session: SessionId): string => itemId('call', session, use ?? -1);

/** Where in the items the first decision on one of the calls stands; -1: none does. */
export const firstDecision = (
  items: readonly GivenItem[],
  waits: readonly FaceCall[],
  session: SessionId,
): number => items.findIndex((item) => waits.some((call) => isAbout(item, call, session)));

/** Whether the item decides on the call. */
export function isAbout(item: GivenItem, call: FaceCall, session: SessionId): boolean {
  if (call.call.needs === 'caller') return item.kind === 'result' && item.id === callIdOf(call, session);
  return item.kind === 'decision' && item.action === call.action?.id;
}

/** Tells of calls whether one of the items decides on them. */
export function decidesOn(items: readonly GivenItem[], session: SessionId): (call: FaceCall) => boolean {
  const results = new Set(items.flatMap((item) => (item.kind === 'result' ? [item.id] : [])));
  const actions = new Set(items.flatMap((item) => (item.kind === 'decision' ? [item.action] : [])));
  return (call) =>
    call.call.needs === 'caller' ? results.has(callIdOf(call, session)) : actions.has(call.action?.id ?? '');
}

/**
 * What the items decide of what a run waits for, which is to be all of it. What stands before the first decision, and only
 * repeats what the session holds, is passed over; so are calls that it holds.
 * @throws Problem naming the call that is missing, that is not waited for, or of which two things are decided
 */
export function decidedBy(
  items: readonly GivenItem[],
  waits: readonly FaceCall[],
  session: SessionId,
  held: readonly GivenItem[],
): Decided {
  const decisions = new Map<ActionId, CallDecision>();
  for (const call of waits) {
    const [found, ...others] = items.filter((item) => isAbout(item, call, session)).map(decisionOf);
    if (found === undefined) throw undecided(call, session);
    if (others.some((other) => !isSame(found, other))) throw contradictory(call, session);
    decisions.set(call.action?.id ?? '', found);
  }
  const known = new Set(held.map(tokenOf));
  const first = firstDecision(items, waits, session);
  const rest = items.filter(
    (item, at) =>
      !waits.some((call) => isAbout(item, call, session)) &&
      !(known.has(tokenOf(item)) && (at < first || item.kind !== 'message')),
  );
  const own = items.filter((item) => waits.some((call) => isAbout(item, call, session)));
  return { decisions, items: [...own, ...rest.filter(isMessage)], messages: rest.map(messageOf) };
}

const isMessage = ({ kind }: GivenItem): boolean => kind === 'message';

/** @throws Problem: it is no message, and answers nothing */
function messageOf(item: GivenItem): string {
  if (item.kind === 'message') return textsOf(item.parts).map(textOf).join('');
  throw unexpected(item);
}

function unexpected(item: GivenItem): Problem {
  const told =
    item.kind === 'result'
      ? `No tool call found for function call output with call_id ${item.id}.`
      : item.kind === 'decision'
        ? `No approval request found for ${approvalRequestId(item.action)}.`
        : item.kind === 'call'
          ? `No tool output found for function call ${item.id}.`
          : `An item of the kind ${item.kind} cannot stand beside decisions.`;
  return refused('invalid_value', 'input', told);
}

function undecided(call: FaceCall, session: SessionId): Problem {
  const told =
    call.call.needs === 'caller'
      ? `No tool output found for function call ${callIdOf(call, session)}.`
      : `No approval found for ${approvalRequestId(call.action?.id ?? '')}.`;
  return refused('invalid_value', 'input', told);
}

function contradictory(call: FaceCall, session: SessionId): Problem {
  const told =
    call.call.needs === 'caller'
      ? `There are different outputs for function call ${callIdOf(call, session)}.`
      : `There are different decisions on ${approvalRequestId(call.action?.id ?? '')}.`;
  return refused('invalid_value', 'input', told);
}

const isSame = (one: CallDecision, other: CallDecision): boolean =>
  one.kind === 'answer'
    ? other.kind === 'answer' && one.result === other.result
    : one.kind === other.kind && one.reason === other.reason;

function decisionOf(item: GivenItem): CallDecision {
  if (item.kind === 'result') return { kind: 'answer', result: textOf(item.output) };
  if (item.kind !== 'decision') throw new TypeError('no decision');
  return { kind: item.isApproved ? 'approve' : 'deny', reason: item.reason ?? null };
}
