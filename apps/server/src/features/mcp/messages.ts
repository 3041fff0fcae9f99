import { isObject } from '../../edge/validation/rules.js';

/** The extension of long-running calls (SEP-2663). */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** What is looked at of a posted message; whether it is one at all the SDK decides. */
export interface PostedMessage {
  readonly method: string;
  readonly id: string | number | null;
  readonly params: Readonly<Record<string, unknown>>;
}

export function messageOf(body: unknown): PostedMessage {
  const { method, id, params } = isObject(body) ? body : {};
  return {
    method: typeof method === 'string' ? method : '',
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    params: isObject(params) ? params : {},
  };
}

/**
 * The message as the SDK is given it, which refuses as broken what is answered here: `initialize` without a version that can be
 * read, and calls whose arguments are no object (`McpTools` looks at those that were sent).
 */
export function readable(body: unknown): unknown {
  const { method, params } = messageOf(body);
  const { protocolVersion, arguments: args = {} } = params;
  if (method === 'initialize' && typeof protocolVersion !== 'string')
    return { ...(body as object), params: { ...params, protocolVersion: NEWEST_LEGACY } };
  if (method === 'tools/call' && !isObject(args))
    return { ...(body as object), params: { ...params, arguments: {} } };
  return body;
}

/** Answered to a client of an older revision that names none that is known. */
const NEWEST_LEGACY = '2025-11-25';

/** Whether the client said with this message that it knows Tasks. */
export function knowsTasks({ params }: PostedMessage): boolean {
  const capabilities = at(params['_meta'], CLIENT_CAPABILITIES);
  return at(at(capabilities, 'extensions'), TASKS_EXTENSION) !== undefined;
}

/** Whether a call may be answered long after it came: its answer is a stream, which can be kept alive. */
export function isHeld({ method, params }: PostedMessage): boolean {
  if (method !== 'tools/call') return false;
  if (params['name'] === 'run_agent') return true;
  return params['name'] === 'read_run' && Number(at(params['arguments'], 'wait_s') ?? 0) > 0;
}

const at = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);

/** Names a call of an older client by what stays the same over connections, replicas and restarts. */
export const legacyKeyOf = (session: string, id: string | number): string =>
  `mcp:${session}:${typeof id === 'number' ? id : JSON.stringify(id)}`;

/** `Mcp-Session-Id` as a client sent it back; null: none, or one that is not of our making. */
export function sessionIdOf(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && /^[\x21-\x7e]{1,200}$/.test(header) ? header : null;
}
