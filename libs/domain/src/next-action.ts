import type { Content } from './content.js';
import { type CallState, isUnasked, isUndecided } from './actions/waiting-calls.js';
import type { RunEnd, RunState } from './run-state.js';

export type NextAction =
  | { readonly kind: 'call_model' }
  /** Calls of the latest turn that have no result yet; some may wait for somebody, but not all. */
  | { readonly kind: 'run_tools'; readonly calls: readonly CallState[] }
  /** Nothing, before somebody decides on a call. */
  | { readonly kind: 'wait' }
  /** Write the responses that are missing and close the step. */
  | { readonly kind: 'close_step'; readonly responses: readonly CallState[] }
  /** Give the model the messages that came while the run was under way. */
  | { readonly kind: 'take_in'; readonly messages: readonly Content[] }
  | { readonly kind: 'final_output' }
  | { readonly kind: 'finish'; readonly end: RunEnd }
  | { readonly kind: 'stop' };

/** What a run does next: a function of its events alone, so that recovery is the same loop from a later start. */
export function nextAction(state: RunState, maxSteps: number): NextAction {
  if (state.end !== null) return { kind: 'stop' };
  if (state.isCancelRequested) return { kind: 'finish', end: { kind: 'cancelled' } };
  if (state.budget?.outcome === 'denied') return { kind: 'finish', end: BUDGET_EXHAUSTED };
  if (state.budget?.outcome === 'open') return { kind: 'wait' };
  if (state.isStepOpen) return nextOfTurn(state);
  if (state.steered.length > 0) return { kind: 'take_in', messages: state.steered };
  if (state.hasTurn && state.calls.length === 0 && !state.hasNews) return lastOf(state);
  if (state.steps >= maxSteps) return { kind: 'finish', end: tooManySteps(maxSteps) };
  return { kind: 'call_model' };
}

/** What is left to do when the agent has nothing more to say. */
function lastOf({ config, hasFinalOutput }: RunState): NextAction {
  if (config.final_output && !hasFinalOutput) return { kind: 'final_output' };
  return { kind: 'finish', end: { kind: 'completed' } };
}

function nextOfTurn(state: RunState): NextAction {
  const open = state.calls.filter((c) => c.result === null);
  if (state.config.ends_with_calls && open.some(({ call }) => call.needs === 'caller'))
    return { kind: 'finish', end: { kind: 'completed' } };
  if (open.length > 0) return open.every(isWaiting) ? { kind: 'wait' } : { kind: 'run_tools', calls: open };
  return { kind: 'close_step', responses: state.calls.filter((c) => !c.isResponded) };
}

const isWaiting = (call: CallState): boolean => isUndecided(call) && !isUnasked(call);

export const BUDGET_EXHAUSTED: RunEnd = {
  kind: 'failed',
  code: 'budget_exhausted',
  message: 'the budget is spent, and was not raised',
  isRetryable: true,
};

const tooManySteps = (maxSteps: number): RunEnd => ({
  kind: 'failed',
  code: 'max_steps',
  message: `the agent was not done after ${maxSteps} steps`,
  isRetryable: false,
});
