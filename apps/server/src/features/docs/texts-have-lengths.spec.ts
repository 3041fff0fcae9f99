import { describe, expect, it } from '@jest/globals';
import { NewApiKeyDto } from '../keys/api-key.dto.js';
import { NewDatastoreDto, SearchDto } from '../datastores/datastore.dto.js';
import { type DtoField, fieldsOf } from '../../edge/validation/dto-fields.js';
import type { Dto } from '../../edge/validation/field-notes.js';
import { schemaOf } from '../../edge/validation/field-schema.js';
import { messageFor } from '../../edge/validation/validate.js';
import { RunRequestDto } from '../runs/dto/run-request.dto.js';
import type { JsonSchema } from '../../edge/validation/rules.js';
import { routesOf } from '../../edge/routes/routes-of.js';
import { API_CONTROLLERS, OPERATOR_CONTROLLERS } from '../controllers.js';
import { describeService } from './describe-service.js';

const description = describeService(routesOf([...API_CONTROLLERS, ...OPERATOR_CONTROLLERS]), '0.0.0');

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Where texts may be as long as they like; `seen` are the components that were looked at. */
function unboundedIn(schema: JsonSchema, path: string, seen = new Set<string>()): string[] {
  const ref = schema['$ref'];
  if (typeof ref === 'string') {
    if (seen.has(ref)) return [];
    seen.add(ref);
    return unboundedIn(description.components.schemas[ref.split('/').at(-1) ?? ''] ?? {}, path, seen);
  }
  const found: string[] = [];
  const isText = [schema['type']].flat().includes('string') && !('enum' in schema) && !('const' in schema);
  // A file's length is MAX_UPLOAD_MB, which is the operator's.
  if (isText && !('maxLength' in schema) && !('contentMediaType' in schema)) found.push(path);
  const { properties = {}, additionalProperties, propertyNames, items } = schema;
  for (const [name, part] of Object.entries(properties as Record<string, JsonSchema>))
    found.push(...unboundedIn(part, `${path}.${name}`, seen));
  if (isSchema(additionalProperties)) {
    found.push(...unboundedIn(additionalProperties, `${path}.*`, seen));
    if (!isSchema(propertyNames) || !('maxLength' in propertyNames)) found.push(`the names in ${path}`);
    if (!('maxProperties' in schema)) found.push(`the number of names in ${path}`);
  }
  if (isSchema(items)) {
    found.push(...unboundedIn(items, `${path}[]`, seen));
    if (!('maxItems' in schema)) found.push(`the number of items in ${path}`);
  }
  for (const word of ['anyOf', 'oneOf', 'allOf'])
    for (const part of (schema[word] as JsonSchema[] | undefined) ?? [])
      found.push(...unboundedIn(part, path, seen));
  return found;
}

describe('every text that a request may bring has a length in the description', () => {
  it.each(Object.entries(description.paths))('%s', (path, methods) => {
    for (const [method, { parameters = [], requestBody }] of Object.entries(methods)) {
      const name = `${method} ${path}`;
      for (const { name: parameter, schema } of parameters)
        expect(unboundedIn(schema, `${name} ?${parameter}`)).toEqual([]);
      for (const { schema } of Object.values(requestBody?.content ?? {}))
        expect(unboundedIn(schema, name)).toEqual([]);
    }
  });

  it('is not said of what has none', () => {
    expect(unboundedIn({ type: 'object', properties: { a: { type: ['string', 'null'] } } }, 'x')).toEqual([
      'x.a',
    ]);
    expect(
      unboundedIn({ type: 'object', additionalProperties: { type: 'string', maxLength: 1 } }, 'x'),
    ).toEqual(['the names in x', 'the number of names in x']);
  });
});

interface TextField {
  readonly name: string;
  readonly field: DtoField;
  readonly most: number;
  /** A text as it stands in the field. */
  readonly placed: (text: string) => unknown;
}

function textFields(dto: Dto, seen = new Set<Dto>()): TextField[] {
  if (seen.has(dto)) return [];
  seen.add(dto);
  return [...fieldsOf(dto).values()].flatMap((field) => {
    const { of = [] } = field.notes.nesting ?? {};
    if (of.length > 0) return of.flatMap((one) => textFields(one, seen));
    const schema = schemaOf(field);
    const items = isSchema(schema['items']) ? schema['items'] : {};
    const others = ((schema['anyOf'] as JsonSchema[] | undefined) ?? []).find((part) => 'maxLength' in part);
    const most = Number(schema['maxLength'] ?? others?.['maxLength'] ?? items['maxLength'] ?? 0);
    if (most === 0) return [];
    const placed = (text: string): unknown => ('maxLength' in items ? [text] : text);
    return [{ name: `${dto.name}.${field.name}`, field, most, placed }];
  });
}

const FIELDS = [RunRequestDto, NewDatastoreDto, SearchDto, NewApiKeyDto].flatMap((dto) => textFields(dto));

describe('a text of a request', () => {
  it('is looked at in every field', () => expect(FIELDS.length).toBeGreaterThan(25));

  it.each(FIELDS.map((field) => [field.name, field] as const))(
    '%s may be as long as the description says, in characters, and no longer',
    (_, { field, most, placed }) => {
      const tooLong = expect.stringContaining(`at most ${most} characters`);
      for (const letter of ['a', '🚀']) {
        const said = messageFor(field, placed(letter.repeat(most)));
        expect(said).not.toEqual(tooLong);
        expect(messageFor(field, placed(letter.repeat(most + 1)))).toEqual(tooLong);
      }
      expect(messageFor(field, placed(`🚀${'a'.repeat(most - 1)}`))).not.toEqual(tooLong);
    },
  );

  it.each([
    ['a query of the request', 'QueryDto.query', 20_000],
    ['a rule', 'RunRequestDto.rules', 4_000],
    ['a name', 'AgentDto.name', 200],
    ['a description', 'AgentDto.description', 10_000],
    ['the id of a step', 'StepDto.id', 200],
    ['the name of a key', 'NewApiKeyDto.name', 200],
  ])('has the length of the contract: %s', (_, name, most) => {
    expect(FIELDS.find((field) => field.name === name)?.most).toBe(most);
  });
});
