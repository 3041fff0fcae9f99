import { compiledFile } from '#platform';
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { startThread, type ThreadListener } from '../thread/start-thread.js';
import { LONG_LOOK_MS, type MailboxOptions } from './mailbox.js';
import type { Reply, Request, ThreadOptions } from './protocol.js';

/** The process's end of the way to the log's thread: see Mailbox. */
export class LogThread {
  private readonly port: MessagePort;
  private readonly count = new Int32Array(new SharedArrayBuffer(4));
  private lookUntil = 0;
  private isLooking = false;
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

  /** One append is under way, and nothing else: its answer shall be heard as soon as it is there. */
  expectAnswer(): void {
    this.lookUntil = performance.now() + LONG_LOOK_MS;
    if (this.isLooking) return;
    this.isLooking = true;
    setImmediate(this.look);
  }

  /** Between two looks the event loop does what else there is. */
  private readonly look = (): void => {
    const answer = receiveMessageOnPort(this.port);
    this.isLooking = answer === undefined && performance.now() < this.lookUntil;
    if (this.isLooking) setImmediate(this.look);
    // As if it had come by itself: there is one way by which messages are heard.
    else if (answer !== undefined) this.port.emit('message', answer.message);
  };
}
