// What both writers of types ask of a schema.

/** The component that a schema refers to, or null. */
export const refOf = (schema) => schema.$ref?.split('/').at(-1) ?? null;

/** A schema as a union of others; itself where it is none. */
export function variantsOf(schema) {
  const { oneOf, anyOf, type, ...rest } = schema;
  if (oneOf !== undefined || anyOf !== undefined) return oneOf ?? anyOf;
  if (!Array.isArray(type)) return [schema];
  // null says nothing of the other keywords, and they nothing of it.
  return type.map((one) => (one === 'null' ? { type: 'null' } : { ...rest, type: one }));
}

/** The values that it may have, or null. */
export const valuesOf = ({ enum: values, const: value }) => values ?? (value === undefined ? null : [value]);

/** Whether it is an object whose fields are written down. */
export const isRecord = ({ type, properties }) => type === 'object' && properties !== undefined;

/** `agent_tool_use` as `AgentToolUse`. */
export const pascal = (name) =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => `${part[0]?.toUpperCase() ?? ''}${part.slice(1)}`)
    .join('');

/** What a reader is told of a field: what it means, and that it is an old one. */
export const noteOf = ({ description, deprecated }) =>
  [description, deprecated ? '@deprecated' : ''].filter(Boolean).join('\n').trim();
