import { EventEmitter } from 'node:events';
import {
  createSecureServer,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { FrameReader } from '../../../libs/eventstoredb/src/grpc/frames.js';
import { ProtoWriter } from '../../../libs/eventstoredb/src/proto-writer.js';

/** How a call fails: the code of gRPC, what it says, and headers beside it. */
export interface Failure {
  readonly code: number;
  readonly details: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Bytes of something larger. */
export interface Part {
  readonly slab: Buffer;
  readonly from: number;
  readonly to: number;
}

const UNIMPLEMENTED = 12;
const WINDOW_BYTES = 1024 * 1024;
/** Room for the answers of a turn, to begin with. */
const TURN_BYTES = 8 * 1024;

/**
 * One call, as its handler sees it: `message` (Buffer) for each request, `half-close` when there will be no more, `drain`
 * when there is room again, `over` once, for whatever reason. Answers of one turn of the event loop go out in one piece.
 */
export class ServerCall extends EventEmitter {
  isOver = false;
  private readonly frames = new FrameReader();
  /** The answers of this turn: what is written, behind what stands in `pieces`. */
  private turn: ProtoWriter | null = null;
  private readonly pieces: Part[] = [];
  private size = 0;
  private isFlushing = false;

  constructor(
    private readonly stream: ServerHttp2Stream,
    readonly headers: IncomingHttpHeaders,
  ) {
    super();
    stream.on('data', (piece: Buffer) => {
      for (const message of this.frames.take(piece)) this.emit('message', message);
    });
    stream.on('end', () => this.emit('half-close'));
    stream.on('drain', () => this.emit('drain'));
    stream.on('error', () => undefined);
    stream.on('close', () => this.over());
  }

  /** False: wait for `drain` or `over`. */
  write(message: Uint8Array): boolean {
    return this.answer((writer) => writer.bytes(message));
  }

  /** A message that is written where it is sent from. False: wait for `drain` or `over`. */
  answer(write: (writer: ProtoWriter) => void): boolean {
    if (this.isOver || this.stream.destroyed) return true;
    const turn = (this.turn ??= new ProtoWriter(TURN_BYTES));
    const before = turn.size;
    turn.beginFrame();
    write(turn);
    turn.endFrame();
    return this.grew(turn.size - before);
  }

  /** A message with its prefix that stands somewhere already, and stays. False: wait for `drain` or `over`. */
  part({ slab, from, to }: Part): boolean {
    if (this.isOver || this.stream.destroyed) return true;
    this.endWriting();
    const last = this.pieces.at(-1);
    // What stands together goes as one.
    if (last?.slab === slab && last.to === from) this.pieces[this.pieces.length - 1] = { ...last, to };
    else this.pieces.push({ slab, from, to });
    return this.grew(to - from);
  }

  private grew(bytes: number): boolean {
    this.size += bytes;
    if (!this.isFlushing) setImmediate(() => this.flush());
    this.isFlushing = true;
    // A piece that is larger than this is followed by a `drain`.
    return this.size <= this.stream.writableHighWaterMark && !this.stream.writableNeedDrain;
  }

  private endWriting(): void {
    const slab = this.turn?.finish();
    this.turn = null;
    if (slab !== undefined) this.pieces.push({ slab, from: 0, to: slab.length });
  }

  end(failure: Failure = { code: 0, details: '' }): void {
    if (this.isOver || this.stream.destroyed) return;
    const { code, details, headers } = failure;
    const last = { 'grpc-status': String(code), 'grpc-message': encodeURIComponent(details), ...headers };
    this.flush();
    if (this.stream.headersSent) {
      this.stream.once('wantTrailers', () => this.stream.sendTrailers(last));
      this.stream.end();
    } else this.stream.respond({ ...HEADERS, ...last }, { endStream: true });
    this.over();
  }

  private flush(): void {
    this.endWriting();
    this.isFlushing = false;
    this.size = 0;
    const pieces = this.pieces.splice(0);
    if (pieces.length === 0 || this.stream.destroyed) return;
    if (!this.stream.headersSent) this.stream.respond(HEADERS, { waitForTrailers: true });
    this.stream.cork();
    for (const { slab, from, to } of pieces) this.stream.write(slab.subarray(from, to));
    this.stream.uncork();
  }

  private over(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.emit('over');
  }
}

const HEADERS = { ':status': 200, 'content-type': 'application/grpc' };

/** Serves calls by their paths, straight on HTTP/2: a library for it takes most of the time of a test's server. */
export class GrpcServer {
  private readonly server: Http2Server;
  private readonly sessions = new Set<ServerHttp2Session>();

  constructor(
    handlers: Readonly<Record<string, (call: ServerCall) => void>>,
    tls: { readonly key: Buffer; readonly certificate: Buffer } | undefined,
  ) {
    const settings = { initialWindowSize: WINDOW_BYTES };
    this.server =
      tls === undefined
        ? createServer({ settings })
        : createSecureServer({ settings, key: tls.key, cert: tls.certificate });
    this.server.on('session', (session) => {
      session.setLocalWindowSize(WINDOW_BYTES * 4);
      this.sessions.add(session);
      session.on('error', () => undefined);
      session.on('close', () => this.sessions.delete(session));
    });
    this.server.on('stream', (stream, headers) => {
      const call = new ServerCall(stream, headers);
      const handle = handlers[headers[':path'] ?? ''];
      if (handle === undefined) call.end({ code: UNIMPLEMENTED, details: 'there is no such method' });
      else handle(call);
    });
  }

  get connections(): number {
    return this.sessions.size;
  }

  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => resolve((this.server.address() as AddressInfo).port));
    });
  }

  /** Cuts every connection. */
  stop(): void {
    for (const session of this.sessions) session.destroy();
    this.server.close();
  }
}
