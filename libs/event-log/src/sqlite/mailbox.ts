import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { Reply, Request, ThreadOptions } from './protocol.js';

/** What the log's thread is started with. */
export interface MailboxOptions {
  readonly options: ThreadOptions;
  readonly count: Int32Array;
}

/**
 * The end of the log's thread of the way between it and the process's own: a port, and a counter that says when to look into
 * it. The thread sleeps on the counter and not in an event loop, which halves the way there and back (measured).
 */
export class Mailbox {
  private readonly port: MessagePort;
  private readonly count: Int32Array;
  private seen = 0;

  constructor(port: MessagePort, count: Int32Array) {
    this.port = port;
    this.count = count;
  }

  take(): Request | undefined {
    return receiveMessageOnPort(this.port)?.message as Request | undefined;
  }

  reply(message: Reply): void {
    this.port.postMessage(message);
  }

  /** Blocks the thread until a request comes. False: none came for so long. */
  wait(ms: number): boolean {
    Atomics.wait(this.count, 0, this.seen, ms);
    const count = Atomics.load(this.count, 0);
    const hasNews = count !== this.seen;
    this.seen = count;
    return hasNews;
  }
}
