import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the young generation that this process was started with (`--max-semi-space-size`) to the thread that has it. V8
 * would give each new thread as large a one, whatever its `resourceLimits` say: the log's takes 32 MB more for nothing.
 */
export function leaveThreadsTheirLimits(): void {
  setFlagsFromString('--max-semi-space-size=0');
}
