import { parentPort, workerData } from 'node:worker_threads';
import { OVER_MEMORY, OVER_TIME, type WatchOrders } from './protocol.js';

/**
 * Watchdog thread: ends its process, whose main thread may be too busy to react, when it is over its memory
 * or CPU time, or when its parent is gone.
 */
const { parent, memoryBytes, cpuMs, request } = workerData as WatchOrders;
const LOOK_MS = 20;
let watched = 0;
let computedBefore = 0;

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  // By default both signals end a process, without a dump of what it holds; nobody else sends them.
  if (process.memoryUsage.rss() > memoryBytes) process.kill(process.pid, OVER_MEMORY);
  const computed = computedMs();
  const now = Atomics.load(request, 0);
  if (now !== watched) [watched, computedBefore] = [now, computed];
  if (now !== 0 && cpuMs !== null && computed - computedBefore > cpuMs) process.kill(process.pid, OVER_TIME);
}, LOOK_MS);
parentPort?.postMessage('watching');

function computedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
