import type { FinalOutputConfig } from '#domain';
import type { TextFormat } from '../settings.js';
import {
  type Fields,
  anyFields,
  fieldsOf,
  flagIn,
  missing,
  objectIn,
  oneOf,
  pathTo,
  requiredText,
  textIn,
} from './fields.js';
import { MOST } from './limits.js';
import { refuseOtherTypes, typeOf } from './parts.js';

const NAME = { min: 1, max: MOST.name };

/** `text.format` of a response. @throws Problem naming what is wrong */
export function formatIn(fields: Fields, name: string): TextFormat | undefined {
  const value = fields.values[name];
  if (value === undefined) return undefined;
  const path = pathTo(fields.path, name);
  const type = typeOf(value);
  if (type !== 'json_schema') {
    refuseOtherTypes(value, path, ['text', 'json_object']);
    if (type === undefined) missing(anyFields(value, path), 'type');
    const plain = fieldsOf(value, path, { known: ['type'] });
    return { type: oneOf(plain, 'type', ['text', 'json_object']) ?? missing(plain, 'type') };
  }
  return schemaFormat(fieldsOf(value, path, { known: ['type', 'name', 'description', 'schema', 'strict'] }));
}

/** The fields of a schema, wherever they stand. */
export function schemaFormat(fields: Fields): TextFormat {
  const description = textIn(fields, 'description', { max: MOST.description });
  const strict = flagIn(fields, 'strict');
  return {
    type: 'json_schema',
    name: requiredText(fields, 'name', NAME),
    ...(description === undefined ? {} : { description }),
    schema: objectIn(fields, 'schema') ?? missing(fields, 'schema'),
    ...(strict === undefined ? {} : { strict }),
  };
}

/** What is asked of the run; undefined: words. */
export function finalOutputOf(format: TextFormat | undefined): FinalOutputConfig | undefined {
  if (format === undefined || format.type === 'text') return undefined;
  if (format.type !== 'json_schema') return { name: 'output', schema: { type: 'object' } };
  const { name, schema, strict } = format;
  return { name, schema, ...(strict === undefined ? {} : { strict }) };
}
