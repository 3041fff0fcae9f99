import { randomUUID } from 'node:crypto';
import {
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
  createServer,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type Tool as ToolDescription,
} from '@modelcontextprotocol/sdk/types.js';
import { EventsInMemory } from './events-in-memory.js';
import { ModernHandler } from './modern-handler.js';

export interface FixtureCall {
  readonly args: Readonly<Record<string, unknown>>;
  /** Aborted when the client cancels the call. */
  readonly signal: AbortSignal;
  readonly response: ServerResponse;
  /** Ends the stream that should bring the result, and keeps the call going (for clients that can resume). */
  readonly endStream: () => void;
  readonly progress: (done: number) => Promise<void>;
}

export type FixtureTool = Partial<Omit<ToolDescription, 'name'>> & {
  readonly name: string;
  readonly run?: (call: FixtureCall) => Promise<CallToolResult> | CallToolResult;
};

export interface FixtureOptions {
  readonly tools: readonly FixtureTool[];
  readonly wire?: 'streamable' | 'sse' | 'modern';
  /** What must be in `Authorization: Bearer`; others get 401. */
  readonly token?: string;
  readonly pageSize?: number;
  /** Answers by plain JSON instead of a stream. */
  readonly json?: boolean;
  /** Without sessions. */
  readonly stateless?: boolean;
  readonly listChanged?: boolean;
  /** Keeps events, so that a broken stream can be resumed. */
  readonly resumable?: boolean;
  /** Looks at each request first; true: it has dealt with it. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse, body: string) => boolean;
}

/** A real MCP server, made of the SDK, that keeps a ledger of what reaches it and does what the test says. */
export class McpFixture {
  /** `tool {"args":…}`, in the order of arrival. */
  readonly calls: string[] = [];
  /** The tools whose calls were cancelled. */
  readonly cancelled: string[] = [];
  /** `POST initialize`, `GET`, `DELETE` … as they came. */
  readonly requests: string[] = [];
  /** Of the newest request of each. */
  readonly headers: Record<string, IncomingMessage['headers']> = {};
  intercept: FixtureOptions['intercept'];
  private readonly sessions = new Map<string, StreamableHTTPServerTransport | SSEServerTransport>();
  private readonly servers = new Set<Server>();
  private readonly watchers = new Set<() => void>();
  private tools: readonly FixtureTool[];
  private port = 0;
  private modern: ModernHandler | undefined;

  private constructor(
    private readonly options: FixtureOptions,
    private readonly http: HttpServer,
  ) {
    this.tools = options.tools;
    this.intercept = options.intercept;
  }

  static async start(options: FixtureOptions): Promise<McpFixture> {
    const http = createServer();
    const fixture = new McpFixture(options, http);
    http.on('request', (request: IncomingMessage, response: ServerResponse) => {
      fixture.serve(request, response).catch((error: unknown) => {
        if (!response.headersSent) response.writeHead(500);
        response.end(String(error));
      });
    });
    await fixture.listen();
    return fixture;
  }

  /** Also again, at the same address, after `close`. */
  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.http.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.http.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/${this.options.wire === 'sse' ? 'sse' : 'mcp'}`;
  }

  get openSessions(): number {
    return this.sessions.size;
  }

  connections(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.http.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  }

  /** Other tools from now on; clients hear of it. */
  async setTools(tools: readonly FixtureTool[]): Promise<void> {
    this.tools = tools;
    this.modern?.toolsChanged();
    await Promise.all([...this.servers].map((server) => server.sendToolListChanged().catch(() => undefined)));
  }

  /** Every connection is cut. */
  cut(): void {
    this.http.closeAllConnections();
  }

  /** As after a restart: it knows none of its sessions any more. */
  forgetSessions(): void {
    this.sessions.clear();
  }

  /** Resolves when `isTrue`, which is looked at whenever something reaches the server. */
  async until(isTrue: () => boolean): Promise<void> {
    const until = Date.now() + 30_000;
    while (!isTrue()) {
      if (Date.now() > until) throw new Error(`waited in vain; requests: ${this.requests.join(', ')}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 200);
        this.watchers.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  async close(): Promise<void> {
    this.http.closeAllConnections();
    await new Promise<void>((resolve) => this.http.close(() => resolve()));
  }

