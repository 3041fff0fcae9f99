import { appendFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before the service (`--import`), from outside of it: at each SIGUSR2 it lets go of all that is garbage and writes
 * a line to the file MEMORY_FILE: the process's id, and the bytes that are still held on its heap and beside it.
 */
const file = process.env['MEMORY_FILE'] ?? '';

if (isMainThread && file !== '') {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', () => {
    // What the first one finds weak only the second one frees.
    collect();
    collect();
    const { heapUsed, external } = process.memoryUsage();
    appendFileSync(file, `${process.pid} ${heapUsed + external}\n`);
  });
}
