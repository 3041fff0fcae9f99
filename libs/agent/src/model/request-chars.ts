import { type ContextMessage, type RunState, sizeOfAll } from '#domain';
import type { ToolDefinition } from './model-client.js';
import { MODES } from './modes.js';
import { type Situation, systemMessage } from './prompt.js';

interface Told {
  readonly run: { readonly state: Pick<RunState, 'config' | 'mode'> };
  readonly messages: readonly ContextMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly situation?: Situation;
}

const known = new WeakMap<ToolDefinition, number>();

/** Characters of all that a model is told and offered with a request. */
export function charsOf({ run, messages, tools, situation }: Told): number {
  const { config, mode } = run.state;
  const system = systemMessage(config, MODES[mode], situation).length;
  return tools.reduce((sum, tool) => sum + charsOfTool(tool), system + sizeOfAll(messages));
}

function charsOfTool(tool: ToolDefinition): number {
  let chars = known.get(tool);
  if (chars === undefined) known.set(tool, (chars = JSON.stringify(tool).length));
  return chars;
}
