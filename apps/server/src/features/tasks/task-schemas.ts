import { FLAG, TEXT, TIME, listOf, named, objectOf, oneOf, orNull } from '../../edge/openapi/json-schema.js';

const FIRING = objectOf(
  { slot: TIME, fired_at: orNull(TIME), run_id: orNull(TEXT), late: FLAG },
  {
    error: {
      ...objectOf({ code: oneOf('internal'), message: TEXT }),
      description: 'why no run comes of it: processes ended while they started it, and the task was paused',
    },
  },
);

export const TASK = named(
  'Task',
  objectOf({
    task_id: TEXT,
    session: TEXT,
    schedule: { type: ['integer', 'string'] },
    timezone: TEXT,
    message: TEXT,
    status: oneOf('scheduled', 'paused', 'finished', 'cancelled'),
    created_at: TIME,
    next_run_at: orNull(TIME),
    last_run_at: orNull(TIME),
    firings: { ...listOf(FIRING), maxItems: 100 },
  }),
);
