import { Injectable } from '@nestjs/common';
import type { ProjectId } from '#domain';
import { once } from 'node:events';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { ClientSink } from '#delivery';
import { Clock, type Weigh } from '#platform';
import { AnswerRoom, type AnswerShare } from './answer-room.js';

/** What is gathered into one write, and of a larger text written at a time; what fits is sent as any other answer is. */
const WRITE_BYTES = 64 * 1024;
/** Whoever takes none of a write for so long is cut off. */
const STALLED_MS = 30_000;
/** A client may keep an answer waiting for STALLED_MS and as long as it takes at this pace. */
const BYTES_A_SECOND = 8 * 1024;
/** The same while others wait for what its answer holds. */
const WANTED_BYTES_A_SECOND = 64 * 1024;
const LOOK_MS = 1_000;
const JSON_TYPE = 'application/json; charset=utf-8';

/** Makes an answer's JSON, a part when the one before is on its way; says first how much a part brings into memory. */
export type Pieces = (weigh: Weigh) => AsyncIterable<string>;

/**
 * Sends text, JSON for the most part, that is made a piece at a time. The next piece is only made when the client has taken those before it, so an
 * answer costs a piece's memory, however large it is, and that is taken from the room that all large answers share.
 */
@Injectable()
export class LargeAnswers {
  constructor(
    private readonly room: AnswerRoom,
    private readonly clock: Clock,
  ) {}

  /**
   * What throws before the first write is a problem like any other; later the connection is cut, so that nobody takes half
   * an answer for a whole one.
   * @throws what `pieces` throws; Problem overloaded
   */
  async send(reply: FastifyReply, project: ProjectId, pieces: Pieces, type = JSON_TYPE): Promise<void> {
    const gone = new AbortController();
    const whenClosed = (): void => gone.abort(new Error('the client is gone'));
    reply.raw.once('close', whenClosed);
    if (reply.raw.destroyed) whenClosed();
    const share = this.room.share(project, gone.signal);
    const writes = gathered(pieces(share.weigh));
    try {
      reply.header('content-type', type);
      await this.write(reply, writes, share);
    } catch (error) {
      if (reply.raw.headersSent) reply.raw.destroy();
      if (!gone.signal.aborted) throw error;
    } finally {
      share.release();
      reply.raw.off('close', whenClosed);
      await writes.return(undefined);
    }
  }

  /** The same into an answer whose head is out; where it throws what was sent is not whole. @throws as `send` */
  async pour(sink: ClientSink, project: ProjectId, pieces: Pieces): Promise<void> {
    const share = this.room.share(project, sink.gone);
    const writes = gathered(pieces(share.weigh));
    try {
      for await (const text of writes) {
        await sink.write(text);
        if (sink.gone.aborted) return;
      }
      sink.end('');
    } finally {
      share.release();
      await writes.return(undefined);
    }
  }

  /**
   * Sends what is read whole. Its room is taken before it is read, and given back when the client has it or is gone.
   * @param read may set headers
   * @throws what `read` throws; Problem overloaded
   */
  async sendBytes(
    reply: FastifyReply,
    project: ProjectId,
    bytes: number,
    read: () => Promise<Uint8Array>,
  ): Promise<void> {
    const { raw } = reply;
    const gone = new AbortController();
    const share = this.room.share(project, gone.signal);
    raw.once('close', () => {
      gone.abort(new Error('the client is gone'));
      share.release();
    });
    if (raw.destroyed) return;
    try {
      await share.hold(bytes);
      const content = await read();
      raw.setTimeout(STALLED_MS, () => raw.destroy());
      void reply.code(200).send(Buffer.from(content.buffer, content.byteOffset, content.byteLength));
    } catch (error) {
      share.release();
      if (!gone.signal.aborted) throw error;
    }
  }

  private async write(
    reply: FastifyReply,
    writes: AsyncGenerator<string>,
    share: AnswerShare,
  ): Promise<void> {
    const { value: first = '' } = (await writes.next()) as IteratorResult<string, undefined>;
    // What was gathered to less is all of it. As bytes, since Fastify adds a charset to the types of texts.
    if (first.length < WRITE_BYTES) return void reply.send(Buffer.from(first, 'utf8'));
    await share.hold(WRITE_BYTES);
    const second = await writes.next();
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
    raw.setTimeout(STALLED_MS, () => raw.destroy());
    const client = new Client(raw, this.room, this.clock);
    await client.take(first);
    if (second.done !== true) await client.take(second.value);
    for await (const text of writes) {
      if (raw.destroyed) return;
      await client.take(text);
    }
    raw.end();
  }
}

/** Who reads an answer, and how fast. */
class Client {
  private takenBytes = 0;
  private waitedMs = 0;

  constructor(
    private readonly raw: ServerResponse,
    private readonly room: AnswerRoom,
    private readonly clock: Clock,
  ) {}

  /** Resolves when there is room for more, or the client is gone; one that is too slow is cut off. */
  async take(text: string): Promise<void> {
    const bytes = Buffer.from(text, 'utf8');
    for (let at = 0; at < bytes.length && !this.raw.destroyed; at += WRITE_BYTES) {
      const slice = bytes.subarray(at, at + WRITE_BYTES);
      if (!this.raw.write(slice)) await this.drained();
      this.takenBytes += slice.length;
    }
  }

  /** For drain or the end of the connection: whoever waits for one alone may wait for ever. */
  private async drained(): Promise<void> {
    const { raw, clock } = this;
    if (raw.destroyed) return;
    const stop = new AbortController();
    const either = ['drain', 'close'].map((event) => once(raw, event, { signal: stop.signal }));
    const since = clock.now();
    const look = (): void => {
      const now = clock.now() - since;
      const allowed = allowedWaitMs(this.takenBytes, this.room.isWanted);
      if (now >= STALLED_MS || this.waitedMs + now >= allowed) raw.destroy();
      else cancel = clock.timer(LOOK_MS, look);
    };
    let cancel = clock.timer(LOOK_MS, look);
    try {
      await Promise.race(either);
    } finally {
      cancel();
      this.waitedMs += clock.now() - since;
      stop.abort();
      await Promise.allSettled(either);
    }
  }
}

/** For how long in all a client may have kept an answer waiting that has taken so many bytes of it. */
export const allowedWaitMs = (takenBytes: number, isWanted: boolean): number =>
  STALLED_MS + (takenBytes / (isWanted ? WANTED_BYTES_A_SECOND : BYTES_A_SECOND)) * 1_000;

async function* gathered(pieces: AsyncIterable<string>): AsyncGenerator<string, undefined> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length < WRITE_BYTES) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
