import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type {
  OpenApiOperation,
  OpenApiResponse,
  describeService,
} from '../../apps/server/src/features/docs/describe-service.js';

/** What a client got, and what it had asked for. */
export interface SeenAnswer {
  readonly method: string;
  /** With its query string. */
  readonly path: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders | Headers;
  /** Absent: it streams, and its events are checked one by one. */
  readonly text?: string;
}

type Description = ReturnType<typeof describeService>;

/** What the program prints: `docs-openapi.spec.ts` holds them against each other. To make it here would load the program. */
const description = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Description;

/** The paths, those without parameters first. */
const places = Object.keys(description.paths)
  .sort((a, b) => a.split('{').length - b.split('{').length)
  .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`) }));

const ajv = new Ajv2020({ strict: false, allErrors: true });
// A CommonJS module: its default export is the namespace's.
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema(closed(description) as object, 'annals');

/** The same without room for fields that are not described: a field that nobody wrote down is a finding. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, closed(part)]));
  const isShape = copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy);
  // The description has no pattern for times, which generated clients cannot bear; milliseconds and UTC are promised.
  if (copy['format'] === 'date-time')
    return { ...copy, pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' };
  return isShape ? { ...copy, additionalProperties: false } : copy;
}

/** @throws Error where the description of the interface does not say that this may be answered */
export function requireDescribed(seen: SeenAnswer): void {
  const fault = faultOf(seen);
  if (fault === null) return;
  const { method, path, status, text = '' } = seen;
  throw new Error(
    `not as /openapi.json says: ${method} ${path} → ${status}: ${fault}\n${text.slice(0, 500)}`,
  );
}

/** @throws Error where this is no public event */
export function requireDescribedEvent(event: unknown): void {
  const validate = validatorOf('#/components/schemas/StreamEvent');
  if (!validate(event))
    throw new Error(`not as /openapi.json says: ${told(validate)}: ${JSON.stringify(event)}`);
}

function faultOf({ method, path, status, headers, text }: SeenAnswer): string | null {
  const pathname = path.split('?')[0] ?? '';
  // It is described elsewhere; its refusals have one form.
  if (pathname.startsWith('/v1/'))
    return status < 400 || isOpenAiError(text) ? null : 'it is no error of OpenAI';
  const place = places.find(({ pattern }) => pattern.test(pathname))?.path ?? '';
  const operation: OpenApiOperation | undefined = description.paths[place]?.[method.toLowerCase()];
  const type = (headerOf(headers, 'content-type') ?? '').split(';')[0] ?? '';
  if (operation === undefined) {
    if (type !== 'application/problem+json') return 'the path is not described';
    return text === undefined ? null : wrongWith('#/components/schemas/Problem', text);
  }
  const response: OpenApiResponse | undefined = operation.responses[status];
  if (response === undefined) return 'the status is not described';
  if (response.content === undefined) return text === undefined || text === '' ? null : 'it has a body';
  if (response.content['*/*'] !== undefined) return null;
  if (response.content[type] === undefined) return `the media type ${type} is not described`;
  // The events of `/mcp` are messages of its protocol.
  const hasEvents = type === SSE && place !== '/mcp';
  if (text === undefined || !type.endsWith('json')) return hasEvents && text ? wrongEvents(text) : null;
  const at = [place, method.toLowerCase(), 'responses', status, 'content', type, 'schema'];
  return wrongWith(`#/paths/${at.map(pointer).join('/')}`, text);
}

const isOpenAiError = (text = ''): boolean =>
  Object.keys((JSON.parse(text) as { readonly error?: object }).error ?? {}).join() ===
  'message,type,param,code';

const SSE = 'text/event-stream';

const headerOf = (headers: IncomingHttpHeaders | Headers, name: string): string | null | undefined =>
  headers instanceof Headers ? headers.get(name) : (headers[name] as string | undefined);

const pointer = (part: string | number): string =>
  encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1'));

function wrongEvents(text: string): string | null {
  const validate = validatorOf('#/components/schemas/StreamEvent');
  for (const [, json = ''] of text.matchAll(/^data: (.*)\n\n/gm))
    if (!validate(JSON.parse(json))) return `${told(validate)}: ${json.slice(0, 300)}`;
  return null;
}

function wrongWith(ref: string, text: string): string | null {
  const validate = validatorOf(ref);
  return validate(JSON.parse(text)) ? null : told(validate);
}

const validators = new Map<string, ValidateFunction>();

function validatorOf(ref: string): ValidateFunction {
  const known = validators.get(ref);
  if (known !== undefined) return known;
  const made = ajv.compile({ $ref: `annals${ref}` });
  validators.set(ref, made);
  return made;
}

const told = ({ errors }: ValidateFunction): string =>
  ajv.errorsText(errors?.filter(({ keyword }) => keyword !== 'const').slice(0, 5) ?? []);
