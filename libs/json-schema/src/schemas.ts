import type { FieldError } from '#domain';
import type { Validation } from './validation.js';

export type SchemaVerdict =
  /** `subschemas`: what it is worth, for whoever bounds the sum. */
  | { readonly kind: 'accepted'; readonly subschemas: number }
  | { readonly kind: 'refused'; readonly error: FieldError };

/**
 * Port: compiles callers' JSON schemas (draft 2020-12, or draft-07 where `$schema` says so) and validates against
 * them.
 */
export abstract class Schemas {
  /**
   * @param path where the schema stands in the request, for the error: `workflows[0].steps[2].output_schema`
   * @param project whose turn it is
   * @throws Problem unavailable
   */
  abstract check(schema: object, path: string, project: string): Promise<SchemaVerdict>;

  abstract validate(schema: object, value: unknown, project: string): Promise<Validation>;

  /** What a model wrote: JSON, plain, in a fence, or with words around it. */
  abstract validateText(schema: object, text: string, project: string): Promise<Validation>;
}

/**
 * What is wrong with the arguments of a tool, fit to be shown to the model; none where its schema is one that cannot be used:
 * a tool server says itself what it takes.
 */
export async function faultsOfArguments(
  schemas: Schemas,
  { parameters }: { readonly parameters: object },
  input: unknown,
  project: string,
): Promise<readonly string[]> {
  const verdict = await schemas.check(parameters, 'parameters', project);
  if (verdict.kind === 'refused') return [];
  const found = await schemas.validate(parameters, input, project);
  return found.ok ? [] : found.errors;
}

/** One project's schema, to validate its models' output. */
export class SchemaInUse {
  constructor(
    private readonly schemas: Schemas,
    private readonly schema: object,
    private readonly project: string,
  ) {}

  validate(value: unknown): Promise<Validation> {
    return this.schemas.validate(this.schema, value, this.project);
  }

  validateText(text: string): Promise<Validation> {
    return this.schemas.validateText(this.schema, text, this.project);
  }
}
