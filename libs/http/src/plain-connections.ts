import { Agent } from 'undici';
import type { Clock } from '#platform';
import { PLAIN_CONNECTION } from './guarded-connections.js';
import { HttpExchange, type HttpRequest } from './http-exchange.js';

export interface AskLimits {
  /** Of the body of the answer. */
  readonly maxBytes: number;
  /** For all of it, from the connection to the last byte; absent: until the signal is aborted. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
  /** A header of it; empty where it is missing. */
  header(name: string): string;
}

const LONGEST_MS = 600_000;

/** HTTP to where the operator says, so that no address is forbidden. Owns the connections. Redirects are not followed. */
export class PlainConnections {
  private readonly agent = new Agent(PLAIN_CONNECTION);

  constructor(private readonly clock: Clock) {}

  /** One request, and its whole answer. @throws HttpFailure */
  async ask(
    request: HttpRequest,
    { maxBytes, timeoutMs = LONGEST_MS, signal }: AskLimits,
  ): Promise<HttpAnswer> {
    const deadline = this.clock.deadline(timeoutMs, signal);
    const exchange = new HttpExchange({ clock: this.clock, signal: deadline.signal, maxBytes });
    try {
      await exchange.send(this.agent, request);
      const parts: Buffer[] = [];
      for (let part = await exchange.next(); part !== undefined; part = await exchange.next())
        parts.push(part);
      const header = (name: string): string => exchange.header(name);
      return { status: exchange.status, body: Buffer.concat(parts), header };
    } finally {
      deadline[Symbol.dispose]();
      exchange.release();
    }
  }

  /** Aborts every exchange in progress. */
  close(): Promise<void> {
    return this.agent.destroy();
  }
}
