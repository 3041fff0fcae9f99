import type { Revision } from '../ids.js';
import { typedReader } from '../typed-event.js';

/** What became of one attempt to send an event to its run's callback. */
export interface DeliveryAttempt {
  /** 1, 2, 3 … within the run. */
  readonly sequence: number;
  /** Of the event in its session. */
  readonly revision: Revision;
  /** HTTP status; null: there was no answer. */
  readonly status: number | null;
  /** The beginning of the answer's body. */
  readonly response?: string;
  /** Why there was no answer; fit for the caller. */
  readonly error?: string;
  /** When the next attempt is due, in ms since 1970; absent: it was delivered, or none follows. */
  readonly next_at?: number;
  /** No attempt follows, and the run's later events are not sent. */
  readonly gave_up?: true;
  /** The event is its run's last one. */
  readonly is_last?: true;
  /** Answers a `delivery_resend_requested`; the run's other deliveries are not touched by it. */
  readonly is_resend?: true;
}

/** Events of a `delivery-` stream. */
export type DeliveryEvent =
  | { readonly type: 'delivery_attempted'; readonly data: DeliveryAttempt }
  | {
      readonly type: 'delivery_resend_requested';
      readonly data: {
        readonly sequence: number;
        /** Of the event in its session. */
        readonly revision: Revision;
        /** Revision of the run's `run_requested`. */
        readonly requested: Revision;
      };
    };

const deliveryEvent = typedReader<DeliveryEvent>({
  delivery_attempted: true,
  delivery_resend_requested: true,
});

export const DELIVERY_STATUSES = ['pending', 'retrying', 'delivered', 'failed', 'stopped'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

interface Recorded {
  readonly type: string;
  readonly data: object;
  readonly isErased?: boolean;
  readonly isUnreadable?: boolean;
}

/**
 * Reads a recorded event of a `delivery-` stream; null: of a type that this version does not know, erased, or unreadable:
 * then the attempt is made again.
 */
export function asDeliveryEvent<E extends Recorded>(event: E): (E & DeliveryEvent) | null {
  return event.isErased === true || event.isUnreadable === true ? null : deliveryEvent(event);
}
