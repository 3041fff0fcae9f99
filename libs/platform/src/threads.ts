import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the young generation that this process was started with (`--max-semi-space-size`) to the thread that has it. V8
 * would give each new thread as large a one, whatever its `resourceLimits` say: the log's takes 32 MB more for nothing.
 */
export function leaveThreadsTheirLimits(): void {
  setFlagsFromString('--max-semi-space-size=0');
}

/**
 * The compiled form of a file, for a thread to run. Jest compiles in memory, where no thread finds it; before its tests
 * everything is compiled into `dist` (.ci/build.mjs).
 * @param file from the caller's own place on, `./x.js` @param from the caller's `import.meta.url`
 */
export function compiledFile(file: string, from: string): URL {
  const { href } = new URL(file, from);
  return new URL(from.endsWith('.ts') ? href.replace(/^(.*)\/(libs|apps)\//, '$1/dist/$2/') : href);
}
