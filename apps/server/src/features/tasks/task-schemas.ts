import {
  FLAG,
  TEXT,
  TIME,
  listOf,
  named,
  noted,
  objectOf,
  oneOf,
  orNull,
} from '../../edge/openapi/json-schema.js';

const FIRING_ERROR = named('FiringError', objectOf({ code: oneOf('internal'), message: TEXT }));

const FIRING = named(
  'Firing',
  objectOf(
    { slot: TIME, fired_at: orNull(TIME), run_id: orNull(TEXT), late: FLAG },
    {
      error: noted(
        'Why no run comes of it: processes ended while they started it, and the task was paused.',
        FIRING_ERROR,
      ),
    },
  ),
);

export const TASK = named(
  'Task',
  objectOf({
    task_id: TEXT,
    session: TEXT,
    schedule: { anyOf: [{ type: 'integer' }, TEXT] },
    timezone: TEXT,
    message: TEXT,
    status: oneOf('scheduled', 'paused', 'finished', 'cancelled'),
    created_at: TIME,
    next_run_at: orNull(TIME),
    last_run_at: orNull(TIME),
    firings: { ...listOf(FIRING), maxItems: 100 },
  }),
);
