import { type ChildProcess, fork } from 'node:child_process';
import type { Clock } from '../clock.js';
import {
  type ExpendableOrders,
  type FromProcess,
  OVER_MEMORY,
  OVER_TIME,
  type ToProcess,
} from './protocol.js';

export interface ExpendableTerms {
  /** Calls `serveRequests`: see `compiledFile`. */
  readonly file: URL;
  /** Of JavaScript's heap. */
  readonly heapMb: number;
  /** Of all that the process holds, Node itself (about 60 MB) included. */
  readonly memoryMb: number;
  /** How long it may compute for one request, on however many threads; absent: as long as it may take. */
  readonly cpuMs?: number;
  /** It ends when nobody has asked for so long. */
  readonly idleMs: number;
  /** As Linux counts: 0 is usual, 19 the last. */
  readonly niceness?: number;
}

export interface Asking<Piece> {
  /** From when the process hears of it. */
  readonly timeoutMs: number;
  /** The process ends with what it does when this is aborted. */
  readonly signal?: AbortSignal;
  /** Goes along with the request. */
  readonly bytes?: Uint8Array;
  /** Gets the pieces of the answer in order, one at a time. */
  readonly hear?: (piece: Piece) => Promise<void>;
}

/**
 * What ended a process: it took too long, took more memory than it may, did something that no process survives; or it was
 * killed from outside, by the system that ran out of memory or by somebody, which says little of the request.
 */
export type Death = 'time' | 'memory' | 'crash' | 'killed';

/** The process did not live to answer. Whether another one would is not known: the same request may kill that, too. */
export class ProcessDied extends Error {
  override readonly name = 'ProcessDied';
  constructor(readonly why: Death) {
    super(`the process that worked on it ended: ${why}`);
  }
}

/** No process came up, or it was closed: nothing is said of the request. */
export class ProcessNotStarted extends Error {
  override readonly name = 'ProcessNotStarted';
}

const START_MS = 30_000;

/**
 * A process of our own for work that may kill it: V8 ends all of a process when the memory of one thread's compiler or of
 * WebAssembly runs out, and nothing can interrupt a native call. Owns the process.
 * 1. It is started when it is first needed, and again after its death; it ends when idle, and with its parent.
 * 2. It works on one request at a time; who asks while it works has made a mistake.
 * 3. Its death is told to whoever asked last, and to nobody else.
 * 4. It knows nothing of the environment, in which secrets stand.
 */
export class ExpendableProcess<Request, Answer, Piece = never> {
  private living: RunningProcess | null = null;
  private isBusy = false;
  private cancelIdle: () => void = () => undefined;

  constructor(
    private readonly terms: ExpendableTerms,
    private readonly clock: Clock,
  ) {}

  /** Of the process, while there is one. */
  get pid(): number | null {
    return this.living?.child.pid ?? null;
  }

  /** @throws ProcessDied, ProcessNotStarted; the signal's reason; what `hear` throws */
  async ask(request: Request, asking: Asking<Piece>): Promise<Answer> {
    if (this.isBusy) throw new TypeError('the process works on another request');
    this.isBusy = true;
    this.cancelIdle();
    try {
      return await this.askLiving(request, asking);
    } finally {
      this.isBusy = false;
      if (this.living !== null)
        this.cancelIdle = this.clock.timer(this.terms.idleMs, () => void this.close());
    }
  }

  async close(): Promise<void> {
    this.cancelIdle();
    const { living } = this;
    this.living = null;
    await living?.end();
  }

  private async askLiving(request: Request, asking: Asking<Piece>): Promise<Answer> {
    asking.signal?.throwIfAborted();
    const living = (this.living ??= this.start());
    try {
      return (await unlessAborted(this.converse(living, request, asking), asking.signal)) as Answer;
    } catch (error) {
      // Whatever it still does is not wanted any more.
      if (this.living === living) this.living = null;
      await living.end();
      throw error;
    }
  }

  private async converse(living: RunningProcess, request: Request, asking: Asking<Piece>): Promise<unknown> {
    await this.within(START_MS, living.ready, new ProcessNotStarted('it did not come up in time'));
    return this.within(asking.timeoutMs, living.converse(request, asking), new ProcessDied('time'));
  }

