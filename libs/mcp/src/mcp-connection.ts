import type { Logger } from '#platform';
import { discoverEra } from './era-discovery.js';
import type { EraVerdict, EraVerdicts } from './era-verdicts.js';
import { McpFailure } from './mcp-failure.js';
import { McpHttp, type McpHttpPorts } from './mcp-http.js';
import type { McpServerConfig } from '#agent';
import { CLOSED } from './mcp-transport.js';
import type { McpWire, RequestOptions, WirePorts } from './mcp-wire.js';
import { isOfCaller, openSession, openWire } from './open-wire.js';
import type { McpSession } from './mcp-session.js';
import type { ModernWire } from './modern-wire.js';
import { raceAbort } from './race-abort.js';
import { SecretMask } from './secret-mask.js';
import { ToolChanges } from './tool-changes.js';
import { type LeftOutTool, type ListedTool, listTools } from './tool-list.js';

export interface McpConnectionPorts extends McpHttpPorts {
  /** Of the run: what its results hold of files is named for it. */
  readonly session: string;
  readonly logger: Logger;
  readonly verdicts: EraVerdicts;
}

/** Between two attempts to reach a server that is waited for. */
const MAX_PAUSE_MS = 5_000;
/**
 * One server of one run: what it speaks, its connections, its session, which is opened again when it was lost, and its tools
 * as they were listed last. Owns all of them until `close`.
 */
export class McpConnection {
  readonly mask: SecretMask;
  readonly session: string;
  /** Of the newest list; the array is another one when it has changed. */
  tools: readonly ListedTool[] = [];
  /** Names of the tools that are more than are taken, as far as they are known; null: there are none. */
  beyond: readonly string[] | null = null;
  leftOut: readonly LeftOutTool[] = [];
  /** Why its tools are not known, as the end of "the tool server …"; null: they are. */
  failure: string | null = null;
  private readonly http: McpHttp;
  private readonly wirePorts: WirePorts;
  private readonly closing = new AbortController();
  private wire: McpWire | null = null;
  /** Opens again what was lost; null: it is found out anew what it speaks. */
  private reopenWire: ((signal: AbortSignal) => Promise<McpWire>) | null = null;
  private opening: Promise<McpWire> | null = null;
  private readonly changes: ToolChanges;

  constructor(
    readonly config: McpServerConfig,
    private readonly ports: McpConnectionPorts,
    /** Of several servers of its name, which one in the order of the request. */
    readonly index = 0,
  ) {
    this.mask = new SecretMask(config);
    this.session = ports.session;
    this.http = new McpHttp(config, ports, this.mask);
    const { clock, limits } = ports;
    this.changes = new ToolChanges({
      clock,
      closing: this.closing.signal,
      list: (begins) => this.relisted(begins),
      onFailure: (error) => this.notRelisted(error),
    });
    this.wirePorts = { http: this.http, clock, limits, onToolsChanged: this.changes.onNotice };
  }

  /** Finds out what it speaks, connects and lists the tools, all within the time for it. @throws McpFailure */
  async open(): Promise<void> {
    const { verdicts, clock, limits } = this.ports;
    const { serverUrl } = this.config;
    const known = verdicts.get(serverUrl, clock.now());
    try {
      await this.within(limits.openMs, async (signal) => {
        if (known !== undefined && (await this.opensAs(known, signal))) return;
        await this.openAs(await discoverEra(this.wirePorts, signal), signal);
      });
    } catch (error) {
      verdicts.forget(serverUrl);
      this.failure = this.reasonOf(error, 'cannot be used');
      throw error;
    }
  }

  /**
   * Waits for a server that could not be opened, for as long as it may be away. Resolves with why it cannot be used; null: its
   * tools are known. @throws the signal's reason
   */
  async reached(signal: AbortSignal): Promise<string | null> {
    const { clock, limits } = this.ports;
    const until = clock.now() + limits.awayMs;
    for (let pauseMs = limits.pollMs; this.failure !== null; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      try {
        const listed = this.within(limits.openMs, (late) => this.listed(late));
        await raceAbort(listed, signal, unwanted);
      } catch (error) {
        signal.throwIfAborted();
        this.failure = this.reasonOf(error, 'cannot be used');
        if (clock.now() >= until) break;
        await clock.sleep(pauseMs, signal);
      }
    }
    return this.failure;
  }

