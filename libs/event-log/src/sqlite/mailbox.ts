import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { Reply, Request, ThreadOptions } from './protocol.js';

/**
 * Both ends of the way between the process's thread and the log's: a port, and a counter that says when to look into it.
 * The log's thread sleeps on the counter and not in an event loop, which halves the way there and back (measured), and
 * looks at it for a moment before it sleeps, because the next append of a writer often follows its answer at once.
 */
export interface MailboxEnds {
  readonly port: MessagePort;
  readonly count: Int32Array;
}

/** What the log's thread is started with. */
export interface ThreadData {
  readonly options: ThreadOptions;
  readonly ends: MailboxEnds;
}

const LOOK_MS = 0.05;
const LOOKS_A_TIME = 50;

/** Puts a request where the log's thread finds it. */
export function send({ port, count }: MailboxEnds, request: Request): void {
  port.postMessage(request);
  Atomics.add(count, 0, 1);
  Atomics.notify(count, 0);
}

/** The end of the log's thread. */
export class Mailbox {
  private readonly ends: MailboxEnds;
  private seen = 0;

  constructor(ends: MailboxEnds) {
    this.ends = ends;
  }

  take(): Request | undefined {
    return receiveMessageOnPort(this.ends.port)?.message as Request | undefined;
  }

  reply(message: Reply): void {
    this.ends.port.postMessage(message);
  }

  /** Blocks the thread until a request comes. False: none came for so long. */
  wait(ms: number): boolean {
    const { count } = this.ends;
    const until = performance.now() + LOOK_MS;
    while (performance.now() < until) for (let n = 0; n < LOOKS_A_TIME; n++) if (this.hasNews()) return true;
    Atomics.wait(count, 0, this.seen, ms);
    return this.hasNews();
  }

  private hasNews(): boolean {
    const count = Atomics.load(this.ends.count, 0);
    const hasNews = count !== this.seen;
    this.seen = count;
    return hasNews;
  }
}
