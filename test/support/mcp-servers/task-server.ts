import { once } from 'node:events';
import { type IncomingMessage, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const VERSION = '2026-07-28';

interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: CallParams;
}

export interface CallParams {
  readonly name?: string;
  readonly taskId?: string;
  readonly arguments?: object;
  readonly inputResponses?: object;
  readonly requestState?: string;
}

/** How a server answers a request for a task: a result, an error, or nothing before the connection ends. */
export type TaskAnswer = { readonly result: object } | { readonly error: object } | 'cut';

/** A server of revision 2026-07-28, by hand, that makes a task of every call of its one tool, `dig`. */
export class TaskServer {
  /** What came with each call, in their order. */
  readonly calls: CallParams[] = [];
  /** What came with each `tasks/update`. */
  readonly updates: CallParams[] = [];
  /** Methods of `tasks/*` with the task's id. */
  readonly asked: string[] = [];
  /** What it says of a task; by default that it goes on. */
  answerOf: (taskId: string, asked: number) => TaskAnswer = () => WORKING;
  /** What it says to a call; by default it makes a task of it. */
  answerCall: ((params: CallParams, calls: number) => TaskAnswer) | null = null;
  pollIntervalMs: number | undefined = 10;
  ttlMs: number | null = null;
  /** What it says of its tool, e.g. that twice is the same as once. */
  annotations: object = {};
  /** What it says that its tool takes. */
  schema: object = { type: 'object' };
  /** What its tools are called. */
  tools: readonly string[] = ['dig'];
  private port = 0;
  private readonly http: Server;

  private constructor() {
    this.http = createServer((request, response) => {
      void bodyOf(request).then((body) => {
        const message = JSON.parse(body) as Asked;
        const answer = this.answer(message);
        if (answer === 'cut') return void response.destroy();
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
      });
    });
  }

  static async start(): Promise<TaskServer> {
    const server = new TaskServer();
    server.http.listen(0, '127.0.0.1');
    await once(server.http, 'listening');
    return server;
  }

  get url(): string {
    const address = this.http.address() as AddressInfo | null;
    return `http://127.0.0.1:${address?.port ?? this.port}/mcp`;
  }

  get entry(): { readonly serverName: string; readonly serverUrl: string } {
    return this.entryAs('quarry');
  }

  entryAs(serverName: string): { readonly serverName: string; readonly serverUrl: string } {
    return { serverName, serverUrl: this.url };
  }

  /** Nobody can connect to it until it is back. */
  async leave(): Promise<void> {
    this.port = (this.http.address() as AddressInfo).port;
    await this.close();
  }

  async comeBack(): Promise<void> {
    this.http.listen(this.port, '127.0.0.1');
    await once(this.http, 'listening');
  }

  async close(): Promise<void> {
    if (!this.http.listening) return;
    this.http.closeAllConnections();
    this.http.close();
    await once(this.http, 'close');
  }

  private described(name: string): object {
    const { annotations, schema: inputSchema } = this;
    return { name, description: 'takes long', inputSchema, annotations };
  }

  private answer({ method, params }: Asked): TaskAnswer {
    switch (method) {
      case 'server/discover':
        return { result: { supportedVersions: [VERSION], capabilities: { tools: {} }, serverInfo: INFO } };
      case 'tools/list':
        return {
          result: { tools: this.tools.map((name) => this.described(name)) },
        };
      case 'tools/call': {
        this.calls.push(params);
        if (this.answerCall !== null) return this.answerCall(params, this.calls.length);
        const { pollIntervalMs, ttlMs } = this;
        return {
          result: {
            resultType: 'task',
            taskId: `t${this.calls.length}`,
            status: 'working',
            ttlMs,
            pollIntervalMs,
          },
        };
      }
      default: {
        const { taskId = '' } = params;
        this.asked.push(`${method} ${taskId}`);
        if (method === 'tasks/update') this.updates.push(params);
        if (method !== 'tasks/get') return { result: {} };
        return this.answerOf(taskId, this.asked.filter((ask) => ask === `tasks/get ${taskId}`).length);
      }
    }
  }
}

export const WORKING: TaskAnswer = { result: { resultType: 'complete', status: 'working' } };

export const completed = (text: string): TaskAnswer => ({
  result: { resultType: 'complete', status: 'completed', result: { content: [{ type: 'text', text }] } },
});

const INFO = { name: 'quarry', version: '1' };

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of request) body += String(part);
  return body;
}

/** What a server answers that wants a form to be filled in, and an address to be gone to. */
export const wanting = (requests: object, state?: string): TaskAnswer => ({
  result: { resultType: 'input_required', inputRequests: requests, requestState: state },
});

export const FORM = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'How deep?',
    requestedSchema: { type: 'object', properties: { metres: { type: 'number' } }, required: ['metres'] },
  },
};

export const ADDRESS = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Sign here', url: 'https://sign.example/1' },
};

export const said = (text: string): TaskAnswer => ({
  result: { resultType: 'complete', content: [{ type: 'text', text }] },
});
