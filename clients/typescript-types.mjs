import { isRecord, noteOf, refOf, valuesOf, variantsOf } from './json-schema.mjs';

/** TypeScript's declarations of the components of a description. */
export const typescriptTypes = (schemas) =>
  Object.entries(schemas)
    .map(([name, schema]) => {
      const declared = isRecord(schema)
        ? `export interface ${name} ${typeOf(schema)}`
        : `export type ${name} = ${typeOf(schema)};`;
      return `${comment(schema)}${declared}\n`;
    })
    .join('\n');

function typeOf(schema) {
  const ref = refOf(schema);
  if (ref !== null) return ref;
  const variants = variantsOf(schema);
  if (variants.length > 1) return [...new Set(variants.map(typeOf))].join(' | ');
  const [only] = variants;
  const values = valuesOf(only);
  if (values !== null) return values.map((value) => JSON.stringify(value)).join(' | ');
  return SIMPLE[only.type]?.(only) ?? 'unknown';
}

const SIMPLE = {
  string: ({ contentMediaType }) => (contentMediaType === undefined ? 'string' : 'Blob'),
  integer: () => 'number',
  number: () => 'number',
  boolean: () => 'boolean',
  null: () => 'null',
  array: ({ items = {} }) => `readonly (${typeOf(items)})[]`,
  object: (schema) => (isRecord(schema) ? fieldsOf(schema) : `Readonly<Record<string, ${valueOf(schema)}>>`),
};

const valueOf = ({ additionalProperties }) =>
  typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown';

function fieldsOf({ properties, required = [] }) {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${comment(schema)}readonly ${JSON.stringify(name)}${mark}: ${typeOf(schema)};`;
  });
  return `{\n${fields.join('\n')}\n}`;
}

function comment(schema) {
  const note = noteOf(schema).replaceAll('*/', '*\\/');
  return note === '' ? '' : `/** ${note.replaceAll('\n', '\n * ')} */\n`;
}
