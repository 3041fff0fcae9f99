import { type Evidence, type SessionLog, at, require } from './evidence.js';

/** I15: the first decision on an action holds; who decided the same was told so, whoever decided another was refused. */
export function checkActions(sessions: readonly SessionLog[], { transcript, marks }: Evidence): void {
  const resolved = new Map<string, string>();
  for (const { events } of sessions)
    for (const event of events) {
      if (event.type === 'run_parked') marks.hit('parked');
      if (event.type === 'tool_call_begun') marks.hit('released call made');
      if (event.type !== 'agent_action_resolved') continue;
      const { action_id: id, decision } = event.data;
      require(!resolved.has(id), 'I15 an action is decided once', () => at(event));
      resolved.set(id, decision);
      marks.hit(`action: ${decision}`);
    }
  for (const { action, decision, answer } of transcript.verdicts) {
    const first = resolved.get(action);
    if (answer === 'conflict') marks.hit('decision refused');
    if (answer === 'done')
      require(first === decision, 'I15 what was decided holds', () => `${action}: ${decision}, not ${first}`);
    if (answer === 'conflict')
      require(first !== decision, 'I15 the same decision is no conflict', () => `${action}: ${decision}`);
  }
}
