import { type Context, Script, createContext } from 'node:vm';

/** The work took longer than it may. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

const call = new Script('work()');
let context: (Context & { work?: () => unknown }) | null = null;

/**
 * Does work that does not wait for anything, but computes no longer than it may: V8 interrupts it wherever it is, in a loop
 * or in the middle of matching a pattern, and it cannot catch that. On a busy machine, where it did not get the time, it is
 * begun again with more. Costs about 0.2 ms. @throws TookTooLong, what the work throws
 */
export function withinTime<T>(cpuMs: number, work: () => T): T {
  for (let ms = cpuMs; ; ms *= 2) {
    const before = process.threadCpuUsage();
    try {
      return interrupted(ms, work);
    } catch (error) {
      if (!(error instanceof TookTooLong)) throw error;
      const { user, system } = process.threadCpuUsage(before);
      if (user + system >= cpuMs * 900) throw error;
    }
  }
}

function interrupted<T>(ms: number, work: () => T): T {
  context ??= createContext({});
  context.work = work;
  try {
    return call.runInContext(context, { timeout: ms }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new TookTooLong(`it took longer than ${ms} ms`, { cause: error });
  } finally {
    delete context.work;
  }
}
