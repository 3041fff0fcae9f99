import { Injectable } from '@nestjs/common';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Principal, hasScope } from '#access';
import { Problem } from '#domain';
import { Logger, Random } from '#platform';
import { MCP_PATH } from '../../edge/admission/mcp-door.js';
import { AnswerSender } from './answer-sender.js';
import { Exchange } from './exchange.js';
import { type PostedMessage, isHeld, legacyKeyOf, messageOf, readable, sessionIdOf } from './messages.js';
import { type McpSdk, loadSdk } from './mcp-sdk.js';
import { ProtocolServers } from './protocol-server.js';
import { RunEndings } from './run-endings.js';

/** JSON-RPC errors (https://www.jsonrpc.org/specification, 5.1) of what the SDK is not given. */
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;

const NO_MESSAGE = new Problem('invalid_request', 'the body is empty: send one message as JSON');

/** Of the name that an older client gets: it is told to nobody else. */
const SESSION_BYTES = 24;

/** The base of what the SDK takes for the address of a message; it looks at nothing of it. */
const NO_HOST = 'http://localhost';

/** What may take long is answered by a stream from the start, everything else by one object. */
interface Handlers {
  readonly streaming: McpHttpHandler;
  readonly plain: McpHttpHandler;
}

/**
 * `/mcp`: hands each message to the SDK, and its answer to the client. Owns which exchange a message belongs to while it is
 * answered; nothing is kept between two.
 */
@Injectable()
export class McpEndpoint {
  private readonly exchanges = new WeakMap<Request, Exchange>();
  private handlers: Handlers | null = null;

  constructor(
    private readonly servers: ProtocolServers,
    private readonly endings: RunEndings,
    private readonly sender: AnswerSender,
    private readonly random: Random,
    private readonly logger: Logger,
  ) {}

  /** @throws Problem */
  async answer(caller: Principal, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { body } = request;
    if (body === undefined) throw NO_MESSAGE;
    if (Array.isArray(body)) return refuse(reply, 400, INVALID_REQUEST, 'batches are not taken');
    const message = messageOf(body);
    // The SDK would open a stream on which nothing ever comes.
    if (message.method === 'subscriptions/listen')
      return refuse(reply, 404, METHOD_NOT_FOUND, 'Method not found', message.id);
    const exchange = new Exchange(request, caller);
    this.sender.watch(exchange, reply);
    try {
      await this.noteCancellation(message, exchange);
      const sdk = await loadSdk();
      this.handlers ??= { streaming: this.handlerOf('sse', sdk), plain: this.handlerOf('auto', sdk) };
      const handler = isHeld(message) ? this.handlers.streaming : this.handlers.plain;
      const response = await handler.fetch(this.posted(exchange), { parsedBody: readable(body) });
      // It names the client, so that its calls can be repeated and cancelled by what it said before.
      if (message.method === 'initialize' && response.ok)
        reply.header('mcp-session-id', this.random.hex(SESSION_BYTES));
      await this.sender.send(response, exchange, reply);
    } finally {
      exchange.end();
    }
  }

  /** An older client says in a message of its own that it does not wait any more. */
  private async noteCancellation({ method, params }: PostedMessage, exchange: Exchange): Promise<void> {
    const session = sessionIdOf(exchange.request.headers['mcp-session-id']);
    const { requestId } = params;
    if (method !== 'notifications/cancelled' || session === null || !hasScope(exchange.caller, 'run')) return;
    if (typeof requestId === 'string' || typeof requestId === 'number')
      await this.endings.cancelOf(legacyKeyOf(session, requestId), exchange);
  }

  private posted(exchange: Exchange): Request {
    const headers = new Headers();
    for (const [name, value] of Object.entries(exchange.request.headers))
      if (value !== undefined && !name.startsWith(':')) headers.set(name, String(value));
    // Each answer is of the kind that fits it: a client that can read but one of them is not refused for that.
    headers.set('accept', 'application/json, text/event-stream');
    const posted = new Request(NO_HOST + MCP_PATH, { method: 'POST', headers, signal: exchange.gone });
    this.exchanges.set(posted, exchange);
    return posted;
  }

  private handlerOf(responseMode: 'sse' | 'auto', sdk: McpSdk): McpHttpHandler {
    return sdk.createMcpHandler(
      ({ era, requestInfo }) => {
        const exchange = requestInfo === undefined ? undefined : this.exchanges.get(requestInfo);
        if (exchange === undefined) throw new Error('a message came without its exchange');
        return this.servers.for(exchange, era, sdk);
      },
      {
        responseMode,
        // The socket is kept alive where all streams are.
        keepAliveMs: 0,
        onerror: (err) => this.logger.debug({ err }, 'a message to /mcp was not taken'),
      },
    );
  }
}

function refuse(
  reply: FastifyReply,
  status: number,
  code: number,
  message: string,
  id: PostedMessage['id'] = null,
): void {
  void reply
    .code(status)
    .header('content-type', 'application/json')
    .send(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
}
