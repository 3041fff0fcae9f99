import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { send, type ThreadData } from './mailbox.js';
import type { Reply, Request, ThreadOptions } from './protocol.js';

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

export interface ThreadHandle {
  send(request: Request): void;
  terminate(): Promise<unknown>;
}

export function startThread(options: ThreadOptions, listener: ThreadListener): ThreadHandle {
  const isSource = import.meta.url.endsWith('.ts');
  const { port1, port2 } = new MessageChannel();
  const count = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL(isSource ? './thread.ts' : './thread.js', import.meta.url), {
    workerData: { options, ends: { port: port2, count } } satisfies ThreadData,
    transferList: [port2],
    ...(isSource && {
      execArgv: ['--no-warnings', '--import', `data:text/javascript,${encodeURIComponent(FROM_SOURCE)}`],
    }),
    name: 'annals-log',
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
  let reason = 'it ended';
  port1.on('message', (message: Reply) => listener.reply(message));
  worker.on('error', (error: unknown) => {
    reason = error instanceof Error ? error.message : String(error);
  });
  worker.on('exit', () => {
    // Its last words may still be in the port.
    for (let last = receiveMessageOnPort(port1); last !== undefined; last = receiveMessageOnPort(port1))
      listener.reply(last.message as Reply);
    port1.close();
    listener.ended(reason);
  });
  return { send: (request) => send({ port: port1, count }, request), terminate: () => worker.terminate() };
}
