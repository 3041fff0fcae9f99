import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The only pause that a test may make: where the time in which nothing happens, or in which the service is slow to get
 * something, is itself what is tested. What has to come is waited for with `until`.
 */
export function quiet(ms: number): Promise<void> {
  return sleep(ms);
}
