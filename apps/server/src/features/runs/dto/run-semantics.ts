import type { Schemas } from '#json-schema';
import type { FieldError, ProjectId } from '#domain';
import { validateWorkflows } from '#workflow';
import { invalidFields } from '../../../edge/problems/invalid-fields.js';
import { fileKeysIn } from './file-keys.js';
import type { RunBody } from './run-body.js';

type Semantic = Pick<RunBody, 'workflows' | 'agents' | 'final_output' | 'tools' | 'queries'>;

/** Compiling this many takes about half a second, once. */
const MAX_SUBSCHEMAS = 4000;
/** More than these help nobody, and an answer has a size, too. */
const MAX_ERRORS = 50;

/**
 * What the fields of a request mean together: the graphs of its workflows, its schemas, the names of its agents; and that
 * nothing in them reads as something else on the log.
 * @param isPlain the run can have neither workflows nor other agents nor datastores: their tools' names are free
 * @throws Problem invalid_request, with every field that is wrong; unavailable
 */
export async function checkRunSemantics(
  body: RunBody,
  project: ProjectId,
  schemas: Schemas,
  isPlain = false,
): Promise<void> {
  // The one is not kept, the other is sealed.
  const { mcp_servers: _, callback: __, ...kept } = body;
  const errors = [
    ...validateWorkflows(body.workflows),
    ...(await wrongSchemas(body, project, schemas)),
    ...wrongNames('agents', body.agents),
    ...wrongNames('queries', body.queries),
    ...wrongTools(body, isPlain ? OWN_TOOLS_EVERYWHERE : OWN_TOOLS),
    ...fileKeysIn(kept),
  ].slice(0, MAX_ERRORS);
  if (errors.length > 0) throw invalidFields(errors);
}

async function wrongSchemas(body: Semantic, project: ProjectId, schemas: Schemas): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  const counted = new Set<string>();
  let subschemas = 0;
  for (const { schema, path } of schemasOf(body)) {
    if (errors.length >= MAX_ERRORS) break;
    const verdict = await schemas.check(schema, path, project);
    if (verdict.kind === 'refused') {
      errors.push(verdict.error);
      continue;
    }
    const text = JSON.stringify(schema);
    if (!counted.has(text)) subschemas += verdict.subschemas;
    counted.add(text);
    if (subschemas <= MAX_SUBSCHEMAS) continue;
    const message = `is one too many: the schemas of a request may have ${MAX_SUBSCHEMAS} subschemas together`;
    return [...errors, { path, message }];
  }
  return errors;
}

function* schemasOf({
  workflows,
  final_output,
  tools,
}: Semantic): Generator<{ schema: object; path: string }> {
  if (final_output !== undefined) yield { schema: final_output.schema, path: 'final_output.schema' };
  for (const [i, { parameters }] of tools.entries())
    yield { schema: parameters, path: `tools[${i}].parameters` };
  for (const [i, { steps }] of workflows.entries()) {
    for (const [j, { output_schema: schema }] of steps.entries()) {
      if (schema !== undefined) yield { schema, path: `workflows[${i}].steps[${j}].output_schema` };
    }
  }
}

/** Each is a tool that is told by its name. */
function wrongNames(list: string, named: readonly { readonly name: string }[]): FieldError[] {
  const first = new Map<string, number>();
  return named.flatMap(({ name }, i): FieldError[] => {
    const before = first.get(name);
    if (before === undefined) first.set(name, i);
    return before === undefined
      ? []
      : [{ path: `${list}[${i}].name`, message: `is the name of ${list}[${before}], too` }];
  });
}

/** Names that the service's own tools have, whatever else a request asks for. */
const OWN_TOOLS = /^(?:run_workflow$|read_history$|transfer_to_|search_)/;
/** Those that it has in any run. */
const OWN_TOOLS_EVERYWHERE = /^read_history$/;

function wrongTools({ tools, queries }: Semantic, own: RegExp): FieldError[] {
  const ofQueries = new Set(queries.map(({ name }) => name));
  const first = new Map<string, number>();
  return tools.flatMap(({ name, parameters }, i): FieldError[] => {
    const before = first.get(name);
    if (before === undefined) first.set(name, i);
    const path = `tools[${i}].name`;
    if (before !== undefined) return [{ path, message: `is the name of tools[${before}], too` }];
    if (own.test(name)) return [{ path, message: "is one of the service's own tools" }];
    if (ofQueries.has(name)) return [{ path, message: 'is the name of one of the queries, too' }];
    const { type = 'object' } = parameters as { readonly type?: unknown };
    const message = 'must be a schema of objects: arguments have names';
    return type === 'object' ? [] : [{ path: `tools[${i}].parameters.type`, message }];
  });
}
