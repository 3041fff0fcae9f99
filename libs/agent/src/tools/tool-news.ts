import { type Draft, type RunState, warningEvent } from '#domain';
import type { Toolbox } from './tool.js';

/** What is to be told of the tools: each once, also where another process has told of it before. */
export function newsOf({ warnings = [] }: Toolbox, state: RunState): readonly Draft[] {
  const told = new Set(state.warnings.map((warning) => warningEvent(warning).data.content));
  return warnings.map(warningEvent).filter(({ data }) => !told.has(data.content));
}
