import { Injectable } from '@nestjs/common';
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { Problem } from '#domain';
import { insufficientScope } from '../../edge/admission/mcp-door.js';
import { OpenStreams } from '../../edge/answers/socket-sink.js';
import { PublicAddress } from '../../edge/public-address.js';
import type { Exchange } from './exchange.js';
import { messageOf } from './messages.js';
import { TOOL_DEFINITIONS } from './tool-definitions.js';

/** Sends what the SDK answers, at the pace of the client, and notices when nobody waits for it. */
@Injectable()
export class AnswerSender {
  constructor(
    private readonly open: OpenStreams,
    private readonly address: PublicAddress,
  ) {}

  /** From now on the exchange knows when its client leaves, or its key ends. */
  watch(exchange: Exchange, { raw, request }: FastifyReply): void {
    raw.once('close', () => {
      // A stop closes connections, too, and cancels nothing.
      if (raw.writableEnded || this.open.ending.aborted) exchange.cut();
      else exchange.leave();
    });
    request.answer?.onKeyEnd(() => exchange.cut());
  }

  /** @throws Problem where a refusal is the answer, and nothing of another one was sent */
  async send(response: Response, exchange: Exchange, reply: FastifyReply): Promise<void> {
    const { body } = response;
    if (body === null || !isStream(response)) {
      const text = await response.text();
      this.requireAnswer(exchange, reply);
      void reply.code(response.status).headers(headersOf(response)).send(text);
      return;
    }
    const reader = body.getReader();
    const first = reader.read();
    // What is read is looked at below; until then a fault of it is nobody's.
    first.catch(() => undefined);
    await Promise.race([exchange.decided, first]);
    try {
      this.requireAnswer(exchange, reply);
      await this.stream(first, reader, reply, headersOf(response));
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  }

  private async stream(
    first: Promise<Piece>,
    reader: ReadableStreamDefaultReader<Uint8Array>,
    reply: FastifyReply,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    reply.hijack();
    const { raw, request } = reply;
    raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...headers });
    const sink = this.open.addSpeaking(raw);
    request.answer?.onKeyEnd(() => sink.cutOff());
    setImmediate(() => sink.begin());
    const decoder = new TextDecoder();
    try {
      for (let piece = await first; !piece.done; piece = await reader.read())
        await sink.write(decoder.decode(piece.value, { stream: true }));
      sink.end('');
    } catch {
      sink.cutOff();
    }
  }

  /** @throws Problem */
  private requireAnswer({ problem, request }: Exchange, reply: FastifyReply): void {
    if (request.answer?.isOver) throw new Problem('unauthenticated', 'the key was revoked or has expired');
    if (problem === null) return;
    if (problem.code === 'forbidden') {
      const base = this.address.of(request.headers);
      reply.header('www-authenticate', insufficientScope(base, neededScope(request.body)));
    }
    throw problem;
  }
}

type Piece = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>;

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/** Not those that are for the connection, which is not the SDK's. */
function headersOf({ headers }: Response): Record<string, string> {
  const { connection: _, ...others } = Object.fromEntries(headers);
  return others;
}

/** What a message that was refused for want of a scope would need. */
function neededScope(body: unknown): string {
  const { name } = messageOf(body).params;
  return TOOL_DEFINITIONS.find(({ tool }) => tool.name === name)?.scope ?? 'run';
}
