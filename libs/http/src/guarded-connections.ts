import { isIP } from 'node:net';
import { Agent } from 'undici';
import type { Clock, EgressGuard } from '#platform';
import type { HttpExchange, HttpRequest } from './http-exchange.js';

/** Of undici's connections: who waits for an answer knows how long it may take, so undici does not count. */
export const PLAIN_CONNECTION = {
  allowH2: false,
  pipelining: 1,
  headersTimeout: 0,
  bodyTimeout: 0,
} as const;

export interface GuardedConnectionsOptions {
  readonly egress: EgressGuard;
  readonly clock: Clock;
  readonly connectMs: number;
  /** How long a look at a host that may be reached holds for connections that are open; a new one looks for itself. */
  readonly checkHoldsMs: number;
  /** How long a connection that is not used is kept; absent: undici's own limits. */
  readonly keepAlive?: { readonly idleMs: number; readonly longestMs: number };
}

const MAX_CHECKS = 1_000;

/**
 * HTTP connections to where callers say. Owns them.
 * 1. A connection goes to an address that the egress guard looked at when it was made, and to no other.
 * 2. Before each request its host is checked as it is now, so that one that became forbidden gets nothing over an open
 *    connection either. (Literal addresses never get to the lookup of invariant 1.)
 */
export class GuardedConnections {
  private readonly agent: Agent;
  /** Of names that may be reached, when that was seen. */
  private readonly allowed = new Map<string, number>();

  constructor(private readonly options: GuardedConnectionsOptions) {
    const { egress, connectMs, keepAlive } = options;
    this.agent = new Agent({
      ...PLAIN_CONNECTION,
      ...(keepAlive && { keepAliveTimeout: keepAlive.idleMs, keepAliveMaxTimeout: keepAlive.longestMs }),
      connect: { lookup: egress.lookup, timeout: connectMs },
    });
  }

  /**
   * Resolves when the head of the answer is here.
   * @throws what `exchange.send` throws; where the host may not be reached, the exchange has ended with that failure
   */
  async send(exchange: HttpExchange, request: HttpRequest): Promise<void> {
    await Promise.race([this.check(exchange, request.url.hostname), exchange.over]);
    await exchange.send(this.agent, request);
  }

  /** Ends every exchange that is under way. */
  destroy(): Promise<void> {
    return this.agent.destroy();
  }

  /** Invariant 2. */
  private async check(exchange: HttpExchange, host: string): Promise<void> {
    const { clock, checkHoldsMs, egress } = this.options;
    const at = clock.now();
    const seenAt = this.allowed.get(host);
    if (seenAt !== undefined && Math.abs(at - seenAt) < checkHoldsMs) return;
    const verdict = await egress.check(host);
    if (verdict.kind === 'refused') return exchange.refuse('forbidden', verdict.reason);
    if (verdict.kind === 'unresolved') return exchange.refuse('unresolved', verdict.reason);
    if (isIP(host.replace(/^\[|\]$/g, '')) !== 0) return;
    if (this.allowed.size >= MAX_CHECKS) this.allowed.clear();
    this.allowed.set(host, at);
  }
}
