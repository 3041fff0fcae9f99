import { compiledFile } from '#platform';
import type { MessagePort } from 'node:worker_threads';
import { startThread, type ThreadListener } from '../thread/start-thread.js';
import type { MailboxOptions } from './mailbox.js';
import type { Reply, Request, ThreadOptions } from './protocol.js';

/** Main thread's end of the channel to the log's thread: see Mailbox. */
export class LogThread {
  private readonly port: MessagePort;
  private readonly count = new Int32Array(new SharedArrayBuffer(4));
  readonly terminate: () => Promise<unknown>;

  constructor(options: ThreadOptions, listener: ThreadListener<Reply>) {
    const { port, terminate } = startThread<MailboxOptions, Reply>(
      {
        program: compiledFile('./thread.js', import.meta.url),
        name: 'annals-log',
        maxYoungGenerationSizeMb: 8,
      },
      { options, count: this.count },
      listener,
    );
    this.port = port;
    this.terminate = terminate;
  }

  send(request: Request): void {
    this.port.postMessage(request);
    Atomics.add(this.count, 0, 1);
    Atomics.notify(this.count, 0);
  }
}
