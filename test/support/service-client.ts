import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { type Socket, connect } from 'node:net';
import { requireDescribed } from './api-contract.js';
import { SseStream } from './sse-stream.js';

export * from './sse-stream.js';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body, parsed; its shape is what the caller says. */
  json<T = Record<string, unknown>>(): T;
}

export interface CallOptions {
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly signal?: AbortSignal;
}

export type RunBody = Readonly<Record<string, unknown>> & { readonly message: string };

export interface RunOptions {
  readonly session?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Ended {
  readonly session: string;
  readonly run_id: string;
  readonly status: string;
  readonly response: string;
  readonly messages: readonly Message[];
  readonly cost: string;
  readonly task_ids: readonly string[];
  readonly warnings: readonly object[];
  readonly error?: { readonly code: string; readonly message: string; readonly retryable: boolean };
}

export interface Message {
  readonly type: string;
  readonly content: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** A caller with a key; every answer must be what `/openapi.json` says. Each call has a connection of its own, so that none is of an earlier process. */
export class ServiceClient {
  constructor(
    private readonly originOf: () => string,
    private readonly key: string,
  ) {}

  /** The same service with another key. */
  with(key: string): ServiceClient {
    return new ServiceClient(this.originOf, key);
  }

  get(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('GET', path, options);
  }

  post(path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.call('POST', path, { ...options, ...(body === undefined ? {} : { body }) });
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const response = await this.open(method, path, options);
    response.setEncoding('utf8');
    let text = '';
    for await (const part of response) text += part as string;
    const { statusCode: status = 0, headers } = response;
    requireDescribed({ method, path, status, headers, text });
    return { status, headers, text, json: <T>() => JSON.parse(text) as T };
  }

  /** An answer that is read event by event. */
  async stream(method: string, path: string, options: CallOptions = {}): Promise<SseStream> {
    const response = await this.open(method, path, options);
    requireDescribed({ method, path, status: response.statusCode ?? 0, headers: response.headers });
    return new SseStream(response);
  }

  /** Starts a run and follows it. */
  run(body: RunBody | string, { session, headers }: RunOptions = {}): Promise<SseStream> {
    const sent = typeof body === 'string' ? { message: body } : body;
    return this.stream('POST', pathOf(session), { body: sent, ...(headers ? { headers } : {}) });
  }

  /** Starts a run, and answers when it has ended. */
  async runToEnd(body: RunBody | string, { session, headers }: RunOptions = {}): Promise<Ended> {
    const sent = typeof body === 'string' ? { message: body } : body;
    const accept = { accept: 'application/json', ...headers };
    const answer = await this.post(pathOf(session), sent, { headers: accept });
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
    return answer.json<Ended>();
  }

  /** The events of a run or a session (`/runs/…`, `/sessions/…`), from after `after` on. */
  follow(path: string, after?: number): Promise<SseStream> {
    const headers = after === undefined ? {} : { 'last-event-id': String(after) };
    return this.stream('GET', `${path}/events`, { headers });
  }

  async history(session: string): Promise<readonly Message[]> {
    const answer = await this.post(`/get-messages?session=${session}`);
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
    return answer.json<Message[]>();
  }

  /** All the items of a list, page by page. */
  async all<T>(path: string, limit = 200): Promise<T[]> {
    const items: T[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const mark: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const answer = await this.get(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${mark}`);
      if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
      const page: Page<T> = answer.json<Page<T>>();
      items.push(...page.items);
      cursor = page.next_cursor;
    }
    return items;
  }

  /** A connection on which the caller says every byte. */
  socket(): Socket {
    const { hostname, port } = new URL(this.originOf());
    return connect(Number(port), hostname);
  }

  /** The head of a request as it goes over the wire, with the key, without the empty line behind it. */
  head(method: string, path: string, ...lines: readonly string[]): string {
    return [
      `${method} ${path} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${this.key}`,
      ...lines,
    ].join('\r\n');
  }

  private open(
    method: string,
    path: string,
    { body, headers, signal }: CallOptions,
  ): Promise<IncomingMessage> {
    const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.originOf()}${path}`,
        {
          method,
          agent: false,
          headers: {
            ...(this.key === '' ? {} : { authorization: `Bearer ${this.key}` }),
            ...(text === null
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
            ...headers,
          },
          ...(signal === undefined ? {} : { signal }),
        },
        resolve,
      );
      sent.on('error', reject);
      sent.end(text ?? undefined);
    });
  }
}

const pathOf = (session: string | undefined): string =>
  session === undefined ? '/' : `/?session=${session}`;
