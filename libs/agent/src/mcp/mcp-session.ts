import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
} from '@modelcontextprotocol/client';
import { LegacySseTransport } from './legacy-sse-transport.js';
import { McpFailure } from './mcp-failure.js';
import type { McpHttp, McpHttpPorts } from './mcp-http.js';
import type { McpTransport } from './mcp-transport.js';
import { StreamableHttpTransport } from './streamable-http-transport.js';

export type Wire = 'streamable' | 'sse';

export interface RequestOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: () => void;
}

/** The SDK would wait for a minute of its own; the time limits are the caller's. */
const never = 2 ** 31 - 1;
const noValidator = {
  getValidator: () => () => ({ valid: true as const, data: undefined as never, errorMessage: undefined }),
};

/** What a result holds is for whoever asked to judge. */
const anyResult: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'annals',
    validate: (value) => ({ value: value as Record<string, unknown> }),
  },
};

/** One initialised session with a server. */
export class McpSession {
  private constructor(
    readonly wire: Wire,
    private readonly client: Client,
    private readonly transport: McpTransport,
  ) {}

  /** @throws McpFailure also when the signal is aborted */
  static async open(
    wire: Wire,
    http: McpHttp,
    { clock, limits }: McpHttpPorts,
    onToolsChanged: () => void,
    signal: AbortSignal,
  ): Promise<McpSession> {
    const transport =
      wire === 'sse'
        ? new LegacySseTransport(http, limits)
        : new StreamableHttpTransport(http, clock, limits);
    const client = new Client(
      { name: 'annals', version: '1' },
      // What a result holds is for the agent to judge; compiling schemas would cost more than the call.
      { capabilities: {}, jsonSchemaValidator: noValidator },
    );
    const session = new McpSession(wire, client, transport);
    const stop = () => void transport.close();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      await client.connect(transport, { timeout: never, prior: { kind: 'legacy' } });
    } catch (error) {
      await transport.close();
      throw failureOf(error);
    } finally {
      signal.removeEventListener('abort', stop);
    }
    if (session.mayChangeTools) {
      client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged);
      transport.listen();
    }
    return session;
  }

  get mayChangeTools(): boolean {
    return this.client.getServerCapabilities()?.tools?.listChanged === true;
  }

  /** A request's result as it came: what it holds is not checked. @throws McpFailure */
  async request(
    method: string,
    params: Record<string, unknown>,
    { signal, onProgress }: RequestOptions,
  ): Promise<Record<string, unknown>> {
    try {
      return await this.client.request({ method, params }, anyResult, {
        signal,
        timeout: never,
        ...(onProgress === undefined ? {} : { onprogress: onProgress }),
      });
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** Ends it at the server, too, if there is time before the signal is aborted. */
  async farewell(signal: AbortSignal): Promise<void> {
    await this.transport.farewell(signal);
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

function failureOf(error: unknown): McpFailure {
  if (error instanceof McpFailure) return error;
  // The session was closed under the request.
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) {
    return new McpFailure('lost', 'broke the connection before its answer was complete');
  }
  if (error instanceof ProtocolError) return new McpFailure('refused', `said: ${error.message}`);
  return new McpFailure('nonsense', 'gave an answer that is not as MCP has it');
}
