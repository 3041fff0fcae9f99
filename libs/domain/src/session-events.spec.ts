import { describe, expect, it } from '@jest/globals';
import { UnknownEventType, asSessionEvent } from './read-session-event.js';
import { isEndType, isPublicType } from './event-types.js';

const recorded = (type: string) => ({
  type,
  data: {},
  revision: 3,
  time: 0,
  meta: { project: 'default', actor: 'key_1' },
});

const PUBLIC = [
  'agent_started',
  'agent_thinking_start',
  'agent_thinking',
  'agent_response_start',
  'agent_response',
  'agent_tool_use_start',
  'agent_tool_use',
  'agent_tool_response',
  'agent_step',
  'agent_handoff',
  'agent_workflow_step',
  'agent_final_output',
  'agent_warning',
  'agent_cost',
  'agent_completed',
  'agent_cancelled',
  'agent_error',
];
const INTERNAL = [
  'session_opened',
  'run_requested',
  'run_claimed',
  'model_turn_completed',
  'model_turn_failed',
  'tool_call_completed',
  'workflow_attempt_started',
  'workflow_attempt_failed',
  'workflow_step_completed',
  'workflow_tool_responded',
  'run_refused',
  'run_cancel_requested',
  'messages_cleared',
];

describe('events of a session', () => {
  it('are public or internal by their stored names', () => {
    for (const type of PUBLIC) expect([type, isPublicType(type)]).toEqual([type, true]);
    for (const type of INTERNAL) expect([type, isPublicType(type)]).toEqual([type, false]);
  });

  it('are read as they were recorded', () => {
    for (const type of [...PUBLIC, ...INTERNAL]) {
      const event = recorded(type);
      expect(asSessionEvent(event)).toBe(event);
    }
  });

  it.each(['', 'agent_levitated', 'toString', '__proto__', 'constructor'])(
    'refuse the unknown type %j',
    (type) => {
      expect(() => asSessionEvent(recorded(type))).toThrow(UnknownEventType);
      expect(isPublicType(type)).toBe(false);
    },
  );

  it('end a run in one of three ways', () => {
    expect(PUBLIC.filter(isEndType)).toEqual(['agent_completed', 'agent_cancelled', 'agent_error']);
  });
});
