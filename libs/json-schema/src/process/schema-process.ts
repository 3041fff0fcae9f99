import { serveRequests } from '#platform';
import { type Checked, type SchemaRequest, answerSchemaRequest } from '../schema-requests.js';
import type { Validation } from '../validation.js';

/** The process in which schemas of callers are compiled, and in which what models write is held against them. */
serveRequests<SchemaRequest, Checked | Validation>(answerSchemaRequest);
