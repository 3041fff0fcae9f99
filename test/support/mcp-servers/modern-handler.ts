import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type CallToolResult,
  type McpHttpHandler,
  type PerRequestResponseMode,
  Server,
  type Tool,
  createMcpHandler,
} from '@modelcontextprotocol/server';

export interface ModernCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Aborted when the client closes the connection of the call. */
  readonly signal: AbortSignal;
  readonly response: ServerResponse;
  readonly progress: (done: number) => Promise<void>;
}

export interface ModernHandlerOptions {
  /** Descriptions, as `tools/list` gives them. */
  readonly tools: () => readonly object[];
  readonly call: (call: ModernCall) => Promise<CallToolResult>;
  readonly pageSize?: number | undefined;
  readonly listChanged?: boolean;
  readonly responseMode?: PerRequestResponseMode;
}

/** A server of revision 2026-07-28 (and no other), made of the SDK's second generation, for node's HTTP server. */
export class ModernHandler {
  private readonly handler: McpHttpHandler;
  private readonly responses = new WeakMap<Request, ServerResponse>();

  constructor(private readonly options: ModernHandlerOptions) {
    const { responseMode = 'auto' } = options;
    this.handler = createMcpHandler(({ requestInfo }) => this.newServer(requestInfo), {
      legacy: 'reject',
      responseMode,
    });
  }

  async serve(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => response.writableFinished || gone.abort(new Error('closed')));
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
    const { method = 'POST', url = '/' } = request;
    const asked = new Request(new URL(url, `http://${request.headers.host}`), {
      method,
      headers,
      signal: gone.signal,
      ...(method === 'POST' ? { body } : {}),
    });
    this.responses.set(asked, response);
    const answer = await this.handler.fetch(asked);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.flushHeaders();
    try {
      for await (const part of answer.body ?? []) response.write(part);
      response.end();
    } catch {
      response.destroy();
    }
  }

  toolsChanged(): void {
    this.handler.notify.toolsChanged();
  }

  close(): Promise<void> {
    return this.handler.close();
  }

  private newServer(request: Request | undefined): Server {
    const { listChanged = false, pageSize, call } = this.options;
    const server = new Server(
      { name: 'fixture', version: '2' },
      { capabilities: { tools: listChanged ? { listChanged } : {} } },
    );
    server.setRequestHandler('tools/list', ({ params }) => {
      const tools = this.options.tools() as Tool[];
      const from = Number(params?.cursor ?? 0);
      const to = from + (pageSize ?? tools.length);
      const page = tools.slice(from, to);
      return to < tools.length ? { tools: page, nextCursor: String(to) } : { tools: page };
    });
    server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
      const response = request && this.responses.get(request);
      if (response === undefined) throw new Error('no response');
      return call({
        name: params.name,
        args: params.arguments ?? {},
        signal: mcpReq.signal,
        response,
        progress: async (progress) => {
          const progressToken = mcpReq._meta?.progressToken;
          if (progressToken === undefined) return;
          await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } });
        },
      });
    });
    return server;
  }
}
