import type { Clock } from '#platform';
import { CLOSED } from './mcp-transport.js';
import type { McpWire } from './mcp-wire.js';

/** What changes again within this time is asked for once. */
const firstRefreshMs = 50;
const nextRefreshMs = 1_000;
/** A call that changes the tools is followed by their list, if that is quick. */
const refreshWaitMs = 1_000;
/** What a server said before a result, by another connection, is here so long after it. */
const noticeMs = 50;

export interface ToolChangesPorts {
  readonly clock: Clock;
  /** Aborted when the connection is closed. */
  readonly closing: AbortSignal;
  /** Asks for the list anew; `begins` is called when that is on its way: what changes from then on may not be in it. */
  readonly list: (begins: () => void) => Promise<void>;
  /** That was not possible: the tools that are known stay. */
  readonly onFailure: (error: unknown) => void;
}

/** Follows the changes of one server's tools. Owns whether they have changed, and whether their list is being asked for. */
export class ToolChanges {
  private refreshing: Promise<void> | null = null;
  private isStale = false;
  /** The server has said so in this run. */
  private isKnown = false;
  private readonly noticed = Promise.withResolvers<void>();

  constructor(private readonly ports: ToolChangesPorts) {}

  /** The server says that they have changed. */
  readonly onNotice = (): void => {
    this.isKnown = true;
    this.suspect();
    this.noticed.resolve();
  };

  /** They may have changed. */
  suspect(): void {
    this.isStale = true;
    this.refreshing ??= this.refresh().finally(() => {
      this.refreshing = null;
      if (this.isStale && !this.ports.closing.aborted) this.suspect();
    });
  }

  /**
   * Behind a call: resolves when a list that is being asked for, because the call has changed the tools, is here, or is late.
   * A server that has changed them before is asked in any case; the notice of another one is waited for, for a moment.
   */
  async settled(wire: McpWire | null): Promise<void> {
    if (wire?.mayChangeTools !== true) return;
    // Over HTTP with SSE all comes by one stream, in its order.
    if (this.refreshing === null && wire.kind !== 'sse') {
      if (this.isKnown) this.suspect();
      else await this.noticeOrNone();
    }
    if (this.refreshing === null) return;
    const late = new AbortController();
    const sleep = this.ports.clock.sleep(refreshWaitMs, late.signal).catch(() => undefined);
    await Promise.race([this.refreshing, sleep]);
    late.abort(CLOSED);
  }

  /** Real time, even where the run's is not: it is the wire that is waited for. */
  private async noticeOrNone(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, noticeMs);
    await Promise.race([this.noticed.promise, late.promise]);
    clearTimeout(timer);
    // Where this process was busy meanwhile, the notice may be here and not read: one turn reads it, one more hands it on.
    for (let turn = 0; turn < 2; turn++) await this.ports.clock.turn();
  }

  /** Never rejects. */
  private async refresh(): Promise<void> {
    const { clock, closing, list, onFailure } = this.ports;
    try {
      for (let pauseMs = firstRefreshMs; this.isStale; pauseMs = nextRefreshMs) {
        await clock.sleep(pauseMs, closing);
        await list(() => (this.isStale = false));
      }
    } catch (error) {
      this.isStale = false;
      if (!closing.aborted) onFailure(error);
    }
  }
}
