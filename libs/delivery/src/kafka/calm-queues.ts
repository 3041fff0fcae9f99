import { createRequire } from 'node:module';

/** What is used here of a file of kafkajs 2.2.4 that it does not promise; hence the exact version in package.json. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  readonly throttledUntil: number;
  scheduleCheckPendingRequests: () => void;
}

const calmed = new WeakSet<object>();

/**
 * After every answer the client sets a timer for requests that wait, also where none does; its time is negative then, so
 * it fires at once, and sets the next one: a thousand times a second, for each connection, as long as it is open. Here
 * the timer is set only where something waits or the broker has asked for a pause.
 */
export function calmQueues(): void {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as {
    prototype: RequestQueue;
  };
  if (calmed.has(prototype)) return;
  calmed.add(prototype);
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this);
  };
}
