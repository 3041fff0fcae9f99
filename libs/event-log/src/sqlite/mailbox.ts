import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { Reply, Request, ThreadOptions } from './protocol.js';

/** What the log's thread is started with. */
export interface MailboxOptions {
  readonly options: ThreadOptions;
  readonly count: Int32Array;
}

const LOOK_MS = 0.05;
/** After one append alone: about what it takes to commit the next. */
export const LONG_LOOK_MS = 0.3;
const LOOKS_A_TIME = 50;

/**
 * The end of the log's thread of the way between it and the process's own: a port, and a counter that says when to look into
 * it. The thread sleeps on the counter and not in an event loop, which halves the way there and back (measured).
 *
 * To wake a thread takes longer than anything else on the way. So both ends look for a moment before they sleep: this one
 * because the next append of a writer often follows its answer at once; the other one while one append alone is under way,
 * for then there is nothing to gather meanwhile. Where many write, looking longer would take the processor from those who
 * have work.
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

  /**
   * Blocks the thread until a request comes. False: none came for so long.
   * @param wasAlone whether one append alone was written last
   */
  wait(ms: number, wasAlone = false): boolean {
    const until = performance.now() + (wasAlone ? LONG_LOOK_MS : LOOK_MS);
    while (performance.now() < until) for (let n = 0; n < LOOKS_A_TIME; n++) if (this.hasNews()) return true;
    Atomics.wait(this.count, 0, this.seen, ms);
    return this.hasNews();
  }

  private hasNews(): boolean {
    const count = Atomics.load(this.count, 0);
    const hasNews = count !== this.seen;
    this.seen = count;
    return hasNews;
  }
}
