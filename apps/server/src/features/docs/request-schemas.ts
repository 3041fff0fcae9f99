import { type DtoField, fieldsOf } from '../../edge/validation/dto-fields.js';
import type { Dto } from '../../edge/validation/field-notes.js';
import { isRequired, schemaOf } from '../../edge/validation/field-schema.js';
import type { JsonSchema } from '../../edge/validation/rules.js';
import { component } from '../../edge/openapi/json-schema.js';

/** Under which the description refers to a DTO: `RunRequestDto` is `RunRequest`. */
export const nameOf = (dto: Dto): string => dto.name.replace(/Dto$/, '');

/** The schema of a DTO and of every DTO in it, by name, made from the rules by which they are checked. */
export function schemasOf(dto: Dto, found: Record<string, JsonSchema> = {}): Record<string, JsonSchema> {
  const name = nameOf(dto);
  if (Object.hasOwn(found, name)) return found;
  const fields = [...fieldsOf(dto).values()];
  found[name] = {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, describe(field)])),
    required: fields.filter(isRequired).map((field) => field.name),
    additionalProperties: false,
  };
  for (const { notes } of fields) for (const one of notes.nesting?.of ?? []) schemasOf(one, found);
  return found;
}

function describe(field: DtoField): JsonSchema {
  const { nesting, schema } = field.notes;
  const [only, ...others] = (nesting?.of ?? []).map((dto) => component(nameOf(dto)));
  if (only === undefined) return schemaOf(field);
  const nested = others.length === 0 ? only : { oneOf: [only, ...others] };
  return field.isList ? { ...schemaOf(field), items: nested } : { ...nested, ...schema };
}
