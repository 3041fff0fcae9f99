import type { IconName } from '../parts/sprite.js';

const ICONS: Readonly<Record<string, IconName>> = {
  run_requested: 'user',
  run_steered: 'user',
  agent_steered: 'user',
  run_claimed: 'dot',
  agent_started: 'flag',
  agent_thinking: 'think',
  agent_response: 'text',
  agent_final_output: 'text',
  agent_tool_use: 'wrench',
  agent_tool_response: 'wrench',
  agent_step: 'check',
  agent_completed: 'check',
  agent_handoff: 'fork',
  session_forked: 'fork',
  agent_action_required: 'hand',
  agent_action_resolved: 'hand',
  agent_task_scheduled: 'clock',
  told: 'send',
};

/** The icon before an event's type; a take-over and what went wrong have the same. */
export const iconOf = (type: string, tone: string): IconName =>
  tone === 'over' || tone === 'bad' ? 'bolt' : (ICONS[type] ?? 'dot');
