import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
} from '@modelcontextprotocol/client';
import { LegacySseTransport } from './legacy-sse-transport.js';
import { McpFailure, lost } from './mcp-failure.js';
import type { McpTransport } from './mcp-transport.js';
import type { McpWire, RequestOptions, WireKind, WirePorts } from './mcp-wire.js';
import { CLIENT_INFO, LEGACY_VERSIONS, type LegacyVersion } from './protocol-versions.js';
import { StreamableHttpTransport } from './streamable-http-transport.js';

export type SessionKind = Exclude<WireKind, 'modern'>;

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

/** One initialised session with a server of an earlier revision, by the SDK's client over a transport of ours. */
export class McpSession implements McpWire {
  private constructor(
    readonly kind: SessionKind,
    /** What was offered. */
    readonly version: LegacyVersion,
    private readonly client: Client,
    private readonly transport: McpTransport,
  ) {}

  /**
   * @param version is offered; the server may answer with any other that this client knows
   * @throws McpFailure also when the signal is aborted
   */
  static async open(
    kind: SessionKind,
    version: LegacyVersion,
    { http, clock, limits, onToolsChanged }: WirePorts,
    signal: AbortSignal,
  ): Promise<McpSession> {
    const transport =
      kind === 'sse'
        ? new LegacySseTransport(http, limits)
        : new StreamableHttpTransport(http, clock, limits);
    const others = LEGACY_VERSIONS.filter((known) => known !== version);
    const client = new Client(CLIENT_INFO, {
      capabilities: {},
      supportedProtocolVersions: [version, ...others],
      // What a result holds is for the agent to judge; compiling schemas would cost more than the call.
      jsonSchemaValidator: noValidator,
    });
    const session = new McpSession(kind, version, client, transport);
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
    params: Readonly<Record<string, unknown>>,
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
    return lost();
  }
  if (error instanceof ProtocolError) return McpFailure.ofError(error);
  return new McpFailure('nonsense', 'gave an answer that is not as MCP has it');
}
