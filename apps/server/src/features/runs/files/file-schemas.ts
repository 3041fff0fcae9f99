import { COUNT, TEXT, TIME, named, objectOf, orNull } from '../../../edge/openapi/json-schema.js';

export const RUN_FILE = named(
  'RunFile',
  objectOf({
    file_id: TEXT,
    tool: TEXT,
    media_type: TEXT,
    bytes: COUNT,
    name: orNull(TEXT),
    created_at: TIME,
  }),
);
