import type { RunConfig, SpecialistAgent } from '#domain';
import type { ModeSettings } from './modes.js';

const DEFAULT_SYSTEM =
  'You are a capable, careful agent. Do what the user asks. Use the tools that you are offered where they help, ' +
  'say plainly what you could not do, and never invent results.';

/** What the agent is told besides the run's configuration. */
export interface Situation {
  /** The specialist who has the conversation now. */
  readonly specialist?: SpecialistAgent | undefined;
  /** Sentences about what is there to be used, and what is not. */
  readonly notices: readonly string[];
}

const NOTHING: Situation = { notices: [] };

/** The system message: who the agent is, how it works in this mode, and the rules that hold in every turn. */
export function systemMessage(config: RunConfig, mode: ModeSettings, situation = NOTHING): string {
  const { specialist, notices } = situation;
  const parts = [config.system ?? DEFAULT_SYSTEM, mode.instructions];
  if (specialist) parts.unshift(`You are ${specialist.name}: ${specialist.description}`);
  if (notices.length > 0) parts.push(notices.join('\n'));
  if (config.rules && config.rules.length > 0) {
    parts.push(
      `Rules that you must obey at all times:\n${config.rules.map((rule) => `- ${rule}`).join('\n')}`,
    );
  }
  return parts.join('\n\n');
}
