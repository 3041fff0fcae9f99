import { type RequestQueue, requestQueue } from './kafkajs-internals.js';

let isDisabled = false;

/**
 * After every answer the client sets a timer for requests that wait, also where none does; its time is negative then, so
 * it fires at once, and sets the next one: a thousand times a second, for each connection, as long as it is open. Here
 * the timer is set only where something waits or the broker has asked for a pause.
 */
export function disableIdleRequestTimers(): void {
  if (isDisabled) return;
  isDisabled = true;
  const schedule = requestQueue.scheduleCheckPendingRequests;
  requestQueue.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this);
  };
}
