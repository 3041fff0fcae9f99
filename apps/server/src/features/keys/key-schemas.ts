import { SCOPES } from '#domain';
import { TEXT, TIME, listOf, named, objectOf, oneOf, orNull } from '../../edge/openapi/json-schema.js';

const key = {
  name: TEXT,
  scopes: listOf(oneOf(...SCOPES)),
  project: TEXT,
  created_at: TIME,
};

const LAST_USED = { ...TIME, description: 'to the hour' };

export const API_KEY = named(
  'ApiKey',
  objectOf({ id: TEXT, ...key, expires_at: orNull(TIME), last_used_at: orNull(LAST_USED) }),
);

export const NEW_KEY = named(
  'NewKey',
  objectOf({ id: TEXT, key: TEXT, webhook_secret: TEXT, ...key }, { expires_at: TIME }),
);

export const TOKEN = named('Token', objectOf({ token: TEXT, expires_at: TIME }));
