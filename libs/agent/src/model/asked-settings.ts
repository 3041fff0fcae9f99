import type { CallKind, RunState, ToolChoice } from '#domain';
import type { Tool } from '../tools/tool.js';
import type { ModelRequest } from './model-client.js';
import { MODES } from './modes.js';

/** What the run's settings ask of the model itself. */
export function samplingOf(
  { mode, config }: Pick<RunState, 'mode' | 'config'>,
  kind: CallKind = 'turn',
): Pick<ModelRequest, 'reasoningEffort' | 'sampling'> {
  // A summary is nothing that somebody has asked for.
  if (kind === 'compaction') return { reasoningEffort: MODES[mode].reasoningEffort };

  const { reasoning_effort: reasoningEffort = MODES[mode].reasoningEffort, ...sampling } =
    config.sampling ?? {};
  return { reasoningEffort, ...(config.sampling === undefined ? {} : { sampling }) };
}

/** Which tool is to be called in the next turn; other than none in the first turn only, or the run would never end. */
export function choiceOf(
  { config: { tool_choice: choice }, isChoiceOpen }: RunState,
  tools: readonly Tool[],
): Pick<ModelRequest, 'forcedTool' | 'toolChoice'> {
  if (choice === undefined || tools.length === 0) return {};
  if (choice === 'none') return { toolChoice: 'none' };
  if (!isChoiceOpen) return {};
  const forcedTool = choice === 'required' ? undefined : nameOf(choice, tools);
  return forcedTool === undefined ? { toolChoice: 'required' } : { forcedTool };
}

/** As it is offered; undefined: it is not. */
function nameOf({ name, server }: Exclude<ToolChoice, string>, tools: readonly Tool[]): string | undefined {
  const found = tools.find(({ definition, origin }) =>
    server === undefined
      ? definition.name === name && origin === undefined
      : origin?.server === server && origin.tool === name,
  );
  return found?.definition.name;
}
