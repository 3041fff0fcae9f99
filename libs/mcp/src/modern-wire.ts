import type { HttpExchange } from '#http';
import type { Clock } from '#platform';
import { readEvents } from './event-stream.js';
import { headerValue } from './header-value.js';
import type { McpLimits } from './limits.js';
import { McpFailure, lost } from './mcp-failure.js';
import type { McpHttp } from './mcp-http.js';
import { CLOSED } from './mcp-transport.js';
import type { McpWire, Notice, RequestOptions } from './mcp-wire.js';
import { followToolChanges } from './modern-subscription.js';
import { CLIENT_INFO, MODERN_VERSION } from './protocol-versions.js';
import { isAnswerTo, isRecord, isRequest, parseMessages, readMessage, rpcErrorIn } from './rpc-message.js';

export interface ModernRequestOptions extends RequestOptions {
  readonly onNotice?: (notice: Notice) => void;
  /** Its stream stands open for as long as somebody listens, and brings as much as it brings. */
  readonly isEndless?: true;
}

/**
 * MCP of revision 2026-07-28 over Streamable HTTP: each request is a POST of its own and says itself what the handshake
 * said before. To close its connection is to cancel it. A stream that breaks, an answer to something else and nonsense
 * fail the request at once.
 */
export class ModernWire implements McpWire {
  readonly kind = 'modern';
  mayChangeTools = false;
  private lastId = 0;
  private readonly closing = new AbortController();

  constructor(
    private readonly http: McpHttp,
    private readonly limits: McpLimits,
  ) {}

  async request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: ModernRequestOptions,
  ): Promise<Record<string, unknown>> {
    const id = ++this.lastId;
    const isEndless = options.isEndless === true;
    const headers = { ...options.headers, ...headersOf(method, params) };
    const body = bodyOf(id, method, params, options.onProgress !== undefined);
    const request = { url: this.http.url, method: 'POST', headers, body, isEndless } as const;
    const answer = await this.http.send(request, options.signal);
    try {
      const result = await this.read(answer, id, options);
      answer.release();
      return result;
    } catch (error) {
      // Nothing more of it is wanted, so the server need not go on.
      answer.abort(error as Error);
      throw error;
    }
  }

  /** Starts to hear of changed tools. */
  listen(clock: Clock, onToolsChanged: () => void): void {
    this.mayChangeTools = true;
    const { signal } = this.closing;
    const params = { notifications: { toolsListChanged: true } };
    const subscribe = (onNotice: (notice: Notice) => void) =>
      this.request('subscriptions/listen', params, { signal, onNotice, isEndless: true });
    void followToolChanges(subscribe, clock, signal, onToolsChanged);
  }

  farewell(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.closing.abort(CLOSED);
    return Promise.resolve();
  }

  private async read(
    answer: HttpExchange,
    id: number,
    options: ModernRequestOptions,
  ): Promise<Record<string, unknown>> {
    if (answer.status >= 300) throw await this.http.refusalOf(answer);
    const { maxMessageBytes } = this.limits;
    const type = answer.header('content-type');
    let result: Record<string, unknown> | undefined;
    const take = (text: string): boolean => {
      for (const value of parseMessages(text)) result ??= resultIn(value, id, options);
      return result !== undefined;
    };
    if (/^application\/json\b/i.test(type)) {
      if (!take(await answer.text(maxMessageBytes)) || result === undefined) throw noAnswer();
    } else if (/^text\/event-stream\b/i.test(type)) {
      await readEvents(
        answer,
        {},
        maxMessageBytes,
        ({ event, data }) => data !== '' && (event ?? 'message') === 'message' && take(data),
      );
      if (result === undefined) throw lost();
    } else throw new McpFailure('nonsense', 'gave an answer that is neither JSON nor a stream of events');
    return result;
  }
}

/** The result, if this is the answer; undefined: it is a notification. @throws McpFailure */
function resultIn(
  value: unknown,
  id: number,
  { onProgress, onNotice }: ModernRequestOptions,
): Record<string, unknown> | undefined {
  const message = readMessage(value);
  if (message !== undefined && isRequest(message)) {
    throw new McpFailure('nonsense', `asked for ${message.method} before it answered, which is not offered`);
  }
  if (message !== undefined && 'method' in message) {
    const { method, params } = message;
    if (method === 'notifications/progress' && String(params?.['progressToken']) === String(id))
      onProgress?.();
    onNotice?.(message);
    return undefined;
  }
  // An error that names no request can be about this one only.
  const error = isRecord(value) && (value['id'] ?? null) === null ? rpcErrorIn(value) : undefined;
  if (error !== undefined) throw McpFailure.ofError(error);
  if (message === undefined) throw new McpFailure('nonsense', 'gave an answer that is no message of MCP');
  if (!isAnswerTo(value, id)) throw noAnswer();
  if ('error' in message) throw McpFailure.ofError(message.error);
  return message.result;
}

const noAnswer = (): McpFailure => new McpFailure('nonsense', 'gave an answer to something else');

/** SEP-2663: a server may go on with a call by itself. */
const TASKS = 'io.modelcontextprotocol/tasks';

/** What is said of a request besides its body (specification 2026-07-28, "Request Metadata"). */
function headersOf(method: string, params: Readonly<Record<string, unknown>>): Record<string, string> {
  const name = [params['name'], params['uri'], params['taskId']].find((value) => typeof value === 'string');
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MODERN_VERSION,
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': headerValue(name) }),
  };
}

function bodyOf(
  id: number,
  method: string,
  params: Readonly<Record<string, unknown>>,
  wantsProgress: boolean,
): string {
  const _meta = {
    ...(isRecord(params['_meta']) ? params['_meta'] : {}),
    'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
    'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
    'io.modelcontextprotocol/clientCapabilities': {
      elicitation: { form: {}, url: {} },
      extensions: { [TASKS]: {} },
    },
    ...(wantsProgress ? { progressToken: id } : {}),
  };
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
}
