import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2';
import { CallError, CODE, type Endpoint } from './call-error.js';
import { type CallListener, GrpcCall } from './grpc-call.js';

export interface GrpcConnectionOptions {
  readonly endpoint: Endpoint;
  readonly tls: { readonly ca?: Buffer; readonly key?: Buffer; readonly certificate?: Buffer } | null;
  /** Go with every call. */
  readonly headers: OutgoingHttpHeaders;
  readonly keepAliveIntervalMs: number;
  readonly keepAliveTimeoutMs: number;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** What may be on its way to this side: a page of events does not wait for the other half of its way. */
const CALL_WINDOW_BYTES = 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 4 * 1024 * 1024;

/**
 * A connection that speaks gRPC (github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md). Owns the HTTP/2 session and its
 * calls. Messages that come or go together are one piece of work here, where a library makes each one wait for its turn.
 * 1. Its end, for whatever reason, ends every call on it.
 * 2. While there is a call it is known within keepAliveInterval + keepAliveTimeout that the other side is gone.
 */
export class GrpcConnection {
  private readonly session: ClientHttp2Session;
  private readonly calls = new Set<GrpcCall>();
  private readonly keepAlive: NodeJS.Timeout;
  private connecting: NodeJS.Timeout | undefined;
  private ping: NodeJS.Timeout | undefined;
  private trouble: string | null = null;
  private canCall = true;

  constructor(private readonly options: GrpcConnectionOptions) {
    const { endpoint, tls } = options;
    this.session = connect(`${tls === null ? 'http' : 'https'}://${endpoint.address}:${endpoint.port}`, {
      settings: { initialWindowSize: CALL_WINDOW_BYTES, enablePush: false },
      ...(tls?.ca && { ca: tls.ca }),
      ...(tls?.key && { key: tls.key }),
      ...(tls?.certificate && { cert: tls.certificate }),
    });
    const { session } = this;
    session.on('error', (error: Error) => this.lost(error.message));
    session.on('close', () => this.lost('the connection was closed'));
    // Calls under way may end, others go elsewhere.
    session.on('goaway', () => (this.canCall = false));
    session.once('connect', () => {
      // It may have been closed in the meantime.
      if (!session.destroyed) session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
    });
    session.once('remoteSettings', () => clearTimeout(this.connecting));
    this.connecting = setTimeout(
      () => this.lost(`no connection within ${CONNECT_TIMEOUT_MS} ms`),
      CONNECT_TIMEOUT_MS,
    );
    this.keepAlive = setInterval(() => this.sendPing(), options.keepAliveIntervalMs).unref();
  }

  /** Whether a new call would go anywhere. */
  get isUsable(): boolean {
    return this.canCall && !this.session.closed && !this.session.destroyed;
  }

  get isOver(): boolean {
    return this.trouble !== null;
  }

  /** Begins a call; what fails at once is told to the listener, too, but later. `deadlineMs`: Infinity for none. */
  call(path: string, deadlineMs: number, headers: OutgoingHttpHeaders, listener: CallListener): GrpcCall {
    const stream = this.session.request(
      {
        ':method': 'POST',
        ':path': path,
        te: 'trailers',
        'content-type': 'application/grpc',
        'grpc-accept-encoding': 'identity',
        ...(deadlineMs !== Infinity && { 'grpc-timeout': `${deadlineMs}m` }),
        ...this.options.headers,
        ...headers,
      },
      { endStream: false },
    );
    const call = new GrpcCall(stream, listener, (ended) => this.calls.delete(ended));
    this.calls.add(call);
    if (deadlineMs !== Infinity) call.failAfter(deadlineMs);
    return call;
  }

  /** Takes no more calls, and ends when those under way have. */
  retire(): void {
    this.canCall = false;
    if (!this.session.destroyed) this.session.close();
  }

  /** Ends it and its calls at once. */
  close(): void {
    this.lost('the connection was closed on this side', CODE.cancelled);
  }

  /** Invariant 1. */
  private lost(trouble: string, code: number = CODE.unavailable): void {
    this.canCall = false;
    if (this.trouble !== null) return;
    this.trouble = trouble;
    clearTimeout(this.connecting);
    clearTimeout(this.ping);
    clearInterval(this.keepAlive);
    const error = new CallError(code, trouble);
    for (const call of this.calls) call.fail(error);
    this.session.destroy();
  }

  /** Invariant 2. */
  private sendPing(): void {
    if (this.calls.size === 0 || this.ping !== undefined || this.session.destroyed) return;
    const { keepAliveTimeoutMs } = this.options;
    this.ping = setTimeout(
      () => this.lost(`no sign of life for ${keepAliveTimeoutMs} ms`),
      keepAliveTimeoutMs,
    );
    this.session.ping(() => {
      clearTimeout(this.ping);
      this.ping = undefined;
    });
  }
}
