import type { Tool } from '@modelcontextprotocol/server';
import type { Scope } from '#domain';
import { fieldsOf } from '../../edge/validation/dto-fields.js';
import type { Dto } from '../../edge/validation/field-notes.js';
import { isRequired, schemaOf } from '../../edge/validation/field-schema.js';
import type { JsonSchema } from '../../edge/validation/rules.js';
import { DOLLARS, FLAG, TEXT, listOf, objectOf } from '../../edge/openapi/json-schema.js';
import { RUN_STATUS } from '../runs/shared/run-schemas.js';
import { ListSessionsDto, ReadRunDto, ReadSessionDto, RunAgentDto } from './tool-arguments.dto.js';

/** A tool as clients are told of it, and the scope that its calls need. */
export interface ToolDefinition {
  readonly scope: Scope;
  readonly tool: Tool;
}

interface Stated {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly scope: Scope;
  readonly takes: Dto;
  readonly gives: JsonSchema;
}

/** An object that has these fields and no others. */
const exactly = (fields: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  ...objectOf(fields),
  additionalProperties: false,
});

/** A choice of two plain types: what calls tools for a model knows no lists of types. */
const orNone = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });

const RUN_RESULT = exactly({
  run_id: TEXT,
  session: TEXT,
  status: RUN_STATUS,
  response: { ...TEXT, description: 'what the agent said in its last turn' },
  cost: { ...DOLLARS, description: 'in US dollars' },
  error: orNone(exactly({ code: TEXT, message: TEXT, retryable: FLAG })),
});

const CURSOR = orNone(TEXT);

const SESSION_RESULT = exactly({
  session: TEXT,
  messages: listOf(exactly({ type: TEXT, content: TEXT })),
  next_cursor: CURSOR,
});

const SESSIONS_RESULT = exactly({
  items: listOf(objectOf({ session: TEXT, title: orNone(TEXT), created_at: TEXT })),
  next_cursor: CURSOR,
});

const STATED: readonly Stated[] = [
  {
    name: 'run_agent',
    title: 'Run the agent',
    description:
      'Gives a task to an AI agent and answers with what it says in the end. A run that takes longer than wait_s goes on: ' +
      'read_run tells its result. The session that is answered can be gone on with.',
    scope: 'run',
    takes: RunAgentDto,
    gives: RUN_RESULT,
  },
  {
    name: 'read_run',
    title: 'Read a run',
    description: 'The state of a run of the agent, and its result once it has ended.',
    scope: 'read',
    takes: ReadRunDto,
    gives: RUN_RESULT,
  },
  {
    name: 'read_session',
    title: 'Read a session',
    description: 'What was said in a session, in the order of the conversation, page by page.',
    scope: 'read',
    takes: ReadSessionDto,
    gives: SESSION_RESULT,
  },
  {
    name: 'list_sessions',
    title: 'List sessions',
    description: 'The sessions, newest first, page by page.',
    scope: 'read',
    takes: ListSessionsDto,
    gives: SESSIONS_RESULT,
  },
];

/** In the order in which they are told. */
export const TOOL_DEFINITIONS: readonly ToolDefinition[] = STATED.map(
  ({ name, title, description, scope, takes, gives }) => ({
    scope,
    tool: {
      name,
      title,
      description,
      inputSchema: inputOf(takes),
      outputSchema: gives,
      annotations:
        scope === 'read'
          ? { readOnlyHint: true, openWorldHint: false }
          : { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    },
  }),
);

function inputOf(dto: Dto): Tool['inputSchema'] {
  const fields = [...fieldsOf(dto).values()];
  const properties = Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)]));
  const required = fields.filter(isRequired).map(({ name }) => name);
  return { type: 'object', properties, required, additionalProperties: false } as Tool['inputSchema'];
}
