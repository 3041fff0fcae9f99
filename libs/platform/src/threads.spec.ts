import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, it } from '@jest/globals';
import { leaveThreadsTheirLimits } from './threads.js';

afterEach(leaveThreadsTheirLimits);

it('gives a thread no larger a young generation than its limits say', async () => {
  const before = await heapLimitMb();
  setFlagsFromString('--max-semi-space-size=32');
  expect(await heapLimitMb()).toBeGreaterThan(before + 32);
  leaveThreadsTheirLimits();
  expect(await heapLimitMb()).toBe(before);
});

/** How large the heap of a new thread with a small young generation may become, in MB. */
async function heapLimitMb(): Promise<number> {
  const code = `require('worker_threads').parentPort.postMessage(require('v8').getHeapStatistics().heap_size_limit)`;
  const worker = new Worker(code, { eval: true, resourceLimits: { maxYoungGenerationSizeMb: 8 } });
  const [bytes] = (await once(worker, 'message')) as [number];
  return bytes / 1024 / 1024;
}
