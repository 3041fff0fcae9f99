import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { readEvents } from './event-stream.js';
import type { HttpExchange } from '#http';
import type { McpLimits } from './limits.js';
import { McpFailure } from './mcp-failure.js';
import type { McpHttp } from './mcp-http.js';
import { CLOSED, type McpTransport } from './mcp-transport.js';
import {
  isAnswerTo,
  isCall,
  isRecord,
  isRequest,
  otherAnswer,
  parseMessages,
  readMessage,
} from './rpc-message.js';

/**
 * MCP over HTTP with SSE (specification 2024-11-05): one stream brings all the answers, and is the session. When it ends,
 * everything that waits fails, and whatever is sent later finds no session.
 * Owns the stream and the requests that wait.
 */
export class LegacySseTransport implements McpTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private endpoint: URL | null = null;
  private version: string | null = null;
  private isBroken = false;
  private readonly closing = new AbortController();
  /** Ids of all requests: answers to those that are not waited for any longer may still come. */
  private readonly asked = new Set<string>();
  private readonly waiting = new Map<string, PromiseWithResolvers<void>>();
  private readonly notices = new Set<Promise<void>>();

  constructor(
    private readonly http: McpHttp,
    private readonly limits: McpLimits,
  ) {}

  /** Resolves when the server has said where to send messages. @throws McpFailure */
  async start(): Promise<void> {
    const headers = { accept: 'text/event-stream' };
    const answer = await this.http.send({ url: this.http.url, method: 'GET', headers }, this.closing.signal);
    if (answer.status >= 300) throw await this.http.refusalOf(answer);
    if (!/^text\/event-stream\b/i.test(answer.header('content-type'))) {
      answer.release();
      throw new McpFailure('nonsense', 'gave an answer that is not a stream of events');
    }
    const ready = Promise.withResolvers<void>();
    this.read(answer, ready).catch((error: unknown) => this.onerror?.(error as Error));
    await ready.promise;
  }

  setProtocolVersion(version: string): void {
    this.version = version;
  }

  /** Of a request, resolves when its answer was handed on. @throws McpFailure */
  async send(message: JSONRPCMessage): Promise<void> {
    if (isRequest(message)) return this.request(message);
    const sent = this.post(message).finally(() => this.forget(message));
    this.notices.add(sent);
    try {
      await sent;
    } finally {
      this.notices.delete(sent);
    }
  }

  listen(): void {
    // There is but one stream, and it is open.
  }

  async farewell(): Promise<void> {
    await Promise.allSettled(this.notices);
  }

  close(): Promise<void> {
    if (!this.closing.signal.aborted) {
      this.closing.abort(CLOSED);
      this.onclose?.();
    }
    return Promise.resolve();
  }

  private async request(message: JSONRPCMessage & { id: RequestId }): Promise<void> {
    const id = String(message.id);
    this.asked.add(id);
    const answered = Promise.withResolvers<void>();
    this.waiting.set(id, answered);
    try {
      // The answer may be here before the server has taken leave of the POST, or instead of that.
      const posted = this.post(message).then(() => answered.promise);
      await Promise.race([posted, answered.promise]);
    } finally {
      this.waiting.delete(id);
    }
  }

  private forget(message: JSONRPCMessage): void {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return;
    const { requestId } = message.params as { requestId: RequestId };
    this.waiting.get(String(requestId))?.reject(new McpFailure('lost', 'is not waited for any longer'));
  }

  private async post(message: JSONRPCMessage): Promise<void> {
    if (this.isBroken || this.endpoint === null) throw new McpFailure('session', 'has ended the session');
    const headers = {
      'content-type': 'application/json',
      ...(this.version === null ? {} : { 'mcp-protocol-version': this.version }),
    };
    const request = { url: this.endpoint, method: 'POST', headers, body: JSON.stringify(message) } as const;
    const answer = await this.http.send(request, this.closing.signal);
    if (answer.status < 300) return answer.release();
    const refusal = await this.http.refusalOf(answer);
    const isGone = refusal.status === 404 || (refusal.status === 400 && /session/i.test(refusal.message));
    throw isGone ? new McpFailure('session', 'has ended the session', refusal.status) : refusal;
  }

  private async read(answer: HttpExchange, ready: PromiseWithResolvers<void>): Promise<void> {
    let reason = new McpFailure('lost', 'closed its stream of events');
    try {
      await readEvents(answer, {}, this.limits.maxMessageBytes, ({ event, data }) => {
        if (event === 'endpoint') this.meet(data, ready);
        else if (event === undefined || event === 'message') this.deliver(data);
        return false;
      });
    } catch (error) {
      if (error instanceof McpFailure) reason = error;
      throw error;
    } finally {
      this.isBroken = true;
      answer.abort(reason);
      ready.reject(reason);
      for (const { reject } of this.waiting.values()) reject(reason);
    }
  }

  private meet(data: string, ready: PromiseWithResolvers<void>): void {
    const endpoint = URL.canParse(data, this.http.url.href) ? new URL(data, this.http.url) : null;
    // Credentials and the egress verdict hold for this origin only.
    if (endpoint === null || endpoint.origin !== this.http.url.origin) {
      throw new McpFailure('nonsense', 'wants its messages at another place, which is not followed');
    }
    this.endpoint = endpoint;
    ready.resolve();
  }

  private deliver(data: string): void {
    let values: readonly unknown[] = [];
    try {
      values = parseMessages(data);
    } catch (error) {
      this.failAll(error);
    }
    for (const value of values) {
      if (!this.isOurs(value)) this.failAll(otherAnswer(value));
      const id = [...this.waiting.keys()].find((waiting) => isAnswerTo(value, waiting));
      const answered = id === undefined ? undefined : this.waiting.get(id);
      const message = readMessage(value);
      if (message) this.onmessage?.(message);
      if (message) answered?.resolve();
      else answered?.reject(new McpFailure('nonsense', 'gave an answer that is no message of MCP'));
    }
  }

  private isOurs(value: unknown): boolean {
    return isCall(value) || (isRecord(value) && this.asked.has(String(value['id'])));
  }

  /** Whose answer it was cannot be known. */
  private failAll(error: unknown): void {
    for (const { reject } of this.waiting.values()) reject(error);
  }
}
