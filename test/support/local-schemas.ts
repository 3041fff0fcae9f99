import { LocalSchemas } from '../../libs/agent/src/json-schema/local-schemas.js';

/** Where a test's schemas are its own, and harmless. */
export const LOCAL_SCHEMAS = new LocalSchemas();
