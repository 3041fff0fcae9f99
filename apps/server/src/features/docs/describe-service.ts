import { type DtoField, fieldsOf } from '../../edge/validation/dto-fields.js';
import { isRequired, schemaOf } from '../../edge/validation/field-schema.js';
import { LENGTHS } from '../../edge/validation/lengths.js';
import type { JsonSchema } from '../../edge/validation/rules.js';
import { PROBLEM_JSON, titleOf } from '../../edge/problems/problem-response.js';
import { PROBLEM } from '../../edge/problems/problem-schema.js';
import { collectNamed, component } from '../../edge/openapi/json-schema.js';
import { type Content, JSON_TYPE, type OperationTerms } from '../../edge/routes/operation.js';
import type { Route } from '../../edge/routes/route-book.js';
import { ANSWER_HEADERS, headersOf } from './answer-headers.js';
import { MEANINGS, PARAMETER_MEANINGS, SAMPLES } from './meanings.js';
import { WEBHOOKS } from './webhooks.js';
import { nameOf, schemasOf } from './request-schemas.js';

export interface OpenApi {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> } & JsonSchema;
  readonly [field: string]: unknown;
}

export interface OpenApiOperation {
  readonly operationId?: string;
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, OpenApiContent>> };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
  readonly [field: string]: unknown;
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface OpenApiContent {
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: object }>>;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: JsonSchema;
  readonly content?: Readonly<Record<string, OpenApiContent>>;
}

/** Parameters of paths whose name in the contract is not the router's. */
const PATH_NAMES: Readonly<Record<string, string>> = {
  run: 'run_id',
  other: 'other_run_id',
  action: 'id',
  task: 'task_id',
  delivery: 'delivery_id',
  kept: 'file_id',
};

/** `/runs/:run/events` as `/runs/{run_id}/events`. */
export const pathOf = (url: string): string =>
  url.replace(/:([A-Za-z_]+)/g, (_, name: string) => `{${PATH_NAMES[name] ?? name}}`);

/** The OpenAPI 3.1 description of routes that are served. */
export function describeService(routes: readonly Route[], version: string): OpenApi {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  const schemas: Record<string, JsonSchema> = {};
  // By path, so that it is the same text whatever the order of the controllers.
  for (const { method, url, terms } of routes.toSorted(
    (a, b) => Number(a.url > b.url) - Number(a.url < b.url),
  )) {
    if (method === 'HEAD' || terms.isPage || terms.isForeign) continue;
    const path = pathOf(url);
    if (terms.body) schemasOf(terms.body, schemas);
    collectNamed([terms.answers, terms.message, PROBLEM, WEBHOOKS], schemas);
    (paths[path] ??= {})[method.toLowerCase()] = described(path, terms);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Annals',
      version,
      description:
        'Runs an AI agent behind HTTP. Every event is appended to a durable log before anyone sees it, so a client can ' +
        'come back to any point of a run.',
    },
    servers: [{ url: '/' }],
    tags: [
      'agent',
      'runs',
      'sessions',
      'actions',
      'tasks',
      'datastores',
      'keys',
      'mcp',
      'money',
      'proof',
      'operations',
      'callbacks',
    ].map((name) => ({
      name,
    })),
    paths,
    webhooks: WEBHOOKS,
    components: {
      schemas: withMeanings(schemas),
      headers: ANSWER_HEADERS,
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key, or a token' } },
    },
  };
}

function described(path: string, terms: OperationTerms): OpenApiOperation {
  const { id, tag, summary, description, answers } = terms;
  const parameters = [...pathParameters(path), ...queryParameters(terms), ...headerParameters(terms)];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: securityOf(terms),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBodyOf(terms),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, content]) => [
          status,
          responseOf(Number(status), content, terms),
        ]),
      ),
      ...refusalsOf(path, terms),
    },
  };
}

/** Alternatives: one of them is enough. */
const securityOf = ({ scope, orScope }: OperationTerms): readonly object[] =>
  scope === null ? [] : [scope, ...(orScope === undefined ? [] : [orScope])].map((one) => ({ key: [one] }));

const pathParameters = (path: string): OpenApiParameter[] =>
  [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: PARAMETER_MEANINGS[`path ${name}`] ?? '',
    schema: { type: 'string', minLength: 1, maxLength: LENGTHS.name },
  }));

/** Parameters of any name cannot be described: the operation says it. */
const isDescribed = ({ notes }: DtoField): boolean => notes.isPrefix !== true;

