import type { DatastoreQuery } from '#domain';
import { type CallersDatabase, DatabaseRefusal, type SqlRequest, type SqlValue } from './callers-database.js';
import type { DatabaseKind } from './connection-string.js';
import { resultText } from './sql/result-text.js';
import { prepare } from './sql/statement.js';
import { type KnowledgeOutcome, type KnowledgeTool, failed, fieldOf } from './tool.js';

/** A database datastore of a run. */
export interface OpenDatabase {
  /** As the request calls it. */
  readonly label: string;
  readonly kind: DatabaseKind;
  readonly isWritable: boolean;
  /** null: the datastore was deleted. */
  connect(): Promise<CallersDatabase | null>;
}

const MAX_SCHEMA = 60_000;
const MAX_SQL = 20_000;
const NAMES = { postgres: 'PostgreSQL', mysql: 'MySQL or MariaDB' } as const;

/** `<name>_schema` */
export const schemaTool = (name: string, database: OpenDatabase): KnowledgeTool => ({
  definition: {
    name,
    description: `Lists the tables of the database "${database.label}" (${NAMES[database.kind]}) with their columns and keys.`,
    parameters: {
      type: 'object',
      properties: { table: { type: 'string', description: 'Only tables with this in their name' } },
      additionalProperties: false,
    },
  },
  isRepeatable: true,
  call: (input, signal) =>
    using(database, async (callers) => {
      const part = fieldOf(input, 'table');
      const lines = (await callers.schema(signal)).split('\n');
      const wanted = typeof part === 'string' ? lines.filter((line) => nameOf(line).includes(part)) : lines;
      const text = wanted.join('\n');
      const cut =
        text.length > MAX_SCHEMA ? `${text.slice(0, MAX_SCHEMA)}\n… ask for a table by its name` : text;
      return { content: cut === '' ? 'there are no such tables' : cut };
    }),
});

const nameOf = (line: string): string => line.slice(0, line.indexOf(' ('));

/** `<name>_sql`: the agent's own SQL, which reads and nothing else. */
export const sqlTool = (name: string, database: OpenDatabase): KnowledgeTool => ({
  definition: {
    name,
    description: `Runs one SELECT on the database "${database.label}" (${NAMES[database.kind]}). It cannot change anything. Long results are cut.`,
    parameters: {
      type: 'object',
      properties: { sql: { type: 'string', description: 'One SELECT statement' } },
      required: ['sql'],
      additionalProperties: false,
    },
  },
  isRepeatable: true,
  call: async (input, signal) => {
    const sql = fieldOf(input, 'sql');
    if (typeof sql !== 'string' || sql.trim() === '') return failed('sql: must be a SELECT statement');
    if (sql.length > MAX_SQL) return failed(`sql: must have ${MAX_SQL} characters at most`);
    if (sql.includes('\0')) return failed('sql: must not contain U+0000');
    return run(database, { sql, values: [], mode: 'read' }, signal);
  },
});

/** A query of the request. With several databases the agent says in which. */
export function queryTool(
  name: string,
  { description, query }: DatastoreQuery,
  databases: readonly OpenDatabase[],
): KnowledgeTool {
  const [first] = databases;
  const { contexts } = prepare(query, first?.kind ?? 'postgres');
  const parameters = contexts.map((_, i) => `value_${i + 1}`);
  const hasChoice = databases.length > 1;
  return {
    definition: { name, description, parameters: parametersOf(contexts, hasChoice ? databases : []) },
    isRepeatable: databases.every(({ isWritable }) => !isWritable),
    call: async (input, signal) => {
      const chosen = hasChoice ? fieldOf(input, 'datastore') : first?.label;
      const database = databases.find(({ label }) => label === chosen);
      if (database === undefined)
        return failed(`datastore: must be one of ${databases.map(({ label }) => label).join(', ')}`);
      const values: SqlValue[] = [];
      for (const parameter of parameters) {
        const value = fieldOf(input, parameter);
        if (!isSqlValue(value))
          return failed(`${parameter}: must be a string, a number, true, false or null`);
        values.push(value);
      }
      const { sql } = prepare(query, database.kind);
      return run(database, { sql, values, mode: database.isWritable ? 'write' : 'read' }, signal);
    },
  };
}

function parametersOf(contexts: readonly string[], databases: readonly OpenDatabase[]): object {
  const properties: Record<string, object> = {};
  if (databases.length > 0)
    properties['datastore'] = { type: 'string', enum: databases.map(({ label }) => label) };
  for (const [i, context] of contexts.entries())
    properties[`value_${i + 1}`] = {
      type: ['string', 'number', 'boolean', 'null'],
      description: `Placeholder ${i + 1} of the query: … ${context} ?`,
    };
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const isSqlValue = (value: unknown): value is SqlValue =>
  value === null ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value)) ||
  (typeof value === 'string' && !value.includes('\0'));

const run = (database: OpenDatabase, request: SqlRequest, signal: AbortSignal): Promise<KnowledgeOutcome> =>
  using(database, async (callers) => ({ content: resultText(await callers.run(request, signal)) }));

async function using(
  database: OpenDatabase,
  work: (callers: CallersDatabase) => Promise<KnowledgeOutcome>,
): Promise<KnowledgeOutcome> {
  try {
    const callers = await database.connect();
    return callers === null ? failed('the datastore was deleted') : await work(callers);
  } catch (error) {
    if (error instanceof DatabaseRefusal) return failed(error.message);
    throw error;
  }
}
