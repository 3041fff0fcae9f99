import { isIP } from 'node:net';
import { Agent } from 'undici';
import { type Clock, DeadlinePassed, type EgressGuard, EgressRefused } from '#platform';
import { type CallbackRequest, CallbackSender, type SendOutcome } from '../callbacks/callback-sender.js';
import { AnswerReader } from './answer-reader.js';

/** A receiver has this long to take an event and to say so, the connection included. */
const ATTEMPT_MS = 15_000;
/** After the status is here nothing depends on the body. */
const BODY_MS = 2_000;
/** Below what most servers and balancers keep a connection for. */
const KEEP_ALIVE_MS = 4_000;
/** How long a look at a name's addresses holds for a connection that is open; a new one looks for itself. */
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

interface Check {
  readonly at: number;
  readonly verdict: ReturnType<EgressGuard['check']>;
}

/**
 * Sends over HTTP, each receiver on connections that are kept open for a while. Owns them.
 * 1. A connection goes to an address that was checked when it was made, and to no other.
 * 2. Before each request the host is checked as it is now, so that one that became forbidden gets nothing over an open
 *    connection either.
 * 3. Redirects are answers like any other.
 */
export class HttpCallbackSender extends CallbackSender {
  private readonly agent: Agent;
  private readonly checks = new Map<string, Check>();

  constructor(
    private readonly guard: EgressGuard,
    private readonly clock: Clock,
  ) {
    super();
    this.agent = new Agent({
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: 30_000,
      // The deadline of the attempt stands for them all.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { lookup: guard.lookup, timeout: ATTEMPT_MS },
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
    return this.agent.destroy();
  }

  private async attempt(request: CallbackRequest, signal: AbortSignal): Promise<SendOutcome> {
    const url = new URL(request.url);
    const reason = await this.refusal(url.hostname);
    return reason === null ? this.exchange(url, request, signal) : { kind: 'failed', reason };
  }

  private async exchange(
    { origin, pathname, search }: URL,
    { headers, body }: CallbackRequest,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const reader = new AnswerReader(explain, (waiting) =>
      this.clock.timer(BODY_MS, () => waiting.giveUp('the answer does not end')),
    );
    const stop = (): void => reader.giveUp(explain(signal.reason));
    signal.addEventListener('abort', stop, { once: true });
    try {
      this.agent.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, reader);
      if (signal.aborted) stop();
      return await reader.outcome;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Invariant 2. */
  private async refusal(host: string): Promise<string | null> {
    const verdict = await this.check(host);
    return verdict.kind === 'allowed' ? null : verdict.reason;
  }

  private check(host: string): ReturnType<EgressGuard['check']> {
    const now = this.clock.now();
    const known = this.checks.get(host);
    if (known !== undefined && Math.abs(now - known.at) < CHECK_HOLDS_MS) return known.verdict;
    if (this.checks.size > 1_000) this.checks.clear();
    const verdict = this.guard.check(host);
    if (isIP(host.replace(/^\[|\]$/g, '')) === 0) this.checks.set(host, { at: now, verdict });
    return verdict;
  }
}

/** In words that hold nothing of the URL or the system. */
function explain(error: unknown): string {
  if (error instanceof DeadlinePassed) return `there was no answer within ${ATTEMPT_MS / 1000} s`;
  if (error instanceof EgressRefused) return error.message;
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  if (cause instanceof EgressRefused) return cause.message;
  const known = typeof code === 'string' ? REASONS[code] : undefined;
  if (known !== undefined) return known;
  return typeof code === 'string' && /^[A-Z0-9_]{3,40}$/.test(code)
    ? `the request failed (${code})`
    : 'the request failed';
}
