import { Worker } from 'node:worker_threads';
import { FileMissing, type ReadableFile } from '#event-log';
import { type Clock, closeTogether, compiledFile } from '#platform';
import { type Extraction, Extractor, type PassageBatch } from '../extractor.js';
import type { FromThread, ToThread } from './protocol.js';

export interface ExtractorLimits {
  /** Of one file, whatever is in it. */
  readonly timeoutMs: number;
  /** Of a thread's heap, and of what it holds outside. */
  readonly heapMb: number;
  readonly outsideMb: number;
  /** A thread that nobody needs ends after this. */
  readonly idleMs: number;
}

const LIMITS: ExtractorLimits = { timeoutMs: 600_000, heapMb: 256, outsideMb: 320, idleMs: 5_000 };
const LOOK_MS = 100;
/** Files up to this need not wait behind a large one. */
const SMALL_BYTES = 2 * 1024 * 1024;

/**
 * Reads files in threads: one for any file, one for small ones. Owns the threads.
 * 1. A thread that takes too long or too much memory is ended, with its file; the next file gets a new one.
 * 2. A file's passages are taken in order, one batch at a time.
 */
export class ThreadExtractor extends Extractor {
  private readonly lanes: readonly Lane[];

  constructor(clock: Clock, limits: Partial<ExtractorLimits> = {}) {
    super();
    const all = { ...LIMITS, ...limits };
    this.lanes = [new Lane(clock, all), new Lane(clock, all)];
  }

  override extract(
    file: ReadableFile,
    take: (batch: PassageBatch) => Promise<void>,
    signal: AbortSignal,
  ): Promise<Extraction> {
    const [any, small] = this.lanes as [Lane, Lane];
    const lane = file.bytes <= SMALL_BYTES && small.waiting <= any.waiting ? small : any;
    return lane.extract(file, take, signal);
  }

  override async close(): Promise<void> {
    await closeTogether(...this.lanes.map((lane) => () => lane.close()));
  }
}

/** One file after the other. */
class Lane {
  waiting = 0;
  private last: Promise<unknown> = Promise.resolve();
  private worker: Worker | null = null;
  private cancelIdle: () => void = () => undefined;

  constructor(
    private readonly clock: Clock,
    private readonly limits: ExtractorLimits,
  ) {}

  async extract(
    file: ReadableFile,
    take: (batch: PassageBatch) => Promise<void>,
    signal: AbortSignal,
  ): Promise<Extraction> {
    this.waiting += 1;
    const mine = this.last.then(() => this.run(file, take, signal)).finally(() => (this.waiting -= 1));
    this.last = mine.catch(() => undefined);
    return mine;
  }

  async close(): Promise<void> {
    this.cancelIdle();
    await this.worker?.terminate();
    this.worker = null;
  }

  private async run(
    file: ReadableFile,
    take: (batch: PassageBatch) => Promise<void>,
    signal: AbortSignal,
  ): Promise<Extraction> {
    signal.throwIfAborted();
    const content = await contentOf(file);
    signal.throwIfAborted();
    if (content === null) return DAMAGED;
    this.cancelIdle();
    const worker = (this.worker ??= this.start());
    const watch = new AbortController();
    try {
      const extraction = await Promise.race([
        this.converse(worker, content, take),
        aborted(signal, watch.signal),
        this.overstepped(worker, watch.signal),
      ]);
      if (worker !== this.worker) return extraction;
      if (extraction.kind === 'unreadable' && extraction.reason in OVERSTEPPED) await this.close();
      else this.cancelIdle = this.clock.timer(this.limits.idleMs, () => void this.close());
      return extraction;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      watch.abort();
    }
  }

  private start(): Worker {
    const worker = startWorker(this.limits);
    // Its end is heard here, too, between two files.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.worker === worker) this.worker = null;
    });
    return worker;
  }

  private async converse(
    worker: Worker,
    content: Uint8Array,
    take: (batch: PassageBatch) => Promise<void>,
  ): Promise<Extraction> {
    const { promise, resolve, reject } = Promise.withResolvers<Extraction>();
    const hear = (message: FromThread): void => {
      if (message.kind === 'done') return resolve(message.extraction);
      take(message.batch).then(() => worker.postMessage({ kind: 'taken' } satisfies ToThread), reject);
    };
    const fail = ({ code }: NodeJS.ErrnoException): void =>
      resolve(code === 'ERR_WORKER_OUT_OF_MEMORY' ? TOO_MUCH_MEMORY : DAMAGED);
    const end = (): void => resolve(DAMAGED);
    worker.on('message', hear).on('error', fail).on('exit', end);
    try {
      worker.postMessage({ kind: 'extract', content } satisfies ToThread, [content.buffer as ArrayBuffer]);
      return await promise;
    } finally {
      worker.off('message', hear).off('error', fail).off('exit', end);
    }
  }

  /** Resolves when the file takes too long or too much memory. */
  private async overstepped(worker: Worker, until: AbortSignal): Promise<Extraction> {
    const end = this.clock.now() + this.limits.timeoutMs;
    const outside = this.limits.outsideMb * 1024 * 1024;
    for (;;) {
      await this.clock.sleep(LOOK_MS, until);
      if (this.clock.now() >= end) return TOO_LONG;
      const held = await worker.getHeapStatistics().then(
        (s) => s.external_memory,
        () => 0,
      );
      if (held > outside) return TOO_MUCH_MEMORY;
    }
  }
}

function startWorker({ heapMb }: ExtractorLimits): Worker {
  const worker = new Worker(compiledFile('./thread.js', import.meta.url), {
    name: 'annals-extract',
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16 },
    stdout: true,
    stderr: true,
  });
  // What the libraries say of a damaged file stands in the answer, in our words.
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}

/** null: it is missing or damaged, and will be. */
async function contentOf(file: ReadableFile): Promise<Uint8Array | null> {
  try {
    return await file.read();
  } catch (error) {
    if (error instanceof FileMissing) return null;
    throw error;
  }
}

/** Never resolves; rejects with the signal's reason. */
const aborted = (signal: AbortSignal, until: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true, signal: until });
  });

const unreadable = (reason: string): Extraction => ({ kind: 'unreadable', code: 'unprocessable', reason });
const TOO_LONG = unreadable('the file takes too long to read');
const TOO_MUCH_MEMORY = unreadable('the file takes too much memory to read');
const DAMAGED = unreadable('the file is damaged');
const OVERSTEPPED = {
  'the file takes too long to read': true,
  'the file takes too much memory to read': true,
};
