import { FileMissing, type ReadableFile } from '#vault';
import {
  type Clock,
  type Death,
  ExpendableProcess,
  FairSemaphore,
  type GiveBack,
  ProcessDied,
  ProcessNotStarted,
  type Readers,
  SemaphoreQueueFull,
  closeTogether,
  compiledFile,
} from '#platform';
import { type Extraction, Extractor, type PassageBatch, ReadersBusy, type Reading } from './extractor.js';

export interface ReadRequest {
  readonly filename: string;
}

export interface ReadAnswer {
  readonly extraction: Extraction;
  /** What the process holds now: WebAssembly gives nothing back. */
  readonly heldBytes: number;
}

export interface ExtractorLimits {
  readonly readers: Readers;
  /** Of one file, whatever is in it. */
  readonly timeoutMs: number;
  /** Of JavaScript's heap; absent: half of what a process may hold. */
  readonly heapMb?: number;
  /** A process that nobody needs ends after this. */
  readonly idleMs: number;
}

const LIMITS = { timeoutMs: 600_000, idleMs: 30_000 };
const MEGABYTE = 1024 * 1024;
/** Files up to this need not wait behind a large one. */
const SMALL_BYTES = 2 * MEGABYTE;
/** As Linux counts: behind everything else that the machine has to do. */
const NICENESS = 15;
/** Of one project, and of all. Who is turned away waits in the tables. */
const MAX_WAITING_EACH = 200;
const MAX_WAITING = 1_000;
/** How often one file is begun here: the machine may have had no room for its process. */
const MAX_BEGINNINGS = 3;
const PAUSE_MS = 1_000;

type Reader = ExpendableProcess<ReadRequest, ReadAnswer, PassageBatch>;

/**
 * Extracts text in sandboxed child processes: see ExpendableProcess. Owns the processes.
 * 1. A process reads one file at a time; files queue fairly by project, and large ones never occupy all processes.
 * 2. A file over its time or memory kills its process and is unreadable; no other file is affected.
 * 3. A file is not blamed for what earlier ones left in its process: after a death in a used process it is retried in
 *    a fresh one, and a process that holds much memory is not reused.
 */
export class ProcessExtractor extends Extractor {
  private readonly limits: ExtractorLimits;
  private readonly free: Reader[];
  private readonly all: readonly Reader[];
  private readonly turns: FairSemaphore;
  private readonly turnsOfLarge: FairSemaphore;
  private readonly closing = new AbortController();

  constructor(
    private readonly clock: Clock,
    limits: Partial<ExtractorLimits> & Pick<ExtractorLimits, 'readers'>,
  ) {
    super();
    this.limits = { ...LIMITS, ...limits };
    const { count } = limits.readers;
    this.all = Array.from({ length: count }, () => this.reader());
    this.free = [...this.all];
    const waiting = { maxWaiting: MAX_WAITING, maxWaitingEach: MAX_WAITING_EACH };
    this.turns = new FairSemaphore({ room: count, ...waiting });
    this.turnsOfLarge = new FairSemaphore({ room: Math.max(count - 1, 1), ...waiting });
  }

  /** Of its processes, while there are any. */
  get pids(): readonly number[] {
    return this.all.map(({ pid }) => pid).filter((pid) => pid !== null);
  }

  override async extract(reading: Reading): Promise<Extraction> {
    const giveBack = await this.turnOf(reading);
    // A process that runs already is ready.
    const at = this.free.findIndex(({ pid }) => pid !== null);
    const [reader] = this.free.splice(Math.max(at, 0), 1) as [Reader];
    try {
      return await this.read(reading, reader);
    } finally {
      this.free.push(reader);
      giveBack();
    }
  }

  override async close(): Promise<void> {
    this.closing.abort();
    await closeTogether(...this.all.map((reader) => () => reader.close()));
  }

  private reader(): Reader {
    const { readers, idleMs, heapMb = Math.floor(readers.memoryMb / 2) } = this.limits;
    const file = compiledFile('./document-process.js', import.meta.url);
    const terms = { file, heapMb, memoryMb: readers.memoryMb, idleMs, niceness: NICENESS };
    return new ExpendableProcess(terms, this.clock);
  }

  /** Invariant 1. @throws ReadersBusy */
  private async turnOf({ file, project, signal }: Reading): Promise<GiveBack> {
    let giveBackLarge: GiveBack = () => undefined;
    try {
      if (file.bytes > SMALL_BYTES) giveBackLarge = await this.turnsOfLarge.take(project, signal);
      const giveBack = await this.turns.take(project, signal);
      return () => {
        giveBack();
        giveBackLarge();
      };
    } catch (error) {
      giveBackLarge();
      if (error instanceof SemaphoreQueueFull)
        throw new ReadersBusy('too many files wait to be read', { cause: error });
      throw error;
    }
  }

  private async read(reading: Reading, reader: Reader): Promise<Extraction> {
    for (let beginning = 1; ; beginning++) {
      const refused = await reading.begin();
      if (refused !== null) return refused;
      const wasFresh = reader.pid === null;
      try {
        return await this.readOnce(reading, reader);
      } catch (error) {
        const extraction = this.outcomeOf(error, wasFresh, beginning);
        if (extraction !== null) return extraction;
        await this.clock.sleep(PAUSE_MS, AbortSignal.any([reading.signal, this.closing.signal]));
      }
    }
  }

  private async readOnce(
    { file, filename = '', take, signal }: Reading,
    reader: Reader,
  ): Promise<Extraction> {
    const bytes = await contentOf(file);
    signal.throwIfAborted();
    this.closing.signal.throwIfAborted();
    if (bytes === null) return DAMAGED;
    const { timeoutMs, readers } = this.limits;
    let taking = Promise.resolve();
    const hear = (batch: PassageBatch): Promise<void> => (taking = take(batch));
    const { extraction, heldBytes } = await lastOf(
      reader.ask({ filename }, { timeoutMs, signal, bytes, hear }),
      () => taking,
    );
    if (heldBytes > (readers.memoryMb * MEGABYTE) / 2) await reader.close();
    return extraction;
  }

  /** Invariants 2 and 3. null: another process may read it. @throws what is no death of the process */
  private outcomeOf(error: unknown, wasFresh: boolean, beginning: number): Extraction | null {
    const isLast = beginning === MAX_BEGINNINGS;
    if (error instanceof ProcessNotStarted && !isLast && !this.closing.signal.aborted) return null;
    if (!(error instanceof ProcessDied)) throw error;
    const isItsOwn = error.why === 'time' || (wasFresh && error.why !== 'killed');
    return isItsOwn || isLast ? this.unreadableFor(error.why) : null;
  }

  private unreadableFor(why: Death): Extraction {
    const { timeoutMs, readers } = this.limits;
    switch (why) {
      case 'time':
        return unreadable(`the file takes too long to read: more than ${timeoutMs / 1000} s`);
      case 'memory':
        return unreadable(`the file takes too much memory to read: more than ${readers.memoryMb} MB`);
      case 'killed':
        return unreadable(`the process that read the file was killed ${MAX_BEGINNINGS} times`);
      case 'crash':
        return unreadable('the file is damaged: it ended the process that read it');
    }
  }
}

/** What comes of an answer, once the last piece of it is taken, or is not. */
async function lastOf<T>(answer: Promise<T>, taking: () => Promise<void>): Promise<T> {
  try {
    return await answer;
  } finally {
    await taking().catch(() => undefined);
  }
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

const unreadable = (reason: string): Extraction => ({ kind: 'unreadable', code: 'unprocessable', reason });
const DAMAGED = unreadable('the file is damaged');
