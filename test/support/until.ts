import { setTimeout as sleep } from 'node:timers/promises';

/** More than a busy machine takes for anything that is waited for, less than the runner gives a test. */
export const PATIENCE_MS = 120_000;

/** Waits for what has to come. @throws Error with what there was instead */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  instead: () => unknown = () => '',
): Promise<void> {
  for (const late = Date.now() + PATIENCE_MS; !(await isTrue()); await sleep(25)) {
    if (Date.now() > late) throw new Error(`waited in vain: ${JSON.stringify(await instead())}`);
  }
}
