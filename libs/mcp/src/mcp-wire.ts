import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { Clock } from '#platform';
import type { McpLimits } from './limits.js';
import type { McpHttp } from './mcp-http.js';

/**
 * How a server is spoken to. `modern`: revision 2026-07-28, each request by itself; `streamable`: a session of 2025-11-25 or
 * older over Streamable HTTP; `sse`: one over HTTP with SSE (2024-11-05).
 */
export type WireKind = 'modern' | 'streamable' | 'sse';

export interface RequestOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: () => void;
  /** Sent along where the wire has headers of requests (modern). */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a wire is made of. */
export interface WirePorts {
  readonly http: McpHttp;
  readonly clock: Clock;
  readonly limits: McpLimits;
  readonly onToolsChanged: () => void;
}

/** A notification of the server's. */
export type Notice = Extract<JSONRPCMessage, { method: string }>;

/** Carries requests to one server. */
export interface McpWire {
  readonly kind: WireKind;
  /** The server says so when its tools change. */
  readonly mayChangeTools: boolean;
  /** A request's result as it came: what it holds is not checked. @throws McpFailure */
  request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: RequestOptions,
  ): Promise<Record<string, unknown>>;
  /** Does what is polite, if there is time before the signal is aborted. */
  farewell(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
