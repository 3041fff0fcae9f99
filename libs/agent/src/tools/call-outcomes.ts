import { MAX_OPEN_ACTIONS, type TurnToolCall } from '#domain';
import type { ToolOutcome } from './tool.js';

export const CUT =
  'the call was not made: your answer was cut at its limit before the arguments were complete; give shorter ones';
export const TOO_OFTEN =
  'the call was given up: the tool server wanted to know more again and again before it did what was asked';
export const TOO_MANY = `the call was not made: ${MAX_OPEN_ACTIONS} calls wait for somebody already; make fewer at a time`;

/** Of a call that a server, which the run has no more, has made a task of. */
export const taskLost = ({ server = '' }: TurnToolCall): string =>
  `outcome unknown: the tool server "${server}" goes on with the call and is none of this run's, so it may or may not have taken effect`;

/** The model is told where its call was made with something else. */
export const withChange = (
  outcome: ToolOutcome,
  made: { readonly input: unknown } | undefined,
): ToolOutcome =>
  made === undefined ? outcome : { ...outcome, content: `${changedTo(made)}${outcome.content}` };

const changedTo = ({ input }: { readonly input: unknown }): string =>
  `The call was made with other arguments than yours, as whoever released it decided: ${JSON.stringify(input)}\n\n`;

export const failed = (content: string): ToolOutcome => ({ content, isError: true });
