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
