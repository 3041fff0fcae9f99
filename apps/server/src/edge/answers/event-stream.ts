import type { FastifyReply } from 'fastify';
import type { ClientSink } from '#delivery';
import { JSON_TEXT, type OpenStreams, type QuietForm } from './socket-sink.js';

const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'x-accel-buffering': 'no' };

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
  return answerOnSocket(reply, open, send, { ...SSE_HEADERS, ...headers });
}

/**
 * Answers with JSON that is waited for: the head goes out at once, and white space while there is quiet. Where `send` fails, or
 * the service stops, the connection is cut.
 */
export const answerWithLateJson = (
  reply: FastifyReply,
  open: OpenStreams,
  send: (sink: ClientSink) => Promise<void>,
): Promise<void> => answerOnSocket(reply, open, send, JSON_HEADERS, JSON_TEXT);

function answerOnSocket(
  reply: FastifyReply,
  open: OpenStreams,
  send: (sink: ClientSink) => Promise<void>,
  headers: Readonly<Record<string, string>>,
  form?: QuietForm,
): Promise<void> {
  reply.hijack();
  reply.raw.writeHead(200, { ...reply.getHeaders(), ...headers } as Record<string, string>);
  const sink = open.add(reply.raw, form);
  reply.request.answer?.onKeyEnd(() => sink.cutOff());
  // Mostly the first events are there already, and go out with the headers.
  setImmediate(() => sink.begin());
  return send(sink).catch(() => sink.hangUp());
}
