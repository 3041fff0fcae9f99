import { request } from 'node:http';
import { ADMIN_KEY, type ServiceProcess } from '../service-process.js';

export const MODERN = '2026-07-28';
export const TASKS = 'io.modelcontextprotocol/tasks';

export interface Posted {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The messages that were answered, in their order. */
  readonly messages: readonly Message[];
  /** The last of them. */
  readonly last: Message;
}

export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type Headers = Readonly<Record<string, string | undefined>>;

interface Options {
  /** undefined: that header is left out. */
  readonly headers?: Headers;
  readonly signal?: AbortSignal;
  readonly method?: string;
  /** Told of each piece of the answer as it comes. */
  readonly onPiece?: (text: string) => void;
}

/** POSTs to `/mcp`, as it stands. */
export function post(service: ServiceProcess, body: unknown, options: Options = {}): Promise<Posted> {
  const { headers = {}, signal, method = 'POST', onPiece } = options;
  const wanted = {
    authorization: `Bearer ${ADMIN_KEY}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  };
  const sent = Object.entries(wanted).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${service.origin}/mcp`,
      { method, headers: Object.fromEntries(sent), agent: false, ...(signal ? { signal } : {}) },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
          onPiece?.(piece);
        });
        incoming.once('error', reject).once('end', () => {
          const messages = messagesIn(text, incoming.headers['content-type'] ?? '');
          const { statusCode: status = 0, headers: got } = incoming;
          resolve({ status, headers: got, text, messages, last: messages.at(-1) ?? {} });
        });
      },
    );
    outgoing.once('error', reject);
    outgoing.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
}

function messagesIn(text: string, type: string): Message[] {
  if (type.startsWith('application/json')) return text === '' ? [] : [JSON.parse(text) as Message];
  if (!type.startsWith('text/event-stream')) return [];
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data) as Message);
}

export interface ModernTerms extends Options {
  /** What the client says that it can do. */
  readonly capabilities?: object;
  readonly progressToken?: string | number;
  readonly id?: string | number;
}

/** The headers and the body of a request of the revision 2026-07-28. */
export function modern(method: string, params: object = {}, terms: ModernTerms = {}) {
  const { capabilities = {}, progressToken, id = 1 } = terms;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...(progressToken === undefined ? {} : { progressToken }),
  };
  const { name, taskId } = params as { readonly name?: string; readonly taskId?: string };
  const named = name ?? taskId;
  const headers: Headers = {
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(named === undefined ? {} : { 'mcp-name': named }),
  };
  return { headers, body: { jsonrpc: '2.0', id, method, params: { ...params, _meta } } };
}

/** A request of the revision 2026-07-28, and what was answered. */
export function ask(
  service: ServiceProcess,
  method: string,
  params: object = {},
  terms: ModernTerms = {},
): Promise<Posted> {
  const { headers, body } = modern(method, params, terms);
  return post(service, body, { ...terms, headers: { ...headers, ...terms.headers } });
}

export const call = (
  service: ServiceProcess,
  name: string,
  args: object,
  terms: ModernTerms = {},
): Promise<Posted> => ask(service, 'tools/call', { name, arguments: args }, terms);

export const WITH_TASKS = { extensions: { [TASKS]: {} } };
