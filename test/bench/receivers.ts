import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** Receivers of callbacks in a thread of their own; a dead one takes requests and never answers. */
export interface Receivers {
  readonly urls: readonly string[];
  close(): Promise<number>;
}

export async function openReceivers(count: number, dead = 0): Promise<Receivers> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { count, dead } });
  const [urls] = (await once(worker, 'message')) as [string[]];
  return { urls, close: () => worker.terminate() };
}

async function serve({ count, dead }: { readonly count: number; readonly dead: number }): Promise<void> {
  const urls: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const server = createServer((request, response) => {
      request.resume();
      if (i >= dead) request.once('end', () => response.writeHead(204).end());
    });
    server.keepAliveTimeout = 60_000;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  }
  parentPort?.postMessage(urls);
}

if (!isMainThread) await serve(workerData as { count: number; dead: number });
