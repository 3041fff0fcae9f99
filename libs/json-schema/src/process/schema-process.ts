import { serveRequests } from '#platform';
import { type Checked, type SchemaRequest, answerSchemaRequest } from '../schema-requests.js';
import type { Validation } from '../validation.js';

/** Program of the child process that compiles callers' schemas and validates models' output. */
serveRequests<SchemaRequest, Checked | Validation>(answerSchemaRequest);
