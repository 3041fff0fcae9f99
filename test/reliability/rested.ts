import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceClient } from '../support/service-client.js';
import { PATIENCE_MS } from '../support/until.js';

const LOOK_MS = 50;

/** Until the lists show every run's end: they follow the log. Returns what they show otherwise when nobody waits any more. */
export async function rested(client: ServiceClient): Promise<string | null> {
  const late = performance.now() + PATIENCE_MS;
  for (const status of ['queued', 'running'])
    for (;;) {
      const [run] = await client.all<{ run_id: string }>(`/runs?status=${status}`);
      if (run === undefined) break;
      if (performance.now() > late) return `${run.run_id} is ${status} still`;
      await sleep(LOOK_MS);
    }
  return null;
}