  private note(list: string[], entry: string): void {
    list.push(entry);
    for (const wake of this.watchers) wake();
    this.watchers.clear();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const message = body === '' ? undefined : (JSON.parse(body) as { method?: string });
    const entry = message?.method ? `${request.method} ${message.method}` : String(request.method);
    this.headers[entry] = request.headers;
    this.note(this.requests, entry);
    if (this.intercept?.(request, response, body)) return;
    const { token } = this.options;
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ error: `no access with ${request.headers.authorization} at ${this.url}` }),
      );
      return;
    }
    if (this.options.wire === 'modern') return this.serveModern(request, response, body);
    if (this.options.wire === 'sse') return this.serveSse(request, response, message);
    await this.serveStreamable(request, response, message);
  }

  private async serveModern(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const { pageSize, listChanged = false, json = false } = this.options;
    this.modern ??= new ModernHandler({
      tools: () => this.described(),
      call: ({ name, ...call }) => this.call(name, { ...call, endStream: () => undefined }),
      pageSize,
      listChanged,
      responseMode: json ? 'json' : 'auto',
    });
    await this.modern.serve(request, response, body);
  }

  private described(): ToolDescription[] {
    return this.tools.map(({ run: _run, ...described }) => ({
      inputSchema: { type: 'object' as const },
      ...described,
    }));
  }

  private async call(name: string, call: FixtureCall): Promise<CallToolResult> {
    call.signal.addEventListener('abort', () => this.note(this.cancelled, name));
    this.note(this.calls, `${name} ${JSON.stringify(call.args)}`);
    const tool = this.tools.find((t) => t.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    return tool.run?.(call) ?? text(`${name} did ${JSON.stringify(call.args)}`);
  }

  private async serveSse(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    if (request.method === 'GET' && url.pathname === '/sse') {
      const transport = new SSEServerTransport('/messages', response);
      this.sessions.set(transport.sessionId, transport);
      Object.assign(transport, { onclose: () => this.sessions.delete(transport.sessionId) });
      await this.newServer(() => response).connect(transport);
      return;
    }
    const transport = this.sessions.get(url.searchParams.get('sessionId') ?? '');
    if (request.method !== 'POST' || url.pathname !== '/messages') response.writeHead(405).end();
    else if (transport instanceof SSEServerTransport)
      await transport.handlePostMessage(request, response, body);
    else response.writeHead(404).end('no such session');
  }

  private async serveStreamable(
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
  ): Promise<void> {
    const id = request.headers['mcp-session-id'];
    let transport = typeof id === 'string' ? this.sessions.get(id) : undefined;
    if (id !== undefined && transport === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' }, id: null }),
      );
      return;
    }
    transport ??= await this.newTransport(response);
    if (transport instanceof SSEServerTransport) throw new Error('mixed');
    this.responses.set(transport, response);
    await transport.handleRequest(request, response, body);
  }

  private readonly responses = new WeakMap<object, ServerResponse>();

  private async newTransport(response: ServerResponse): Promise<StreamableHTTPServerTransport> {
    const { json = false, stateless = false, resumable = false } = this.options;
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      ...(stateless ? { sessionIdGenerator: undefined } : { sessionIdGenerator: () => randomUUID() }),
      enableJsonResponse: json,
      onsessioninitialized: (id) => void this.sessions.set(id, transport),
      onsessionclosed: (id) => void this.sessions.delete(id),
      ...(resumable ? { eventStore: new EventsInMemory(), retryInterval: 10 } : {}),
    } as ConstructorParameters<typeof StreamableHTTPServerTransport>[0]);
    const server = this.newServer(() => this.responses.get(transport) ?? response);
    await server.connect(transport);
    return transport;
  }

  private newServer(response: () => ServerResponse): Server {
    const { pageSize, listChanged = false } = this.options;
    const server = new Server(
      { name: 'fixture', version: '1' },
      { capabilities: { tools: listChanged ? { listChanged } : {} } },
    );
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
      const from = Number(params?.cursor ?? 0);
      const to = from + (pageSize ?? this.tools.length);
      const tools = this.described().slice(from, to);
      return to < this.tools.length ? { tools, nextCursor: String(to) } : { tools };
    });
    server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
      this.call(params.name, {
        args: params.arguments ?? {},
        signal: extra.signal,
        response: response(),
        endStream: () => extra.closeSSEStream?.(),
        progress: async (progress) => {
          const progressToken = extra._meta?.progressToken;
          if (progressToken === undefined) return;
          await extra.sendNotification({
            method: 'notifications/progress',
            params: { progressToken, progress },
          });
        },
      }),
    );
    Object.assign(server, { onclose: () => this.servers.delete(server) });
    this.servers.add(server);
    return server;
  }
}

export const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] });
