import { type EventPlace, isEndType, isPublicType, sessionStream } from '#domain';
import { type ContentStore } from '#vault';
import { type EventLog, LogUnavailable, NO_EVENTS, type RecordedEvent, isErasure, eventAt } from '#event-log';
import type { Clock, Logger } from '#platform';
import { publicJson } from '../public-json.js';
import type { RunReceipts } from '../run-receipts.js';
import type { Callback } from './callback.js';
import type { CallbackAttempts, CallbackRun } from './callback-attempt.js';
import type { DeliveryLog } from './delivery-log.js';
import type { HostBulkhead } from './host-bulkhead.js';

export interface RunQueuePorts {
  readonly log: EventLog;
  readonly contents: ContentStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly attempts: CallbackAttempts;
  readonly bulkhead: HostBulkhead;
  /** Absent: receivers are given none. */
  readonly receipts?: RunReceipts | undefined;
}

const LOG_RETRY_MS = 1_000;

/**
 * Delivers one run's events to its callback, in order. Owns the run's position in its stream.
 * 1. An event is sent only after the one before it was delivered, never earlier.
 * 2. It keeps no events while it waits: the log is read again.
 * 3. Its next step follows from the `delivery-` stream alone, so any relay can continue.
 */
export class RunQueue {
  private readonly callback: Callback | null;
  private readonly origin: string;
  private hasNews = false;
  private isEnding = false;
  private isOver = false;
  /** Of its own: a signal that thousands of attempts listen to is slow to listen to. */
  private readonly cutting = new AbortController();
  /** Aborted when there is news, or the queue is to end. */
  private pause = new AbortController();

  constructor(
    readonly run: CallbackRun,
    readonly deliveries: DeliveryLog,
    private readonly ports: RunQueuePorts,
  ) {
    this.callback = ports.attempts.open(run);
    this.origin = this.callback === null ? '' : new URL(this.callback.url).origin;
  }

  /** Something was asked for again. False: the queue is over and does not see to it. */
  wake(): boolean {
    this.hasNews = true;
    this.pause.abort();
    return !this.isOver;
  }

  /** Ends after the attempt that is under way. */
  end(): void {
    this.isEnding = true;
    this.pause.abort();
  }

  /** Ends in the middle of an attempt; what came of it is not known. */
  cut(): void {
    this.end();
    this.cutting.abort();
  }

  private get stop(): AbortSignal {
    return this.cutting.signal;
  }

  /** Until all is delivered or given up, or the relay stops. The stream must have been loaded. */
  async work(): Promise<void> {
    while (!this.isOver) {
      try {
        await this.workOnce();
      } catch (error) {
        // Erased while it was sent: a file of what was read before is gone.
        if (isErasure(error)) this.cut();
        if (this.stop.aborted) this.isOver = true;
        else await this.pauseAfter(error);
      }
    }
  }

  private async workOnce(): Promise<void> {
    if (!this.isEnding) this.pause = new AbortController();
    if (this.hasNews) await this.hear();
    if (!this.isEnding) await this.sendAgain();
    if (this.isEnding || this.deliveries.fold.isSettled) {
      await this.deliveries.flush();
      this.isOver = this.isEnding || !this.hasNews;
      return;
    }
    await this.waitUntilDue();
    await this.sendOn();
  }

  private async hear(): Promise<void> {
    this.hasNews = false;
    await this.deliveries.reload();
  }

  private async sendAgain(): Promise<void> {
    for (const place of this.deliveries.fold.resends) {
      if (this.isEnding) return;
      const event = await eventAt(this.ports.log, sessionStream(this.run.session), place.revision);
      if (event?.isErased) return this.cut();
      if (event !== undefined) await this.attempt(event, place, true);
    }
  }

  /** Waits for the next attempt of an event that failed. */
  private async waitUntilDue(): Promise<void> {
    const { fold } = this.deliveries;
    const { nextAt } = fold.record(fold.next);
    if (nextAt === null || fold.isStopped) return;
    const waitMs = nextAt - this.ports.clock.now();
    if (waitMs > 0) await this.ports.clock.sleep(waitMs, this.pause.signal).catch(() => undefined);
  }

  /** From the event whose turn it is, until one fails, the run ends, or there is news. */
  private async sendOn(): Promise<void> {
    if (this.pause.signal.aborted || this.isDone) return;
    const after = this.deliveries.fold.passed ?? this.run.requested;
    const options = { after, signal: this.pause.signal };
    for await (const page of this.ports.log.subscribeStream(sessionStream(this.run.session), options)) {
      for (const event of page) {
        // Of an erased session nothing more is sent, however far the queue is behind.
        if (event.isErased || event.type === 'session_erased') return this.cut();
        if (this.isDone) return;
        if (event.meta.run !== this.run.run || !isPublicType(event.type) || this.isPassed(event)) continue;
        const sequence = this.deliveries.fold.next;
        await this.attempt(event, { sequence, revision: event.revision }, false);
        if (!this.isPassed(event) || this.isDone || this.pause.signal.aborted) return;
      }
    }
    // At once again would be for ever: the log is closed, and nothing else would have its turn.
    if (!this.pause.signal.aborted) throw new LogUnavailable('the log has ended the subscription');
  }

  /** Nothing is to be sent any more; another relay may have seen to it. */
  private get isDone(): boolean {
    const { isStopped, isComplete } = this.deliveries.fold;
    return isStopped || isComplete;
  }

  /** Another relay may have got further. */
  private isPassed({ revision }: RecordedEvent): boolean {
    return revision <= (this.deliveries.fold.passed ?? NO_EVENTS);
  }

  private async attempt(event: RecordedEvent, place: EventPlace, isResend: boolean): Promise<void> {
    const { attempts, bulkhead, contents } = this.ports;
    const json = await publicJson(event, this.run.session, contents);
    const isLast = isEndType(event.type);
    const receipt = isLast ? await this.receiptOf(event) : null;
    const due = { ...place, json, isLast, ...(receipt === null ? {} : { receipt }) };
    await bulkhead.with(this.origin, async () => {
      this.stop.throwIfAborted();
      // Of its turn, too, much may have been heard while it waited.
      if (!isResend && (this.isDone || this.isPassed(event))) return true;
      const tries = isResend ? 0 : this.deliveries.fold.tries;
      const attempt = await attempts.make(this.run, this.callback, due, tries, this.stop);
      const { next_at: _, gave_up: __, ...told } = attempt;
      await this.deliveries.record(isResend ? { ...told, is_resend: true } : attempt);
      return attempt.status !== null;
    });
  }

  private async receiptOf({ revision }: RecordedEvent): Promise<string | null> {
    const { session, run } = this.run;
    return (await this.ports.receipts?.header({ session, run, revision })) ?? null;
  }

  private async pauseAfter(cause: unknown): Promise<void> {
    const { logger, clock } = this.ports;
    const { run, session } = this.run;
    const fields = { err: cause, run, session };
    if (cause instanceof LogUnavailable) logger.warn(fields, 'callbacks of a run have to wait for the log');
    else logger.error(fields, 'callbacks of a run failed and are tried again');
    await clock.sleep(LOG_RETRY_MS, this.stop).catch(() => undefined);
  }
}
