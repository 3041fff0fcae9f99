import type { CallerTool, ServerPolicy, ToolChoice, ToolFilter } from '#domain';
import {
  type Fields,
  anyFields,
  fieldsOf,
  flagIn,
  has,
  listIn,
  missing,
  objectIn,
  oneOf,
  pathTo,
  requiredText,
  textIn,
  textsIn,
  unsupportedValue,
} from './fields.js';
import { MOST } from './limits.js';
import { refused } from './refusals.js';

/** A tool server as a request names it. Address and token are kept nowhere. */
export interface AskedServer {
  readonly label: string;
  readonly url: string;
  readonly token?: string;
  readonly description?: string;
  readonly policy: ServerPolicy;
  /** Among all tools of the request. */
  readonly index: number;
}

export interface AskedTools {
  readonly functions: readonly CallerTool[];
  /** Where each of them stands among all tools. */
  readonly functionAt: readonly number[];
  readonly servers: readonly AskedServer[];
  /** As the response shows them. */
  readonly shown: readonly object[];
}

export const NO_TOOLS: AskedTools = { functions: [], functionAt: [], servers: [], shown: [] };

const NAME = { min: 1, max: MOST.name };

/** @throws Problem naming the tool */
export function toolsOf(fields: Fields, name = 'tools'): AskedTools {
  const values = listIn(fields, name, MOST.functions + MOST.servers) ?? [];
  const functions: CallerTool[] = [];
  const functionAt: number[] = [];
  const servers: AskedServer[] = [];
  const shown: object[] = [];
  for (const [index, value] of values.entries()) {
    const path = pathTo(pathTo(fields.path, name), index);
    const type = (value as { readonly type?: unknown } | null)?.type;
    if (type === 'function') {
      const tool = functionTool(value, path);
      functions.push(tool);
      functionAt.push(index);
      shown.push(shownFunction(tool, value as ShownFunction));
    } else if (type === 'mcp') {
      const server = mcpServer(value, path, index);
      servers.push(server);
      shown.push(shownServer(value as Shown, server));
    } else unsupportedTool(value, path);
  }
  requireAtMost(functions.length, MOST.functions, 'functions');
  requireAtMost(servers.length, MOST.servers, 'servers');
  requireLabels(servers);
  return { functions, functionAt, servers, shown };
}

function requireAtMost(count: number, most: number, what: string): void {
  if (count > most) throw refused('invalid_value', 'tools', `tools: must have at most ${most} ${what}`);
}

/** What is said of a server is found by its label. */
function requireLabels(servers: readonly AskedServer[]): void {
  const labels = new Set<string>();
  for (const { label, index } of servers) {
    const path = `tools[${index}].server_label`;
    if (labels.has(label))
      throw refused('invalid_value', path, `${path}: is the label of another server, too`);
    // The key of an object on the log, where it names a stored file.
    if (label === '$file') throw refused('invalid_value', path, `${path}: must not be $file`);
    labels.add(label);
  }
}

function unsupportedTool(value: unknown, path: string): never {
  const fields = anyFields(value, path);
  if (!has(fields, 'type')) missing(fields, 'type');
  return unsupportedValue(fields, 'type', fields.values['type']);
}

function functionTool(value: unknown, path: string): CallerTool {
  const fields = fieldsOf(value, path, {
    known: ['type', 'name', 'description', 'parameters', 'strict'],
    unsupported: ['allowed_callers', 'async', 'defer_loading', 'output_schema'],
  });
  return callerTool(fields);
}

/** The fields of a function, wherever they stand. */
export function callerTool(fields: Fields): CallerTool {
  const strict = flagIn(fields, 'strict');
  const name = requiredText(fields, 'name', { min: 1, max: MOST.functionName });
  if (!/^[a-zA-Z0-9_-]+$/.test(name)) {
    const path = pathTo(fields.path, 'name');
    throw refused('invalid_value', path, `${path}: must be made of a-z, A-Z, 0-9, _ and -`);
  }
  return {
    name,
    description: textIn(fields, 'description', { max: MOST.description }) ?? '',
    parameters: objectIn(fields, 'parameters') ?? { type: 'object', properties: {} },
    ...(strict === undefined ? {} : { strict }),
  };
}

interface ShownFunction {
  readonly parameters?: object | null;
}

/** As the response shows it: null where something was not given. */
export const shownFunction = (
  { name, description, strict }: CallerTool,
  { parameters = null }: ShownFunction,
): object => ({
  type: 'function',
  name,
  description: description === '' ? null : description,
  parameters,
  strict: strict ?? null,
});