const queryParameters = ({ query }: OperationTerms): OpenApiParameter[] =>
  query === undefined
    ? []
    : [...fieldsOf(query).values()].filter(isDescribed).map((field) => {
        const meaning = PARAMETER_MEANINGS[`query ${field.name}`] ?? '';
        const { description = '', ...schema } = inWords({ description: meaning, ...schemaOf(field) });
        const required = isRequired(field);
        return { name: field.name, in: 'query', required, description: String(description), schema };
      });

const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'Idempotency-Key': {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[\\x21-\\x7e][\\x20-\\x7e]{0,254}$',
  },
  'Last-Event-ID': { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
};

const headerParameters = ({ headers = [] }: OperationTerms): OpenApiParameter[] =>
  headers.map((name) => ({
    name,
    in: 'header',
    required: false,
    description: PARAMETER_MEANINGS[`header ${name}`] ?? '',
    schema: HEADERS[name] ?? {},
  }));

function requestBodyOf({ body, form, message, examples }: OperationTerms): object {
  const json = body === undefined ? message : component(nameOf(body));
  const content =
    json !== undefined
      ? { [JSON_TYPE]: { schema: json, ...(examples ? { examples } : {}) } }
      : form !== undefined
        ? { 'multipart/form-data': { schema: form } }
        : null;
  if (content === null) return {};
  const required = body === undefined || [...fieldsOf(body).values()].some(isRequired);
  return { requestBody: { required, content } };
}

const responseOf = (
  status: number,
  content: Content,
  { scope, answerHeaders = [] }: OperationTerms,
): OpenApiResponse => ({
  description: SUCCESSES[status] ?? titleOf(status),
  headers: headersOf(status, { isOpen: scope === null, own: answerHeaders }),
  ...(content === null
    ? {}
    : {
        content: Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }])),
      }),
});

const SUCCESSES: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
};

const refusalOf = (status: number, { scope }: OperationTerms): OpenApiResponse => ({
  description: titleOf(status),
  headers: headersOf(status, { isOpen: scope === null }),
  content: { [PROBLEM_JSON]: { schema: PROBLEM } },
});

/** The statuses with which a route may refuse, from what it is and what its entry adds. */
function refusalsOf(path: string, terms: OperationTerms): Record<string, OpenApiResponse> {
  const { scope, answers, refusals = [] } = terms;
  const statuses = new Set([400, 503, ...refusals]);
  if (scope !== null) for (const status of [401, 403, 429]) statuses.add(status);
  if (path.includes('{')) statuses.add(404);
  // Any request may have a body, and is judged by it.
  for (const status of [408, 413, 415]) statuses.add(status);
  const described = [...statuses].map((status): [string, OpenApiResponse] => [
    String(status),
    refusalOf(status, terms),
  ]);
  for (const status of statuses) {
    const own = answers[status];
    if (!own) continue;
    const refusal = refusalOf(status, terms);
    const content = { ...responseOf(status, own, terms).content, ...refusal.content };
    described.push([String(status), { ...refusal, content }]);
  }
  return Object.fromEntries(described);
}

/** The schemas with what each of their fields means, where they do not say that themselves. */
const withMeanings = (schemas: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      if (schema['properties'] === undefined) return [name, schema];
      const fields = Object.entries(schema['properties'] as Record<string, JsonSchema>);
      const properties = fields.map(([field, inner]) => [
        field,
        inWords({ ...meaningOf(name, field), ...inner }),
      ]);
      return [name, { ...schema, properties: Object.fromEntries(properties) as object }];
    }),
  );

function meaningOf(schema: string, field: string): JsonSchema {
  const description = MEANINGS[`${schema}.${field}`] ?? MEANINGS[field];
  const sample = SAMPLES[field];
  return {
    ...(description === undefined ? {} : { description }),
    ...(sample === undefined ? {} : { examples: [sample] }),
  };
}

/** Generated clients take a field with a `default` for one that is always there, and ask for it: it is told in words. */
function inWords({ default: fallback, ...schema }: JsonSchema): JsonSchema {
  if (fallback === undefined) return schema;
  const said = typeof schema['description'] === 'string' ? `${schema['description']} ` : '';
  return {
    ...schema,
    description: `${said}Default: \`${typeof fallback === 'string' ? fallback : JSON.stringify(fallback)}\`.`,
  };
}
