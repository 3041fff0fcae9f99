export const DELIVERY_STATUSES = ['pending', 'retrying', 'delivered', 'failed', 'stopped'] as const;

/** A delivery of `GET /deliveries`, and of a run. */
export interface DeliveryView {
  readonly delivery_id: string;
  readonly run_id: string;
  readonly session: string;
  /** Of the event that is delivered. */
  readonly event_id: string;
  readonly type: string;
  readonly status: (typeof DELIVERY_STATUSES)[number];
  /** The origin of the URL alone; null: it cannot be read. */
  readonly target: string | null;
  readonly attempts: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly last_response: string | null;
  readonly last_attempt_at: string | null;
  readonly next_attempt_at: string | null;
}

/** `shop.example` of an origin with the usual port, else all of it. */
export function hostOf(target: string | null = null): string {
  if (target === null) return '–';
  return target.replace(/^https:\/\//, '');
}

/** What the last attempt came to: `503`, `no answer: time-out`; empty: there was none. */
export function lastAnswer({ last_status: status, last_error: error }: DeliveryView): string {
  if (status !== null) return String(status);
  return error ?? '';
}