function mcpServer(value: unknown, path: string, index: number): AskedServer {
  const fields = fieldsOf(value, path, {
    known: [
      'type',
      'server_label',
      'server_url',
      'server_description',
      'authorization',
      'headers',
      'allowed_tools',
      'require_approval',
    ],
    unsupported: ['connector_id', 'tunnel_id', 'defer_loading', 'allowed_callers'],
  });
  const token = tokenOf(fields);
  const description = textIn(fields, 'server_description', { max: MOST.description });
  const offered = filterIn(fields, 'allowed_tools');
  return {
    label: requiredText(fields, 'server_label', NAME),
    url: urlOf(fields),
    ...(token === undefined ? {} : { token }),
    ...(description === undefined ? {} : { description }),
    policy: { ...(offered === undefined ? {} : { offered }), free: freeOf(fields) },
    index,
  };
}

function urlOf(fields: Fields): string {
  const url = requiredText(fields, 'server_url', { min: 1, max: MOST.url });
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url;
  const path = pathTo(fields.path, 'server_url');
  throw refused('invalid_value', path, `${path}: must be an http or https URL`);
}

function tokenOf(fields: Fields): string | undefined {
  const token = textIn(fields, 'authorization', { min: 1, max: MOST.token });
  const headers = objectIn(fields, 'headers');
  const path = pathTo(fields.path, 'headers');
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    const at = pathTo(fields.path, 'authorization');
    throw refused('invalid_value', at, `${at}: must be what a header can hold`);
  }
  if (headers === undefined) return token;
  for (const [name, value] of Object.entries(headers)) {
    const at = `${path}.${name.slice(0, 100)}`;
    const bearer = name.toLowerCase() === 'authorization' ? bearerIn(value) : null;
    if (bearer === null)
      throw refused(
        'unsupported_parameter',
        at,
        `${at}: only Authorization with a bearer token is supported`,
      );
    if (token !== undefined && token !== bearer)
      throw refused('mutually_exclusive_parameters', at, `${at}: authorization says another token`);
    return bearer;
  }
  return token;
}

const bearerIn = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= MOST.token + 10
    ? (/^Bearer +([\x21-\x7e]+) *$/i.exec(value)?.[1] ?? null)
    : null;

/** Names, or {`tool_names`, `read_only`}. */
function filterIn(fields: Fields, name: string): ToolFilter | undefined {
  const value = fields.values[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return { tools: textsIn(fields, name, MOST.toolNames, NAME) ?? [] };
  const inner = fieldsOf(value, pathTo(fields.path, name), { known: ['tool_names', 'read_only'] });
  const tools = textsIn(inner, 'tool_names', MOST.toolNames, NAME);
  const isReadOnly = flagIn(inner, 'read_only');
  return {
    ...(tools === undefined ? {} : { tools }),
    ...(isReadOnly === undefined ? {} : { read_only: isReadOnly }),
  };
}

/** What `never` names needs nobody, all else asks. */
function freeOf(fields: Fields): ServerPolicy['free'] {
  const value = fields.values['require_approval'];
  if (value === undefined) return 'none';
  if (typeof value === 'string')
    return oneOf(fields, 'require_approval', ['always', 'never']) === 'never' ? 'all' : 'none';
  const inner = fieldsOf(value, pathTo(fields.path, 'require_approval'), { known: ['always', 'never'] });
  filterIn(inner, 'always');
  return filterIn(inner, 'never') ?? 'none';
}

interface Shown {
  readonly allowed_tools?: unknown;
  readonly require_approval?: unknown;
}

const shownServer = (
  { allowed_tools = null, require_approval = 'always' }: Shown,
  { label, description }: AskedServer,
): object => ({
  type: 'mcp',
  server_label: label,
  server_description: description ?? null,
  allowed_tools,
  require_approval: require_approval ?? 'always',
});

/** Which tool is to be called: undefined: what the model likes. @throws Problem naming what is wrong */
export function choiceOf(fields: Fields, { functions, servers }: AskedTools): ToolChoice | undefined {
  const value = fields.values['tool_choice'];
  if (value === undefined) return undefined;
  if (typeof value === 'string') {
    const choice = oneOf(fields, 'tool_choice', ['auto', 'none', 'required']);
    return choice === 'auto' ? undefined : choice;
  }
  const path = pathTo(fields.path, 'tool_choice');
  const { type } = (value ?? {}) as { readonly type?: unknown };
  if (type === 'function') {
    const name = requiredText(fieldsOf(value, path, { known: ['type', 'name'] }), 'name', NAME);
    if (functions.some((tool) => tool.name === name)) return { name };
    throw refused('invalid_value', `${path}.name`, `${path}.name: is none of the tools`);
  }
  if (type === 'mcp') {
    const inner = fieldsOf(value, path, { known: ['type', 'server_label', 'name'] });
    const server = requiredText(inner, 'server_label', NAME);
    const name = requiredText(inner, 'name', NAME);
    const found = servers.find(({ label }) => label === server);
    if (found === undefined)
      throw refused('invalid_value', `${path}.server_label`, `${path}.server_label: is none of the servers`);
    // What else the server has is known when it is asked.
    if (found.policy.offered?.tools?.includes(name) === false)
      throw refused('invalid_value', `${path}.name`, `${path}.name: is none of the allowed tools`);
    return { name, server };
  }
  return unsupportedTool(value, path);
}