  /** @throws McpFailure */
  async request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: RequestOptions,
  ): Promise<Record<string, unknown>> {
    const wire = await raceAbort(this.current(), options.signal, unwanted);
    try {
      return await wire.request(method, params, options);
    } catch (error) {
      const isGone =
        error instanceof McpFailure &&
        (error.kind === 'session' || (error.kind === 'lost' && wire.kind === 'sse'));
      if (isGone && !options.signal.aborted) await this.drop(wire);
      throw error;
    }
  }

  /** Lists the tools again, now. @throws McpFailure */
  async relist(signal: AbortSignal): Promise<void> {
    const wire = await raceAbort(this.current(), signal, unwanted);
    await this.list(wire, signal);
  }

  /** @throws McpFailure */
  private async listed(signal: AbortSignal): Promise<void> {
    const wire = await this.current();
    if (this.failure !== null) await this.list(wire, signal);
  }

  /** Behind a call: resolves when what it may have changed of the tools is known, or is late. */
  refreshed(): Promise<void> {
    return this.changes.settled(this.wire);
  }

  /** Says goodbye if that is quick; then everything is closed. */
  async close(): Promise<void> {
    const { wire, ports } = this;
    this.wire = null;
    if (wire && !this.closing.signal.aborted) {
      const late = ports.clock.deadline(ports.limits.closeMs, this.closing.signal);
      try {
        await raceAbort(wire.farewell(late.signal), late.signal, unwanted);
      } catch {
        // It need not answer.
      } finally {
        late[Symbol.dispose]();
      }
    }
    this.closing.abort(CLOSED);
    await wire?.close();
    await this.http.destroy();
  }

  /** As it was found to be before; false: it is not that any more. */
  private async opensAs(known: EraVerdict, signal: AbortSignal): Promise<boolean> {
    try {
      await this.openAs(known, signal, true);
      return true;
    } catch (error) {
      const isRefuted = error instanceof McpFailure && error.kind !== 'unsent' && !isOfCaller(error);
      if (!isRefuted || signal.aborted) throw error;
      return false;
    }
  }

  private async openAs(verdict: EraVerdict, signal: AbortSignal, isKnown = false): Promise<void> {
    const wire = await openWire(verdict, this.wirePorts, signal);
    this.wire = wire;
    try {
      await this.list(wire, signal);
    } catch (error) {
      this.wire = null;
      await wire.close();
      throw error;
    }
    const { verdicts, clock } = this.ports;
    const isSession = wire.kind !== 'modern';
    this.reopensAs(wire);
    // One that was kept holds for as long as it did, not longer.
    if (isKnown) return;
    verdicts.set(
      this.config.serverUrl,
      isSession ? { era: 'legacy', version: wire.version } : verdict,
      clock.now(),
    );
  }

  private current(): Promise<McpWire> {
    if (this.wire) return Promise.resolve(this.wire);
    this.opening ??= this.within(this.ports.limits.openMs, (signal) => this.reopen(signal)).finally(() => {
      this.opening = null;
    });
    return this.opening;
  }

  private async reopen(signal: AbortSignal): Promise<McpWire> {
    if (this.closing.signal.aborted) throw unwanted();
    const wire = await (this.reopenWire?.(signal) ?? this.found(signal));
    const isFirst = this.failure !== null;
    // What its tasks came to can be asked for without its tools.
    if (isFirst) await this.list(wire, signal).catch(() => undefined);
    if (this.closing.signal.aborted) {
      await wire.close();
      throw unwanted();
    }
    this.wire = wire;
    // Whoever restarted it may have changed it.
    if (!isFirst) this.changes.suspect();
    return wire;
  }

  /** One that could not be opened at first. */
  private async found(signal: AbortSignal): Promise<McpWire> {
    const wire = await openWire(await discoverEra(this.wirePorts, signal), this.wirePorts, signal);
    this.reopensAs(wire);
    return wire;
  }

  /** A wire without sessions is never lost. */
  private reopensAs(wire: ModernWire | McpSession): void {
    if (wire.kind === 'modern') return;
    const { kind, version } = wire;
    this.reopenWire = (signal) => openSession(kind, version, this.wirePorts, signal);
  }

  private async drop(wire: McpWire): Promise<void> {
    if (this.wire === wire) this.wire = null;
    await wire.close();
  }

  private async list(wire: McpWire, signal: AbortSignal): Promise<void> {
    const { tools, beyond, leftOut } = await listTools(wire, this.ports.limits, signal);
    this.tools = tools;
    this.beyond = beyond;
    this.leftOut = leftOut;
    this.failure = null;
  }

  private reasonOf(error: unknown, otherwise: string): string {
    return this.mask.cleanError(error instanceof McpFailure ? error.message : otherwise);
  }

  private async relisted(begins: () => void): Promise<void> {
    const wire = await this.current();
    begins();
    await this.within(this.ports.limits.openMs, (signal) => this.list(wire, signal));
  }

  private notRelisted(error: unknown): void {
    const reason = this.reasonOf(error, 'failed');
    this.ports.logger.warn(
      { server: this.config.serverName, reason },
      'the changed tools of an MCP server could not be listed',
    );
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

const unwanted = (): McpFailure => new McpFailure('unsent', 'is not waited for any longer');
