import { Server } from 'node:http';
import { openSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before the service (`--import`), from outside of it: a leak that has to be found. Of each request it keeps
 * LEAK_BYTES for good, and of each tenth a file that is open.
 */
const bytes = Number(process.env['LEAK_BYTES'] ?? 0);
const FILE_EVERY = 10;
const kept: unknown[] = [];

if (isMainThread && bytes > 0) {
  const emit = Reflect.get(Server.prototype, 'emit') as (...args: readonly unknown[]) => unknown;
  let requests = 0;
  Reflect.set(Server.prototype, 'emit', function (this: Server, ...args: unknown[]): unknown {
    if (args[0] === 'request') {
      kept.push(Array.from({ length: Math.ceil(bytes / 8) }, (_, n) => n + 0.5));
      if (++requests % FILE_EVERY === 0) kept.push(openSync('/dev/null', 'r'));
    }
    return Reflect.apply(emit, this, args);
  });
}
