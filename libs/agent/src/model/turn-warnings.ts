import { type Draft, type RunState, type RunWarning, warningEvent } from '#domain';
import type { ModelEnd } from '../run/run-watch.js';

/** Of what a server sends with one message and may want back. */
const MAX_PROVIDER_BYTES = 256 * 1024;

/** What the caller has not been told yet of an answer. */
export const newsOf = (end: ModelEnd, { warnings }: RunState): Draft[] =>
  untold(warningsOf(end), warnings.filter(isStanding));

/**
 * The same of tools that the model was not offered.
 * @param serverOf the name of a tool's server; undefined: it is of none
 */
export function newsOfTools(
  leftOut: readonly string[],
  serverOf: (tool: string) => string | undefined,
  { warnings: known }: RunState,
): Draft[] {
  const reason = 'The model server takes fewer tools than there are; these are not available.';
  const servers = new Set(leftOut.map(serverOf));
  const warnings = [...servers].map((server): RunWarning => ({
    code: 'tools_left_out',
    ...(server === undefined ? {} : { server }),
    reason,
    tools: leftOut.filter((tool) => serverOf(tool) === server),
  }));
  return untold(warnings, known.filter(isStanding));
}

/** What is to be told of warnings, but of those that are known. */
export function untold(warnings: readonly RunWarning[], known: readonly RunWarning[]): Draft[] {
  const told = new Set(known.map((warning) => warningEvent(warning).data.content));
  return warnings.map(warningEvent).filter(({ data }) => !told.has(data.content));
}

/** It is so for all of a run, and not of one answer. */
const isStanding = ({ code }: RunWarning): boolean =>
  code === 'tools_left_out' || code === 'unreadable_result';

/** What is missing of an answer that the server cut itself, of what it sent with it, or of what it was shown. */
function warningsOf({ finishReason: reason, provider, unseen }: ModelEnd): RunWarning[] {
  const warnings: RunWarning[] = [];
  if (reason === 'length' || reason === 'content_filter') warnings.push({ code: 'answer_cut', reason });
  if (provider !== undefined && isTooMuch(provider)) {
    const told = `the model server sent more than ${MAX_PROVIDER_BYTES} bytes of its own with an answer: they do not go back to it`;
    warnings.push({ code: 'provider_fields_dropped', reason: told });
  }
  if (unseen !== undefined) {
    const told = `The agent does not see ${unseen.join(', ')}: the model server does not take these images.`;
    warnings.push({ code: 'unreadable_result', reason: told });
  }
  return warnings;
}

export const isTooMuch = (provider: string): boolean => Buffer.byteLength(provider) > MAX_PROVIDER_BYTES;
