import { Problem } from '../problem.js';
import type { GivenItem } from './given-item.js';

/** Calls by value that have no result yet, by id, in the order in which they came. */
export type OpenCalls = readonly string[];

export const NO_OPEN_CALLS: OpenCalls = [];

/** Calls that a conversation may be left with: claims name them all. */
const MAX_OPEN = 64;

interface Paired {
  readonly open: OpenCalls;
  /** What is wrong with the items, in the words of OpenAI's interface; null: nothing. */
  readonly fault: string | null;
}

/** Gives each result its call: one that stands before it and has none yet. @param open those that stand before the items */
function pair(open: OpenCalls, items: readonly GivenItem[]): Paired {
  const left = new Set(open);
  let fault: string | null = null;
  for (const item of items) {
    if (item.kind === 'result' && !left.delete(item.id))
      fault ??= `No tool call found for function call output with call_id ${item.id}.`;
    if (item.kind !== 'call' && item.kind !== 'server_call') continue;
    if (left.has(item.id)) fault ??= `Two calls have the call_id ${item.id} before there is an output.`;
    if (item.kind === 'call') left.add(item.id);
  }
  return { open: [...left], fault };
}

/** Those that are open behind the items, whatever is wrong with them. */
export const openCallsBehind = (open: OpenCalls, items: readonly GivenItem[] = []): OpenCalls =>
  items.length === 0 ? open : pair(open, items).open;

/** Those of the open ones that the items answer. */
export function answeredBy(open: OpenCalls, items?: readonly GivenItem[]): OpenCalls {
  const left = openCallsBehind(open, items);
  return left === open ? NO_OPEN_CALLS : open.filter((id) => !left.includes(id));
}

/** Why a model would not be told all of what a run begins with: each call has one result, each result its call. null: it is. */
export function unpaired(open: OpenCalls, items: readonly GivenItem[], param = 'input'): Problem | null {
  const { fault, open: left } = pair(open, items);
  if (fault !== null) return refusal(fault, param);
  return left[0] === undefined ? null : refusal(`No tool output found for function call ${left[0]}.`, param);
}

/** The same of items without a run: what answers the calls among them may come later. */
export function uncalled(open: OpenCalls, items: readonly GivenItem[], param = 'items'): Problem | null {
  const { fault, open: left } = pair(open, items);
  if (fault !== null) return refusal(fault, param);
  if (left.length <= MAX_OPEN) return null;
  return refusal(`${param}: more than ${MAX_OPEN} calls would be without an output`, param);
}

const refusal = (message: string, path: string): Problem =>
  new Problem('invalid_request', message, { errors: [{ path, message }], reason: 'invalid_value' });
