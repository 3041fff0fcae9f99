import { setFlagsFromString } from 'node:v8';

/**
 * Resets V8's flag so that new threads do not inherit this process's `--max-semi-space-size`, which V8 gives
 * them whatever their `resourceLimits` say: for the log's thread it is 32 MB for nothing.
 */
export function leaveThreadsTheirLimits(): void {
  setFlagsFromString('--max-semi-space-size=0');
}

/**
 * URL of the compiled form of a file, for a worker thread or a child process. Jest compiles in memory, where
 * neither finds it; before its tests everything is compiled into `dist` (.ci/build.mjs).
 * @param file relative to the caller, as `./x.js`
 * @param from the caller's `import.meta.url`
 */
export function compiledFile(file: string, from: string): URL {
  const { href } = new URL(file, from);
  return new URL(from.endsWith('.ts') ? href.replace(/^(.*)\/(libs|apps)\//, '$1/dist/$2/') : href);
}
