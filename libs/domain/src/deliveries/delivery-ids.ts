import type { RunId, StreamName } from '../ids.js';
import { createHash } from 'node:crypto';

export const deliveryStream = (run: RunId): StreamName => `delivery-${run}`;

/** The run of a stream's name, or null where it is another kind of stream. */
export const runOfDeliveryStream = (stream: StreamName): RunId | null =>
  stream.startsWith('delivery-') ? stream.slice('delivery-'.length) : null;

/** Names the delivery of a run's n-th event: its `webhook-id`, in every attempt and resend. */
export const deliveryId = (run: RunId, sequence: number): string => `dlv_${digestOf(run)}_${sequence}`;

/** The sequence that an id names in this run, or null where it is none of its deliveries. */
export function sequenceOfDelivery(run: RunId, id: string): number | null {
  const match = /^dlv_([0-9a-f]{24})_([1-9]\d{0,14})$/.exec(id);
  return match !== null && match[1] === digestOf(run) ? Number(match[2]) : null;
}

const digestOf = (run: RunId): string => createHash('sha256').update(run).digest('hex').slice(0, 24);
