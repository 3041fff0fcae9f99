import type { StreamName } from '#domain';
import { Backoff, type Clock, type Logger, type Random } from '#platform';
import { type AppendResult, type Expected, LogUnavailable } from '#event-log';
import { describe, isNotLeader } from './answers.js';
import { AppendCall, type PendingAppend } from './append-call.js';
import type { ServerChannel } from './server-channel.js';
import type { WireEvent } from './wire-event.js';
import { RECONNECT_PAUSES } from './reconnect-pauses.js';

export interface AppenderOptions {
  readonly connect: () => ServerChannel;
  readonly prefix: string;
  /** An append without an answer for so long has an unknown outcome, and its connection is given up. */
  readonly appendTimeoutMs: number;
  /** For the round trip that shows that a connection works. */
  readonly probeTimeoutMs: number;
  readonly scrub: (text: string) => string;
  /** What keeps it from appending has changed. */
  readonly changed: () => void;
}

const MAX_IN_FLIGHT = 1_024;
const MAX_WAITING = 50_000;

/**
 * Sends appends, across failures of connections and servers. Owns the only channel for appends, and the queue.
 * 1. One channel at a time: the next is opened when the calls of the last have ended.
 * 2. When a call ends or times out, appends in flight have an unknown outcome. Unsent ones wait for the next
 *    connection, and are refused when that does not work at once.
 * 3. While the server is away (`down`) nothing is sent, so a refusal means that nothing was stored.
 */
export class Appender {
  private state: 'opening' | 'open' | 'down' | 'closed' = 'opening';
  private channel: ServerChannel | null = null;
  private call: AppendCall | null = null;
  private waiting: PendingAppend[] = [];
  private isSending = false;
  private trouble = '';
  private stopWatching: (() => void) | null = null;
  private whenIdle: (() => void) | null = null;
  private readonly stopping = new AbortController();

  constructor(
    private readonly options: AppenderOptions,
    private readonly ports: { readonly clock: Clock; readonly random: Random; readonly logger: Logger },
  ) {}

  /** What keeps it from appending, if anything does. */
  get problem(): string | undefined {
    if (this.state === 'closed') return 'the log is closed';
    return this.state === 'down' ? this.trouble : undefined;
  }

  /** Connects, or throws what the server or the network said. */
  async open(): Promise<string> {
    const version = await this.connect();
    await this.begin();
    return version;
  }

  append(stream: StreamName, events: readonly WireEvent[], expected: Expected): Promise<AppendResult> {
    const { problem } = this;
    if (problem !== undefined) return Promise.reject(new LogUnavailable(problem));
    if (this.waiting.length >= MAX_WAITING)
      return Promise.reject(new LogUnavailable(`${MAX_WAITING} appends wait already`));
    return new Promise((resolve, reject) => {
      this.waiting.push({ stream: this.options.prefix + stream, events, expected, resolve, reject });
      this.sendSoon();
    });
  }

  /** Something else has heard that the server may be gone: looks whether it is. */
  suspect(): void {
    if (this.state !== 'open' || this.call?.size !== 0) return;
    void this.channel
      ?.version(this.options.probeTimeoutMs)
      .catch((error: unknown) => this.lost(error, this.call));
  }

  /** Waits for the appends under way, as long as each of them may take. */
  async close(): Promise<void> {
    if (this.state === 'open' && (this.waiting.length > 0 || (this.call?.size ?? 0) > 0))
      await new Promise<void>((resolve) => (this.whenIdle = resolve));
    this.state = 'closed';
    this.stopping.abort();
    this.refuseWaiting();
    this.stopWatching?.();
    this.call?.abandon('the log was closed');
    this.call = null;
    this.channel?.close();
  }

  /** What was asked for together goes together. */
  private sendSoon(): void {
    if (this.isSending || this.state !== 'open') return;
    this.isSending = true;
    queueMicrotask(() => this.send());
  }

  private send(): void {
    this.isSending = false;
    if (this.state !== 'open' || this.call === null || this.waiting.length === 0) return;
    const room = MAX_IN_FLIGHT - this.call.size;
    if (room <= 0) return;
    this.call.send(this.waiting.splice(0, room), this.ports.clock.now());
    this.watch();
  }

  /** The adapter's own timer, one for all appends: the client has none that it keeps. */
  private watch(): void {
    const oldest = this.call?.oldestSentAt;
    if (this.stopWatching !== null || oldest === undefined) return;
    const { clock } = this.ports;
    const { appendTimeoutMs } = this.options;
    this.stopWatching = clock.timer(Math.max(1, oldest + appendTimeoutMs - clock.now()), () => {
      this.stopWatching = null;
      const sentAt = this.call?.oldestSentAt;
      if (sentAt !== undefined && clock.now() - sentAt >= appendTimeoutMs)
        this.lost(new Error(`no answer to an append for ${appendTimeoutMs} ms`), this.call);
      else this.watch();
    });
  }

  private answered(): void {
    if (this.waiting.length > 0) this.sendSoon();
    if (this.whenIdle !== null && this.waiting.length === 0 && this.call?.size === 0) this.whenIdle();
  }

  /** Invariant 2. */
  private lost(error: unknown, call: AppendCall | null): void {
    if (this.state !== 'open' || call !== this.call) return;
    this.state = 'opening';
    this.call = null;
    this.trouble = this.options.scrub(describe(error));
    this.ports.logger.warn(
      { detail: this.trouble, inFlight: call?.size },
      'the connection for appends was lost',
    );
    call?.abandon(this.trouble);
    this.whenIdle?.();
    void this.reopen(isNotLeader(error));
  }

  /** `isKept`: the channel has heard who leads, and its next call goes there. */
  private async reopen(isKept: boolean): Promise<void> {
    const { clock, random, logger } = this.ports;
    const backoff = new Backoff(clock, RECONNECT_PAUSES, random);
    // While a leader is elected the nodes may name each other.
    if (isKept) await backoff.wait(this.stopping.signal);
    for (let keep = isKept; !this.stopping.signal.aborted; keep = false) {
      try {
        if (!keep) await this.connect();
        await this.begin();
        if (backoff.count > 0) logger.info({ tries: backoff.count }, 'the server for appends is back');
        return;
      } catch (error) {
        this.trouble = this.options.scrub(describe(error));
        if (this.state === 'opening') this.state = 'down';
        this.options.changed();
        this.refuseWaiting();
      }
      await backoff.wait(this.stopping.signal);
    }
  }

  /** Invariant 1. Resolves with the server's version. */
  private async connect(): Promise<string> {
    this.channel?.close();
    this.channel = this.options.connect();
    return await this.channel.version(this.options.probeTimeoutMs);
  }

  private async begin(): Promise<void> {
    const { channel } = this;
    if (channel === null || this.stopping.signal.aborted) throw new Error('the log is closed');
    const call: AppendCall = await AppendCall.open((listener) => channel.openAppends(listener), {
      ended: (error) => this.lost(error, call),
      answered: () => this.answered(),
    });
    if (this.stopping.signal.aborted) return call.abandon('the log was closed');
    this.call = call;
    this.state = 'open';
    this.options.changed();
    this.sendSoon();
  }

  private refuseWaiting(): void {
    const error = new LogUnavailable(this.problem ?? this.trouble);
    for (const append of this.waiting.splice(0)) append.reject(error);
  }
}
