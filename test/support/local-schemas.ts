import { LocalSchemas } from '../../libs/json-schema/src/local-schemas.js';

/** Where a test's schemas are its own, and harmless. */
export const LOCAL_SCHEMAS = new LocalSchemas();
