import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { Reply, Request, ThreadOptions } from './protocol.js';

/** Start options of the log's thread. */
export interface MailboxOptions {
  readonly options: ThreadOptions;
  readonly count: Int32Array;
}

/**
 * Worker's end of the channel to the main thread: a message port, and a shared counter that signals new
 * messages. The worker blocks on the counter instead of running an event loop, which halves the round trip
 * (measured).
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

  /** Blocks until a request comes. False: timed out. */
  wait(ms: number): boolean {
    Atomics.wait(this.count, 0, this.seen, ms);
    const count = Atomics.load(this.count, 0);
    const hasNews = count !== this.seen;
    this.seen = count;
    return hasNews;
  }
}
