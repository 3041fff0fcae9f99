import { type CompiledSchema, compileSchema } from '#agent';
import { type FieldError, validateWorkflows } from '#domain';
import { invalidFields, type RunBody } from './run-body.js';

type Semantic = Pick<RunBody, 'workflows' | 'agents' | 'final_output'>;

/** Compiling this many takes less than half a second, once. */
const MAX_SUBSCHEMAS = 4000;
/** More than these help nobody, and an answer has a size, too. */
const MAX_ERRORS = 50;

/**
 * What the fields of a request mean together: the graphs of its workflows, its schemas, the names of its agents.
 * @throws Problem invalid_request, with every field that is wrong
 */
export function checkRunSemantics(body: Semantic): void {
  const errors = [
    ...validateWorkflows(body.workflows),
    ...wrongSchemas(body),
    ...wrongNames(body.agents),
  ].slice(0, MAX_ERRORS);
  if (errors.length > 0) throw invalidFields(errors);
}

function wrongSchemas(body: Semantic): FieldError[] {
  const errors: FieldError[] = [];
  const compiled = new Set<CompiledSchema>();
  let subschemas = 0;
  for (const { schema, path } of schemasOf(body)) {
    if (errors.length >= MAX_ERRORS) break;
    const made = compileSchema(schema, path);
    if (made.kind === 'refused') {
      errors.push(made.error);
      continue;
    }
    if (!compiled.has(made.schema)) subschemas += made.schema.subschemas;
    compiled.add(made.schema);
    if (subschemas <= MAX_SUBSCHEMAS) continue;
    const message = `is one too many: the schemas of a request may have ${MAX_SUBSCHEMAS} subschemas together`;
    return [...errors, { path, message }];
  }
  return errors;
}

function* schemasOf({ workflows, final_output }: Semantic): Generator<{ schema: object; path: string }> {
  if (final_output !== undefined) yield { schema: final_output.schema, path: 'final_output.schema' };
  for (const [i, { steps }] of workflows.entries()) {
    for (const [j, { output_schema: schema }] of steps.entries()) {
      if (schema !== undefined) yield { schema, path: `workflows[${i}].steps[${j}].output_schema` };
    }
  }
}

function wrongNames(agents: Semantic['agents']): FieldError[] {
  const first = new Map<string, number>();
  return agents.flatMap(({ name }, i): FieldError[] => {
    const before = first.get(name);
    if (before === undefined) first.set(name, i);
    return before === undefined
      ? []
      : [{ path: `agents[${i}].name`, message: `is the name of agents[${before}], too` }];
  });
}
