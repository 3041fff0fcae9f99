import { SCOPES } from '#domain';
import { FLAG, TEXT, TIME, listOf, named, objectOf, oneOf, orNull } from '../../edge/openapi/json-schema.js';

const KEY = objectOf({ id: TEXT, name: TEXT, scopes: listOf(oneOf(...SCOPES)), project: TEXT });

const FIELDS = {
  key: orNull(KEY),
  csrf: orNull({ ...TEXT, description: 'What requests of the page say in the header `annals-csrf`.' }),
  expires_at: orNull(TIME),
  version: TEXT,
  demo_model: { ...FLAG, description: 'Whether the built-in demo model answers.' },
};

export const CONSOLE_AUTH = named('ConsoleAuth', objectOf(FIELDS));

export const SIGNED_IN = named(
  'SignedIn',
  objectOf({ ...FIELDS, to: { ...TEXT, description: 'Where to go now: a path under `/console`.' } }),
);

export const SIGN_IN_LINK = named(
  'NewSignInLink',
  objectOf({ url: { ...TEXT, description: 'Works once; shown this once.' }, expires_at: TIME }),
);
