import type { FastifyReply } from 'fastify';
import type { ClientSink } from '#delivery';
import type { OpenStreams } from './socket-sink.js';

const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

/**
 * Answers with Server-Sent Events, on the socket itself, until `send` is done, the client is gone, or its key has ended. Where
 * `send` fails the client is told to come back, and resumes where it was.
 */
export function answerWithEvents(
  reply: FastifyReply,
  open: OpenStreams,
  send: (sink: ClientSink) => Promise<void>,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  reply.hijack();
  reply.headers(SSE_HEADERS);
  reply.raw.writeHead(200, { ...reply.getHeaders(), ...headers } as Record<string, string>);
  const sink = open.add(reply.raw);
  reply.request.answer?.onKeyEnd(() => sink.cutOff());
  // Mostly the first events are there already, and go out with the headers.
  setImmediate(() => sink.begin());
  return send(sink).catch(() => sink.hangUp());
}
