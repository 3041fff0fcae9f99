import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { Backoff, type Clock } from '#platform';
import { type HttpExchange } from '#http';
import { type StreamPlace, readEvents } from './event-stream.js';
import type { McpLimits } from './limits.js';
import { McpFailure, lost } from './mcp-failure.js';
import type { McpHttp } from './mcp-http.js';
import { CLOSED, type McpTransport } from './mcp-transport.js';
import { isAnswerTo, isCall, isRequest, otherAnswer, parseMessages, readMessage } from './rpc-message.js';

const resumeTries = 3;
const resumePauses = { firstMs: 500, longestMs: 5_000 };
const listenTries = 5;
const listenPauses = { firstMs: 500, longestMs: 8_000 };
/** A stream that lasted so long has worked. */
const steadyMs = 5_000;

/**
 * MCP over Streamable HTTP (specification 2025-11-25, "Transports"). The SDK's own transport leaves a request waiting for
 * its time-out when the stream that should answer it breaks, keeps a stream open that nobody needs, and drops a
 * cancellation when it is closed; this one does not.
 * Owns the session's id and the exchanges under way.
 */
export class StreamableHttpTransport implements McpTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  sessionId?: string;
  private version: string | null = null;
  private readonly closing = new AbortController();
  /** One for each request that waits for its answer. */
  private readonly requests = new Map<RequestId, AbortController>();
  private readonly notices = new Set<Promise<void>>();

  constructor(
    private readonly http: McpHttp,
    private readonly clock: Clock,
    private readonly limits: McpLimits,
  ) {}

  start(): Promise<void> {
    return Promise.resolve();
  }

  setProtocolVersion(version: string): void {
    this.version = version;
  }

  /** Of a request, resolves when its answer was handed on. @throws McpFailure */
  async send(message: JSONRPCMessage): Promise<void> {
    if (isRequest(message)) return this.request(message);
    const sent = this.notify(message);
    this.notices.add(sent);
    try {
      await sent;
    } finally {
      this.notices.delete(sent);
    }
  }

  listen(): void {
    this.listenOn().catch((error: unknown) => this.onerror?.(error as Error));
  }

  async farewell(signal: AbortSignal): Promise<void> {
    await Promise.allSettled(this.notices);
    if (this.sessionId === undefined || signal.aborted) return;
    const request = { url: this.http.url, method: 'DELETE', headers: this.headers() } as const;
    (await this.http.send(request, signal)).release();
  }

  close(): Promise<void> {
    if (!this.closing.signal.aborted) {
      this.closing.abort(CLOSED);
      this.onclose?.();
    }
    return Promise.resolve();
  }

  private async request(message: JSONRPCMessage & { id: RequestId }): Promise<void> {
    const stop = new AbortController();
    this.requests.set(message.id, stop);
    const signal = AbortSignal.any([stop.signal, this.closing.signal]);
    try {
      await this.answered(message, signal);
    } finally {
      this.requests.delete(message.id);
    }
  }

  private async answered(message: JSONRPCMessage & { id: RequestId }, signal: AbortSignal): Promise<void> {
    const answer = await this.post(message, signal);
    try {
      const session = answer.header('mcp-session-id');
      if (session !== '') this.sessionId = session;
      const type = answer.header('content-type');
      if (/^application\/json\b/i.test(type)) return await this.readJson(answer, message.id);
      if (/^text\/event-stream\b/i.test(type)) return await this.readStream(answer, message.id, signal);
      throw new McpFailure('nonsense', 'gave an answer that is neither JSON nor a stream of events');
    } finally {
      answer.release();
    }
  }

  private async readJson(answer: HttpExchange, id: RequestId): Promise<void> {
    let isAnswered = false;
    for (const value of parseMessages(await answer.text(this.limits.maxMessageBytes)))
      isAnswered = this.deliver(value, id) || isAnswered;
    if (!isAnswered) throw otherAnswer(undefined);
  }

  /** A stream that ends before the answer is taken up where it broke, if the server can do that. */
  private async readStream(first: HttpExchange, id: RequestId, signal: AbortSignal): Promise<void> {
    const place: StreamPlace = {};
    let answer: HttpExchange | undefined = first;
    const backoff = new Backoff(this.clock, resumePauses);
    for (;;) {
      if (answer !== undefined && (await this.readUntil(answer, place, id))) return;
      if (signal.aborted || place.lastId === undefined || backoff.count === resumeTries) throw lost();
      await backoff.wait(signal, (ms) => Math.min(place.retryMs ?? ms, this.limits.idleMs));
      if (signal.aborted) throw lost();
      answer = await this.openStream(place, signal).catch(() => undefined);
      if (answer !== undefined) backoff.reset();
    }
  }

  /** Whether the answer came; false when the stream broke before. */
  private async readUntil(answer: HttpExchange, place: StreamPlace, id: RequestId | null): Promise<boolean> {
    let isAnswered = false;
    try {
      await readEvents(answer, place, this.limits.maxMessageBytes, ({ event, data }) => {
        if (data !== '' && (event === undefined || event === 'message')) {
          for (const value of parseMessages(data)) isAnswered = this.deliver(value, id) || isAnswered;
        }
        return isAnswered;
      });
    } catch (error) {
      if (!(error instanceof McpFailure) || error.kind !== 'lost') throw error;
    } finally {
      answer.release();
    }
    return isAnswered;
  }

  /**
   * Hands a message on. Whether it was the answer to `id`.
   * @throws McpFailure where it is a broken one, or the answer to something else: what answers a request brings no other answers
   */
  private deliver(value: unknown, id: RequestId | null): boolean {
    const message = readMessage(value);
    const isAnswer = id !== null && isAnswerTo(value, id);
    if (id !== null && !isAnswer && !isCall(value)) throw otherAnswer(value);
    if (message === undefined) {
      if (isAnswer) throw new McpFailure('nonsense', 'gave an answer that is no message of MCP');
      return false;
    }
    this.onmessage?.(message);
    return isAnswer;
  }

  private async notify(message: JSONRPCMessage): Promise<void> {
    try {
      (await this.post(message, this.closing.signal)).release();
    } finally {
      // The server knows that the answer is not wanted; its stream may stay open for ever.
      if ('method' in message && message.method === 'notifications/cancelled') {
        const { requestId } = message.params as { requestId: RequestId };
        this.requests.get(requestId)?.abort(CLOSED);
      }
    }
  }

  private async post(message: JSONRPCMessage, signal: AbortSignal): Promise<HttpExchange> {
    const headers = {
      ...this.headers(),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const body = JSON.stringify(message);
    const answer = await this.http.send({ url: this.http.url, method: 'POST', headers, body }, signal);
    if (answer.status < 300) return answer;
    throw this.sessionFailure(await this.http.refusalOf(answer));
  }

  /** Servers say 404 of a session that they do not know, as they should; many examples are copied that say 400. */
  private sessionFailure(refusal: McpFailure): McpFailure {
    if (this.sessionId === undefined) return refusal;
    const isGone =
      refusal.status === 404 || (refusal.status === 400 && /session|not initialized/i.test(refusal.message));
    return isGone ? new McpFailure('session', 'has ended the session', refusal.status) : refusal;
  }

  private async openStream(place: StreamPlace, signal: AbortSignal): Promise<HttpExchange> {
    const headers: Record<string, string> = { ...this.headers(), accept: 'text/event-stream' };
    if (place.lastId !== undefined) headers['last-event-id'] = place.lastId;
    const answer = await this.http.send({ url: this.http.url, method: 'GET', headers }, signal);
    if (answer.status < 300 && /^text\/event-stream\b/i.test(answer.header('content-type'))) return answer;
    answer.release();
    throw new McpFailure('refused', 'has no stream of events', answer.status);
  }

  /** What the server says unasked, for as long as it lets us listen. */
  private async listenOn(): Promise<void> {
    const { signal } = this.closing;
    const place: StreamPlace = {};
    const backoff = new Backoff(this.clock, listenPauses);
    while (backoff.count < listenTries && !signal.aborted) {
      const answer = await this.openStream(place, signal).catch((error: McpFailure) => error);
      if (!(answer instanceof McpFailure)) {
        const since = this.clock.now();
        await this.readUntil(answer, place, null);
        if (this.clock.now() - since > steadyMs) backoff.reset();
      } else if (answer.status !== undefined) return;
      await backoff.wait(signal, (ms) => Math.max(place.retryMs ?? 0, ms));
    }
  }

  private headers(): Record<string, string> {
    return {
      ...(this.sessionId === undefined ? {} : { 'mcp-session-id': this.sessionId }),
      ...(this.version === null ? {} : { 'mcp-protocol-version': this.version }),
    };
  }
}
