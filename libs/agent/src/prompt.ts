import type { RunConfig } from '#domain';
import type { ModeSettings } from './modes.js';

const DEFAULT_SYSTEM =
  'You are a capable, careful agent. Do what the user asks. Use the tools that you are offered where they help, ' +
  'say plainly what you could not do, and never invent results.';

/** The system message: who the agent is, how it works in this mode, and the rules that hold in every turn. */
export function systemMessage(config: RunConfig, mode: ModeSettings): string {
  const parts = [config.system ?? DEFAULT_SYSTEM, mode.instructions];
  if (config.rules && config.rules.length > 0) {
    parts.push(
      `Rules that you must obey at all times:\n${config.rules.map((rule) => `- ${rule}`).join('\n')}`,
    );
  }
  return parts.join('\n\n');
}
