import { TEXT, TIME, named, objectOf, oneOf, orNull } from '../../../edge/openapi/json-schema.js';
import { ACTION_KIND, ACTION_OUTCOME } from './event-schemas.js';

const ACTION_STATUS = oneOf('open', 'resolved', 'expired', 'cancelled');

export const ACTION = named(
  'Action',
  objectOf({
    action_id: TEXT,
    kind: ACTION_KIND,
    status: ACTION_STATUS,
    session: TEXT,
    run_id: TEXT,
    asked: {
      type: 'object',
      description: 'approval, tool: {tool, input}; tool_servers: {servers}; budget: {spent, limit}',
    },
    decided: orNull({ type: 'object', description: '{reason?, input?, budget?}' }),
    decision: orNull(ACTION_OUTCOME),
    actor: orNull({ ...TEXT, description: 'the id of the key; empty: nobody decided in time' }),
    created_at: TIME,
    expires_at: TIME,
    resolved_at: orNull(TIME),
  }),
);
