import type { Logger } from '#platform';
import { McpFailure } from './mcp-failure.js';
import { McpHttp, type McpHttpPorts } from './mcp-http.js';
import type { McpServerConfig } from './mcp-server-config.js';
import type { McpSession, RequestOptions, Wire } from './mcp-session.js';
import { CLOSED } from './mcp-transport.js';
import { raceAbort } from './race-abort.js';
import { SecretMask } from './secret-mask.js';
import { type ListedTool, listTools } from './tool-list.js';

export interface McpConnectionPorts extends McpHttpPorts {
  readonly logger: Logger;
}

/** What changes again within this time is asked for once. */
const firstRefreshMs = 50;
const nextRefreshMs = 1_000;
/** A call that changes the tools is followed by their list, if that is quick. */
const refreshWaitMs = 1_000;

/**
 * One server of one run: its connections, its session, which is opened again when it was lost, and its tools as they were
 * listed last. Owns all three until `close`.
 */
export class McpConnection {
  readonly mask: SecretMask;
  /** Of the newest list; the array is another one when it has changed. */
  tools: readonly ListedTool[] = [];
  isCut = false;
  private readonly http: McpHttp;
  private readonly closing = new AbortController();
  private wire: Wire = 'streamable';
  private session: McpSession | null = null;
  private opening: Promise<McpSession> | null = null;
  private refreshing: Promise<void> | null = null;
  private isStale = false;

  constructor(
    readonly config: McpServerConfig,
    private readonly ports: McpConnectionPorts,
  ) {
    this.mask = new SecretMask(config);
    this.http = new McpHttp(config, ports);
  }

  /** Connects and lists the tools, both within the time for it. @throws McpFailure */
  async open(): Promise<void> {
    await this.within(this.ports.limits.openMs, async (signal) => {
      this.session = await this.openSession(signal);
      await this.list(this.session, signal);
    });
  }

  /** @throws McpFailure */
  async request(
    method: string,
    params: Record<string, unknown>,
    options: RequestOptions,
  ): Promise<Record<string, unknown>> {
    const session = await raceAbort(this.current(), options.signal, unwanted);
    try {
      return await session.request(method, params, options);
    } catch (error) {
      const isGone =
        error instanceof McpFailure &&
        (error.kind === 'session' || (error.kind === 'lost' && session.wire === 'sse'));
      if (isGone && !options.signal.aborted) await this.drop(session);
      throw error;
    }
  }

  /** Resolves when a list that is being asked for is here, or is late. */
  async refreshed(): Promise<void> {
    if (this.session?.mayChangeTools !== true) return;
    // What the server said at the same time as the result comes by another connection.
    await new Promise<void>((resolve) => this.ports.clock.soon(resolve));
    if (this.refreshing === null) return;
    const late = new AbortController();
    const { clock } = this.ports;
    const sleep = clock.sleep(refreshWaitMs, late.signal).catch(() => undefined);
    await Promise.race([this.refreshing, sleep]);
    late.abort(CLOSED);
  }

  /** Says goodbye if that is quick; then everything is closed. */
  async close(): Promise<void> {
    const { session, ports } = this;
    this.session = null;
    if (session && !this.closing.signal.aborted) {
      const late = ports.clock.deadline(ports.limits.closeMs, this.closing.signal);
      try {
        await raceAbort(session.farewell(late.signal), late.signal, unwanted);
      } catch {
        // It need not answer.
      } finally {
        late[Symbol.dispose]();
      }
    }
    this.closing.abort(CLOSED);
    await session?.close();
    await this.http.destroy();
  }

  private current(): Promise<McpSession> {
    if (this.session) return Promise.resolve(this.session);
    this.opening ??= this.within(this.ports.limits.openMs, (signal) => this.reopen(signal)).finally(() => {
      this.opening = null;
    });
    return this.opening;
  }

  private async reopen(signal: AbortSignal): Promise<McpSession> {
    const session = await this.openWire(signal);
    if (this.closing.signal.aborted) {
      await session.close();
      throw new McpFailure('unsent', 'is not wanted any more');
    }
    this.session = session;
    // Whoever restarted it may have changed it.
    this.toolsChanged();
    return session;
  }

  private async drop(session: McpSession): Promise<void> {
    if (this.session === session) this.session = null;
    await session.close();
  }

  /** The SDK and what it brings are loaded for the first server: most processes never need them. */
  private async openWire(signal: AbortSignal): Promise<McpSession> {
    const { McpSession } = await import('./mcp-session.js');
    return McpSession.open(this.wire, this.http, this.ports, this.toolsChanged, signal);
  }

  /** Older servers refuse to be asked by POST at the address of their stream. */
  private async openSession(signal: AbortSignal): Promise<McpSession> {
    const open = () => this.openWire(signal);
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof McpFailure) || !isForOlder(error)) throw error;
      this.wire = 'sse';
      // Two refusals: the first is of the transport that is meant.
      return await open().catch((second: McpFailure) => {
        this.wire = 'streamable';
        throw second.kind === 'refused' ? error : second;
      });
    }
  }

  private async list(session: McpSession, signal: AbortSignal): Promise<void> {
    const { tools, isCut } = await listTools(session, this.ports.limits, signal);
    this.tools = tools;
    this.isCut = isCut;
  }

  private readonly toolsChanged = (): void => {
    this.isStale = true;
    this.refreshing ??= this.refresh().finally(() => {
      this.refreshing = null;
      if (this.isStale && !this.closing.signal.aborted) this.toolsChanged();
    });
  };

  /** Never rejects: the tools that are known stay. */
  private async refresh(): Promise<void> {
    try {
      for (let pauseMs = firstRefreshMs; this.isStale; pauseMs = nextRefreshMs) {
        await this.ports.clock.sleep(pauseMs, this.closing.signal);
        const session = await this.current();
        this.isStale = false;
        await this.within(this.ports.limits.openMs, (signal) => this.list(session, signal));
      }
    } catch (error) {
      this.isStale = false;
      if (this.closing.signal.aborted) return;
      const reason = this.mask.cleanError(error instanceof McpFailure ? error.message : 'failed');
      this.ports.logger.warn(
        { server: this.config.serverName, reason },
        'the changed tools of an MCP server could not be listed',
      );
    }
  }

  private async within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = this.ports.clock.deadline(ms, this.closing.signal);
    try {
      return await work(late.signal);
    } catch (error) {
      if (!late.signal.aborted) throw error;
      throw new McpFailure('unsent', `could not be reached within ${ms / 1000} s`);
    } finally {
      late[Symbol.dispose]();
    }
  }
}

/** 401 and 403 mean the caller, 429 the moment; all others may mean that it does not know this way of asking. */
const isForOlder = ({ status }: McpFailure): boolean =>
  status !== undefined && status >= 400 && status < 500 && ![401, 403, 407, 408, 429].includes(status);

const unwanted = (): McpFailure => new McpFailure('unsent', 'is not waited for any longer');
