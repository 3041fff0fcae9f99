import { Worker } from 'node:worker_threads';
import type { Reply, ThreadOptions } from './protocol.js';

/**
 * Compiled code runs the compiled thread. Under jest, which compiles in memory, the thread runs from source: Node strips
 * the types (so the files of the thread hold only erasable ones), and this hook finds `x.ts` where `x.js` is imported.
 */
const FROM_SOURCE = `import { registerHooks } from 'node:module';
registerHooks({ resolve: (name, context, next) =>
  next(/^\\.{1,2}\\/.*\\.js$/.test(name) && context.parentURL?.endsWith('.ts') ? name.slice(0, -3) + '.ts' : name, context) });`;

export interface ThreadListener {
  reply(message: Reply): void;
  /** The thread is gone; nothing more will come. Called once. */
  ended(reason: string): void;
}

export function startThread(options: ThreadOptions, listener: ThreadListener): Worker {
  const isSource = import.meta.url.endsWith('.ts');
  const worker = new Worker(new URL(isSource ? './thread.ts' : './thread.js', import.meta.url), {
    workerData: options,
    ...(isSource && {
      execArgv: ['--no-warnings', '--import', `data:text/javascript,${encodeURIComponent(FROM_SOURCE)}`],
    }),
    stdin: false,
    name: 'annals-log',
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
  let reason = 'it ended';
  worker.on('message', (message: Reply) => listener.reply(message));
  worker.on('error', (error: unknown) => {
    reason = error instanceof Error ? error.message : String(error);
  });
  worker.on('exit', () => listener.ended(reason));
  return worker;
}
