import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ExpendableOrders, FromProcess, ToProcess, WatchOrders } from './protocol.js';

/** The request handler of an expendable process. What it throws ends the process. */
export type Serve<Request, Answer, Piece> = (
  request: Request,
  /** Binary payload of the request. */
  bytes: Uint8Array,
  /** Sends a chunk of the answer, once the one before is acknowledged. */
  give: (piece: Piece) => Promise<void>,
) => Answer | Promise<Answer>;

/** Turns this process into the child of an ExpendableProcess: called once, by the script that it runs. */
export function serveRequests<Request, Answer, Piece = never>(serve: Serve<Request, Answer, Piece>): void {
  const orders = JSON.parse(process.argv[2]!) as ExpendableOrders;
  // Ctrl-C in a terminal is meant for the service, which is not done with this process when it hears it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit());
  dieFirst();
  const working = new Int32Array(new SharedArrayBuffer(4));
  let requests = 0;
  const pieces = new Pieces<Piece>();
  process.on('message', (message: ToProcess) => {
    if (message.kind === 'taken') return pieces.taken();
    void answer(message.request as Request, message.bytes);
  });
  const answer = async (request: Request, count: number): Promise<void> => {
    Atomics.store(working, 0, ++requests);
    const found = await serve(request, await bytesOfInput(count), (piece) => pieces.give(piece));
    await pieces.allTaken();
    Atomics.store(working, 0, 0);
    send({ kind: 'answer', answer: found });
  };
  startWatch({ ...orders, request: working }, () => send({ kind: 'ready' }));
}

/** Raises the Linux out-of-memory score: where memory runs out, this process is killed and not its parent. */
function dieFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Not Linux, or /proc is not to be written: then the largest process ends.
  }
}

/** Started before this thread lowers its own priority, which the watchdog would inherit. */
function startWatch(orders: WatchOrders, then: () => void): void {
  const watch = new Worker(new URL('./watch.js', import.meta.url), {
    workerData: orders,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
  });
  watch.once('message', then);
  watch.unref();
  try {
    // Linux counts threads singly: this one, and those that it starts from now on.
    if (orders.niceness > 0) setPriority(orders.niceness);
  } catch {
    // It is slower for the others, not wrong.
  }
}

const send = (message: FromProcess): void => void process.send?.(message);

/** Sends chunks with one in flight while the next is made. */
class Pieces<Piece> {
  private onItsWay: PromiseWithResolvers<void> | null = null;

  async give(piece: Piece): Promise<void> {
    await this.onItsWay?.promise;
    this.onItsWay = Promise.withResolvers();
    send({ kind: 'piece', piece });
  }

  taken(): void {
    this.onItsWay?.resolve();
  }

  async allTaken(): Promise<void> {
    await this.onItsWay?.promise;
    this.onItsWay = null;
  }
}

function bytesOfInput(count: number): Promise<Uint8Array> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>();
  const bytes = new Uint8Array(count);
  if (count === 0) return Promise.resolve(bytes);
  let at = 0;
  const take = (chunk: Uint8Array): void => {
    bytes.set(chunk, at);
    at += chunk.length;
    if (at < count) return;
    process.stdin.off('data', take).pause();
    resolve(bytes);
  };
  process.stdin.on('data', take).resume();
  return promise;
}
