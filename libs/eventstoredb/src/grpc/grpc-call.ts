import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { CallError, CODE, outcomeOf } from './call-error.js';
import { FrameReader } from './frames.js';

/** Callbacks of one call. `ended` is called once, and nothing after it. */
export interface CallListener {
  /** What came in one piece, in order. */
  messages(messages: readonly Buffer[]): void;
  /** null: the server ended the call as if all were well. */
  ended(error: CallError | null): void;
}

/**
 * One call on a connection. Owns its HTTP/2 stream.
 * 1. `ended` is called once: by the server's last headers, the end of the connection, a deadline, or `fail`.
 * 2. After its end, or after `cancel`, the listener is not called.
 */
export class GrpcCall {
  private readonly frames = new FrameReader();
  private headers: IncomingHttpHeaders | null = null;
  private httpStatus = 0;
  private isOver = false;
  private deadline: NodeJS.Timeout | undefined;

  constructor(
    private readonly stream: ClientHttp2Stream,
    private readonly listener: CallListener,
    private readonly gone: (call: GrpcCall) => void,
  ) {
    stream.on('response', (headers) => {
      this.httpStatus = Number(headers[':status']);
      // A call that fails at once has only these.
      if (headers['grpc-status'] !== undefined || this.httpStatus !== 200) this.headers = headers;
    });
    stream.on('trailers', (headers) => (this.headers = headers));
    stream.on('data', (piece: Buffer) => this.take(piece));
    stream.on('end', () =>
      this.end(this.headers === null ? this.lost(null) : outcomeOf(this.headers, this.httpStatus)),
    );
    stream.on('error', (error) => this.end(this.lost(error)));
    stream.on('close', () => this.end(this.lost(null)));
  }

  /** Messages with their prefixes. */
  write(frames: Buffer): void {
    if (!this.isOver) this.stream.write(frames);
  }

  /** Nothing more will be written. */
  halfClose(): void {
    this.stream.end();
  }

  /** Nothing more is taken from the connection, but for what was read of it already. */
  pause(): void {
    this.stream.pause();
  }

  resume(): void {
    this.stream.resume();
  }

  failAfter(ms: number): void {
    this.deadline = setTimeout(
      () => this.fail(new CallError(CODE.deadlineExceeded, `no answer for ${ms} ms`)),
      ms,
    );
  }

  /** Ends it on this side, and tells its listener why. */
  fail(error: CallError): void {
    this.end(error);
  }

  /** Ends it on this side; its listener hears nothing more. */
  cancel(): void {
    if (this.isOver) return;
    this.over();
    this.stream.close(constants.NGHTTP2_CANCEL);
  }

  private take(piece: Buffer): void {
    if (this.isOver) return;
    try {
      const messages = this.frames.take(piece);
      if (messages.length > 0) this.listener.messages(messages);
    } catch (error) {
      this.fail(new CallError(CODE.internal, (error as Error).message));
    }
  }

  /** Invariant 1. */
  private end(error: CallError | null): void {
    if (this.isOver) return;
    this.over();
    // The half that this side has not ended keeps the stream open.
    if (!this.stream.closed)
      this.stream.close(error === null ? constants.NGHTTP2_NO_ERROR : constants.NGHTTP2_CANCEL);
    this.listener.ended(error);
  }

  private over(): void {
    this.isOver = true;
    clearTimeout(this.deadline);
    this.gone(this);
  }

  /** The stream ended without last headers. */
  private lost(error: Error | null): CallError {
    const { rstCode } = this.stream;
    // What happened to the connection is the error, or the cause of it.
    const cause = (error?.cause ?? error) as NodeJS.ErrnoException | null;
    if (cause?.errno !== undefined) return new CallError(CODE.unavailable, cause.message);
    // Node gives the streams of a connection that broke the code of a cancellation.
    if (rstCode === constants.NGHTTP2_CANCEL || rstCode === constants.NGHTTP2_REFUSED_STREAM)
      return new CallError(CODE.unavailable, 'the connection broke');
    return new CallError(CODE.internal, `the server ended the call without a status (code ${rstCode})`);
  }
}
