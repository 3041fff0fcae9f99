import type { Transport } from '@modelcontextprotocol/client';

/** Why exchanges are aborted at the end. One for all: an AbortError of their own costs each run more than a request. */
export const CLOSED = new Error('closed');

/** A transport of the SDK's, of which a failed request is told at once, by a rejected `send` (McpFailure). */
export interface McpTransport extends Transport {
  /** Starts to hear what the server says unasked. */
  listen(): void;
  /** Resolves when nothing polite is under way any more: cancellations are sent, the session is ended. */
  farewell(signal: AbortSignal): Promise<void>;
}
