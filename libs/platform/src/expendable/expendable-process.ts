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
  /** Compiled script (see `compiledFile`) that calls `serveRequests`. */
  readonly file: URL;
  /** Limit of the JavaScript heap (MB). */
  readonly heapMb: number;
  /** Limit of the whole process (MB), Node itself (about 60 MB) included. */
  readonly memoryMb: number;
  /** CPU time for one request (ms), over all threads; absent: unlimited. */
  readonly cpuMs?: number;
  /** The process ends after so long without a request (ms). */
  readonly idleMs: number;
  /** As nice(1): 0 is normal, 19 the lowest priority. */
  readonly niceness?: number;
}

export interface Asking<Piece> {
  /** From when the process receives the request. */
  readonly timeoutMs: number;
  /** Aborting it kills the process. */
  readonly signal?: AbortSignal;
  /** Binary payload of the request. */
  readonly bytes?: Uint8Array;
  /** Receives the chunks of a streamed answer in order, one at a time (back-pressure). */
  readonly hear?: (piece: Piece) => Promise<void>;
}

/**
 * Why a process died: over its time, over its memory, a crash, or killed from outside (the system's
 * out-of-memory killer, or somebody), which says little of the request.
 */
export type Death = 'time' | 'memory' | 'crash' | 'killed';

/** The process died before it answered. The same request may kill the next one, too. */
export class ProcessDied extends Error {
  override readonly name = 'ProcessDied';
  constructor(readonly why: Death) {
    super(`the process that worked on it ended: ${why}`);
  }
}

/** No process started, or this was closed: says nothing of the request. */
export class ProcessNotStarted extends Error {
  override readonly name = 'ProcessNotStarted';
}

const START_MS = 30_000;

/**
 * A sandboxed child process for work that may kill it: V8 ends the whole process when the memory of a
 * thread's compiler or of WebAssembly runs out, and nothing can interrupt a native call. Owns the process.
 * 1. It is started on first use and after a death; it ends when idle, and with its parent.
 * 2. It takes one request at a time; a concurrent one is a bug of the caller's.
 * 3. A death is reported to the request in progress only.
 * 4. It gets no environment variables, since those hold secrets.
 */
export class ExpendableProcess<Request, Answer, Piece = never> {
  private living: RunningProcess | null = null;
  private isBusy = false;
  private cancelIdle: () => void = () => undefined;

  constructor(
    private readonly terms: ExpendableTerms,
    private readonly clock: Clock,
  ) {}

  /** Of the running process; null: none. */
  get pid(): number | null {
    return this.living?.child.pid ?? null;
  }

  /**
   * Sends a request and waits for its answer.
   * @throws ProcessDied, ProcessNotStarted; the signal's reason; what `hear` throws
   */
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

/** One process, from start to exit. */
class RunningProcess {
  readonly child: ChildProcess;
  /** Rejects when it exits before it is ready. */
  readonly ready: Promise<void>;
  /** Resolves with the cause of death when it has exited. */
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

/** Signals by which V8 aborts when memory runs out, or hits one of its own traps. */
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