  private start(): RunningProcess {
    const living = new RunningProcess(this.terms);
    void living.gone.then(() => {
      if (this.living === living) this.living = null;
    });
    return living;
  }

  private within<T>(ms: number, work: Promise<T>, otherwise: Error): Promise<T> {
    const late = Promise.withResolvers<never>();
    const cancel = this.clock.timer(ms, () => late.reject(otherwise));
    return Promise.race([work, late.promise]).finally(cancel);
  }
}

/** A process from its start to its end. */
class RunningProcess {
  readonly child: ChildProcess;
  /** Rejects where it ends before. */
  readonly ready: Promise<void>;
  /** Resolves with what it died of when it is gone. */
  readonly gone: Promise<Death>;
  private hear: (message: FromProcess) => void = () => undefined;
  private isEnded = false;

  constructor(terms: ExpendableTerms) {
    this.child = forked(terms);
    const ready = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<Death>();
    this.child
      .on('message', (message: FromProcess) =>
        message.kind === 'ready' ? ready.resolve() : this.hear(message),
      )
      .once('error', (error) => {
        ready.reject(new ProcessNotStarted('it could not be started', { cause: error }));
        gone.resolve('crash');
      })
      .once('exit', (code, signal) => {
        ready.reject(new ProcessNotStarted(`it ended at its start (${signal ?? code})`));
        gone.resolve(deathBy(signal));
      });
    // What is written to a process that has just ended: its end tells more.
    this.child.stdin?.on('error', () => undefined);
    ready.promise.catch(() => undefined);
    this.ready = ready.promise;
    this.gone = gone.promise;
    this.child.unref();
  }

  /** @throws ProcessDied, what `hear` throws */
  async converse<Piece>(request: unknown, { bytes, hear }: Asking<Piece>): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.hear = (message) => {
      if (message.kind === 'answer') resolve(message.answer);
      else if (message.kind === 'piece')
        (hear?.(message.piece as Piece) ?? Promise.resolve()).then(
          () => this.send({ kind: 'taken' }),
          reject,
        );
    };
    const dead = this.gone.then((why) => {
      throw this.isEnded ? new ProcessNotStarted('it was closed') : new ProcessDied(why);
    });
    this.child.channel?.ref();
    try {
      this.send({ kind: 'ask', request, bytes: bytes?.length ?? 0 });
      if (bytes !== undefined && bytes.length > 0) this.child.stdin?.write(bytes);
      return await Promise.race([promise, dead]);
    } finally {
      this.hear = () => undefined;
      // Idle, it does not keep us running.
      this.child.channel?.unref();
    }
  }

  async end(): Promise<void> {
    this.isEnded = true;
    this.child.ref();
    this.child.kill('SIGKILL');
    await this.gone;
  }

  private send(message: ToProcess): void {
    // A process that has just ended says so itself.
    if (this.child.connected) this.child.send(message, () => undefined);
  }
}

function forked({ file, heapMb, memoryMb, cpuMs, niceness = 0 }: ExpendableTerms): ChildProcess {
  const orders: ExpendableOrders = {
    parent: process.pid,
    memoryBytes: memoryMb * 1024 * 1024,
    cpuMs: cpuMs ?? null,
    niceness,
  };
  const child = fork(file, [JSON.stringify(orders)], {
    execArgv: [`--max-old-space-size=${heapMb}`, '--max-semi-space-size=4', '--v8-pool-size=1'],
    env: {},
    serialization: 'advanced',
    // What libraries say of a stranger's file is nobody's business.
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
  });
  (child.stdin as { unref?: () => void } | null)?.unref?.();
  child.channel?.unref();
  return child;
}

/** V8 aborts where memory runs out, or hits a trap that it has for the purpose. */
const OF_MEMORY: ReadonlySet<NodeJS.Signals> = new Set([OVER_MEMORY, 'SIGABRT', 'SIGTRAP', 'SIGILL']);

function deathBy(signal: NodeJS.Signals | null): Death {
  if (signal === OVER_TIME) return 'time';
  if (signal === 'SIGKILL') return 'killed';
  return signal !== null && OF_MEMORY.has(signal) ? 'memory' : 'crash';
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
