import { isIP } from 'node:net';
import { Agent } from 'undici';
import type { Clock, EgressGuard } from '#platform';
import type { HttpExchange, HttpRequest } from './http-exchange.js';

/** Timeouts of undici are off: every exchange has its own. */
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
  /** Validity (ms) of an egress check for open connections; a new connection checks by itself. */
  readonly checkHoldsMs: number;
  /** How long (ms) an idle connection is kept; absent: undici's defaults. */
  readonly keepAlive?: { readonly idleMs: number; readonly longestMs: number };
}

const MAX_CHECKS = 1_000;

/**
 * HTTP connection pool for URLs that callers give. Owns the connections.
 * 1. A connection is made only to an address that the egress guard has checked (no DNS rebinding).
 * 2. Before each request its host is checked again, so that a host that became forbidden gets nothing over an open
 *    connection. (Literal addresses never reach the lookup of invariant 1.)
 */
export class GuardedConnections {
  private readonly agent: Agent;
  /** Time of the last successful check, by host. */
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
   * Resolves when status and headers have arrived.
   * @throws what `exchange.send` throws; for a forbidden host the exchange has ended with that failure
   */
  async send(exchange: HttpExchange, request: HttpRequest): Promise<void> {
    await Promise.race([this.check(exchange, request.url.hostname), exchange.over]);
    await exchange.send(this.agent, request);
  }

  /** Aborts every exchange in progress. */
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
