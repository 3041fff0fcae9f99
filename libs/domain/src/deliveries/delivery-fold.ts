import type { Revision } from '../ids.js';
import type { DeliveryAttempt, DeliveryEvent, DeliveryStatus } from './delivery-events.js';

/** What is known of one event's delivery. */
export interface DeliveryRecord {
  readonly status: DeliveryStatus;
  /** Resends count, too. */
  readonly attempts: number;
  /** Of the latest attempt; null: no answer. */
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastResponse: string | null;
  /** ms since 1970; null: none is planned. */
  readonly nextAt: number | null;
  /** ms since 1970, of the latest attempt; null: there was none. */
  readonly lastAt: number | null;
  /** Whatever a resend may come to. */
  readonly wasDelivered: boolean;
}

/** A public event of a run. */
export interface EventPlace {
  /** 1, 2, 3 … within the run. */
  readonly sequence: number;
  /** In its session. */
  readonly revision: Revision;
}

const UNTRIED: DeliveryRecord = {
  status: 'pending',
  attempts: 0,
  lastStatus: null,
  lastError: null,
  lastResponse: null,
  nextAt: null,
  lastAt: null,
  wasDelivered: false,
};

const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

/**
 * The deliveries of a run: a fold of its `delivery-` stream. Feed it in order.
 * 1. `next` is the first event whose turn has not passed; it rises by one, and only by an attempt that came through.
 * 2. Resends touch nothing but the record of what they send. One that asks for the event whose turn it is anyway makes
 *    its next attempt due.
 */
export class DeliveryFold {
  next = 1;
  /** Revision of the event before `next`; null: `next` is the first. */
  passed: number | null = null;
  /** Attempts of `next` so far. */
  tries = 0;
  /** Nothing more is sent but what is asked for again. */
  isStopped = false;
  /** The run's last event was delivered. */
  isComplete = false;
  /** What was asked for again and not attempted since, in order. */
  resends: readonly EventPlace[] = [];
  private readonly records = new Map<number, DeliveryRecord>();

  /** @param keepsAll whether records are kept that no attempt depends on any more */
  constructor(private readonly keepsAll = true) {}

  /** Nothing is left to do, unless somebody asks for something again. */
  get isSettled(): boolean {
    return (this.isStopped || this.isComplete) && this.resends.length === 0;
  }

  /** Some event was given up. */
  get hasFailed(): boolean {
    for (const { status } of this.records.values()) if (status === 'failed') return true;
    return false;
  }

  /** What is known of a delivery, attempted or not. */
  record(sequence: number): DeliveryRecord {
    const known = this.records.get(sequence);
    if (known !== undefined) return known;
    return this.isStopped ? { ...UNTRIED, status: 'stopped' } : UNTRIED;
  }

  push(event: DeliveryEvent & { readonly time: number }): void {
    if (event.type === 'delivery_resend_requested') this.askAgain(event.data, event.time);
    else if (event.data.is_resend) this.resent(event.data, event.time);
    else this.attempted(event.data, event.time);
  }

  private attempted(attempt: DeliveryAttempt, time: number): void {
    const { sequence, status, next_at: nextAt = null } = attempt;
    const known = this.record(sequence);
    const wasDelivered = known.wasDelivered || isSuccess(status);
    const failed = nextAt === null ? 'failed' : 'retrying';
    this.set(sequence, {
      ...triedOnce(known, attempt, time),
      status: wasDelivered ? 'delivered' : failed,
      nextAt: wasDelivered ? null : nextAt,
      wasDelivered,
    });
    // Another relay was faster.
    if (sequence !== this.next) return;
    this.tries += 1;
    if (attempt.gave_up) this.isStopped = true;
    else if (isSuccess(status)) this.pass(attempt);
  }

  private pass({ sequence, revision, is_last }: DeliveryAttempt): void {
    this.next += 1;
    this.passed = revision;
    this.tries = 0;
    this.isComplete ||= is_last === true;
    if (!this.keepsAll) this.records.delete(sequence);
  }

  private resent(attempt: DeliveryAttempt, time: number): void {
    const known = this.record(attempt.sequence);
    const wasDelivered = known.wasDelivered || isSuccess(attempt.status);
    const status = wasDelivered ? 'delivered' : 'failed';
    this.set(attempt.sequence, { ...triedOnce(known, attempt, time), status, nextAt: null, wasDelivered });
    this.resends = this.resends.filter(({ sequence }) => sequence !== attempt.sequence);
  }

  private askAgain({ sequence, revision }: EventPlace, time: number): void {
    const known = this.record(sequence);
    if (sequence >= this.next && !this.isStopped) {
      if (known.nextAt !== null) this.set(sequence, { ...known, nextAt: time });
      return;
    }
    if (this.resends.some((resend) => resend.sequence === sequence)) return;
    this.resends = [...this.resends, { sequence, revision }];
    this.set(sequence, { ...known, status: 'pending', nextAt: time });
  }

  private set(sequence: number, record: DeliveryRecord): void {
    this.records.set(sequence, record);
  }
}

const triedOnce = (known: DeliveryRecord, attempt: DeliveryAttempt, time: number): DeliveryRecord => ({
  ...known,
  lastAt: time,
  attempts: known.attempts + 1,
  lastStatus: attempt.status,
  lastError: attempt.error ?? null,
  lastResponse: attempt.response ?? null,
});
