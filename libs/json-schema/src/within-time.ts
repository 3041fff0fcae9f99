import { type Context, Script, createContext } from 'node:vm';

/** The work took longer than it may. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

const call = new Script('work()');
let context: (Context & { work?: () => unknown }) | null = null;

/**
 * Runs synchronous work with a CPU time limit: V8 interrupts it anywhere, in a loop or in the middle of a regular
 * expression, and it cannot catch that. Where a busy machine gave it too little CPU, it is run again with a longer
 * limit. Costs about 0.2 ms.
 * @throws TookTooLong, what the work throws
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
