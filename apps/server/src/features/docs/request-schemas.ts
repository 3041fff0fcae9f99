import { type Dto, describeFields } from '../../edge/validation/fields.js';
import type { JsonSchema } from '../../edge/validation/rules.js';
import { FIELD_NOTES } from './field-notes.js';
import { component } from '../../edge/openapi/json-schema.js';

/** Under which the description refers to a DTO: `RunRequestDto` is `RunRequest`. */
export const nameOf = (dto: Dto): string => dto.name.replace(/Dto$/, '');

/** The schema of a DTO and of every DTO in it, by name, made from the rules by which they are checked. */
export function schemasOf(dto: Dto, found: Record<string, JsonSchema> = {}): Record<string, JsonSchema> {
  const name = nameOf(dto);
  if (Object.hasOwn(found, name)) return found;
  const fields = describeFields(dto);
  found[name] = {
    type: 'object',
    properties: Object.fromEntries(
      fields.map((field) => [field.name, { ...schemaOf(field), ...FIELD_NOTES[`${name}.${field.name}`] }]),
    ),
    required: fields.filter(({ isOptional }) => !isOptional).map((field) => field.name),
    additionalProperties: false,
  };
  for (const { of } of fields) for (const one of of) schemasOf(one, found);
  return found;
}

function schemaOf({ rule, of }: ReturnType<typeof describeFields>[number]): JsonSchema {
  const [only, ...others] = of.map((dto) => component(nameOf(dto)));
  if (only === undefined) return rule.schema ?? {};
  const nested = others.length === 0 ? only : { oneOf: [only, ...others] };
  return rule.schema?.['type'] === 'array' ? { ...rule.schema, items: nested } : nested;
}
