import { once } from 'node:events';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** What is gathered into one write; what fits is sent as any other answer is. */
const WRITE_CHARS = 64 * 1024;
/** A client that takes nothing for so long is cut off. Node counts what the system took, not what was given to it. */
const STALLED_MS = 30_000;
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Sends JSON that is made a piece at a time. The next piece is only made when the client has taken those before it, so an
 * answer costs a write's memory, however large it is. What throws before the first write is a problem like any other;
 * later the connection is cut, so that nobody takes half an answer for a whole one.
 */
export async function sendPieces(reply: FastifyReply, pieces: AsyncIterable<string>): Promise<void> {
  const writes = gathered(pieces);
  const first = await writes.next();
  const second = await writes.next();
  reply.header('content-type', JSON_TYPE);
  if (second.done === true) return void reply.send(first.value ?? '');
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders);
  raw.setTimeout(STALLED_MS, () => raw.destroy());
  try {
    await write(raw, first.value ?? '');
    await write(raw, second.value);
    for await (const text of writes) {
      if (raw.destroyed) return;
      await write(raw, text);
    }
    raw.end();
  } catch {
    raw.destroy();
  }
}

/** For drain or the end of the connection: whoever waits for one alone may wait for ever. */
async function write(raw: ServerResponse, text: string): Promise<void> {
  if (raw.destroyed || raw.write(text)) return;
  const stop = new AbortController();
  const either = ['drain', 'close'].map((event) => once(raw, event, { signal: stop.signal }));
  try {
    await Promise.race(either);
  } finally {
    stop.abort();
    await Promise.allSettled(either);
  }
}

async function* gathered(pieces: AsyncIterable<string>): AsyncGenerator<string, undefined> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length < WRITE_CHARS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
