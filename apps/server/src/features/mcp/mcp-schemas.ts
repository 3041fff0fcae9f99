import { TEXT, listOf, named, objectOf, oneOf } from '../../edge/openapi/json-schema.js';
import { LENGTHS } from '../../edge/validation/lengths.js';
import type { JsonSchema } from '../../edge/validation/rules.js';

/** Of a message of JSON-RPC 2.0, a string or a number: generators of clients take no choice of types here. */
const ID: JsonSchema = {};
const ANY_OBJECT: JsonSchema = { type: 'object' };

export const MCP_MESSAGE = named(
  'McpMessage',
  objectOf(
    { jsonrpc: oneOf('2.0'), method: { ...TEXT, maxLength: LENGTHS.name } },
    { id: ID, params: ANY_OBJECT },
  ),
);

export const MCP_ANSWER = named(
  'McpAnswer',
  objectOf(
    { jsonrpc: oneOf('2.0') },
    {
      id: ID,
      result: ANY_OBJECT,
      error: ANY_OBJECT,
    },
  ),
);

export const RESOURCE_METADATA = named(
  'ResourceMetadata',
  objectOf({
    resource: TEXT,
    resource_name: TEXT,
    bearer_methods_supported: listOf(TEXT),
    scopes_supported: listOf(TEXT),
    resource_documentation: TEXT,
  }),
);

export const MCP_EXAMPLES = {
  tools: {
    summary: 'Which tools there are',
    value: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  },
};
