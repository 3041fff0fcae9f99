import { type Clock, DeadlinePassed, type EgressGuard } from '#platform';
import { GuardedConnections, HttpExchange, HttpFailure } from '#http';
import { type CallbackRequest, CallbackSender, type SendOutcome } from '../callbacks/callback-sender.js';

/** A receiver has this long to take an event and to say so, the connection included. */
const ATTEMPT_MS = 15_000;
/** After the status is here nothing depends on the body. */
const BODY_MS = 2_000;
/** Of an answer's body is kept, and read so that the connection can be used again. */
const KEPT_BYTES = 2 * 1024;
const READ_BYTES = 16 * 1024;
/** Below what most servers and balancers keep a connection for. */
const KEEP_ALIVE = { idleMs: 4_000, longestMs: 30_000 };
/** Of a look at a name's addresses. */
const CHECK_HOLDS_MS = 1_000;

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EPIPE: 'the connection was closed',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed',
};

/** Sends over HTTP, each receiver on connections that are kept open for a while. A redirect is an answer like any other. */
export class HttpCallbackSender extends CallbackSender {
  private readonly connections: GuardedConnections;

  constructor(
    egress: EgressGuard,
    private readonly clock: Clock,
  ) {
    super();
    this.connections = new GuardedConnections({
      egress,
      clock,
      connectMs: ATTEMPT_MS,
      checkHoldsMs: CHECK_HOLDS_MS,
      keepAlive: KEEP_ALIVE,
    });
  }

  override async send(request: CallbackRequest, signal: AbortSignal): Promise<SendOutcome> {
    const deadline = this.clock.deadline(ATTEMPT_MS, signal);
    try {
      const outcome = await this.attempt(request, deadline.signal);
      signal.throwIfAborted();
      return outcome;
    } finally {
      deadline[Symbol.dispose]();
    }
  }

  close(): Promise<void> {
    return this.connections.destroy();
  }

  private async attempt(request: CallbackRequest, signal: AbortSignal): Promise<SendOutcome> {
    const { headers, body } = request;
    const url = new URL(request.url);
    const exchange = new HttpExchange({ clock: this.clock, signal, maxBytes: Infinity });
    try {
      await this.connections.send(exchange, { url, method: 'POST', headers, body });
    } catch (error) {
      return { kind: 'failed', reason: explain(error) };
    }
    const retryAfter = exchange.headers['retry-after'];
    return {
      kind: 'answered',
      status: exchange.status,
      retryAfter: retryAfter === undefined ? null : String(retryAfter),
      body: await this.beginningOf(exchange),
    };
  }

  /** What came of the body until it ended, broke off, was too long or took too long: the status says all that counts. */
  private async beginningOf(exchange: HttpExchange): Promise<string> {
    const kept: Buffer[] = [];
    let bytes = 0;
    const cancel = this.clock.timer(BODY_MS, () => exchange.abort(new Error('the answer does not end')));
    try {
      for (let part = await exchange.next(); part !== undefined; part = await exchange.next()) {
        if (bytes < KEPT_BYTES) kept.push(part.subarray(0, KEPT_BYTES - bytes));
        bytes += part.length;
        if (bytes > READ_BYTES) exchange.abort(new Error('the answer is too long'));
      }
    } catch {
      // What came before counts.
    } finally {
      cancel();
    }
    // A character that the cut went through is left out.
    return new TextDecoder('utf-8').decode(Buffer.concat(kept), { stream: true });
  }
}

/** In words that hold nothing of the URL or the system. */
function explain(failure: unknown): string {
  if (!(failure instanceof HttpFailure)) return 'the request failed';
  const { kind, cause } = failure;
  if (kind === 'forbidden' || kind === 'unresolved') return failure.message;
  if (cause instanceof DeadlinePassed) return `there was no answer within ${ATTEMPT_MS / 1000} s`;
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  if (typeof code !== 'string') return 'the request failed';
  return (
    REASONS[code] ?? (/^[A-Z0-9_]{3,40}$/.test(code) ? `the request failed (${code})` : 'the request failed')
  );
}
