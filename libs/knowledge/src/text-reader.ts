import type { DocumentWarning, ProjectId } from '#domain';
import type { ReadableFile } from '#vault';
import { type Clock, DeadlinePassed } from '#platform';
import type { Extraction, Extractor } from '#extraction';
import { isOfSystem, isOutage, isStatementTimeout } from './outage.js';
import type { PassageRows, UploadRef } from './postgres/passage-rows.js';
import { TimeLimit } from './time-limit.js';

const RENEW_MS = 10_000;
const SETTLE_MS = 2_000;
/** A file that was being read so often when the process died is not tried again. */
const MAX_DEATHS = 3;
/** Of one file, from when its turn has come until all of it can be found. */
const LIMIT_MS = 600_000;

interface NamedFile {
  /** Whose turn it takes. */
  readonly project: ProjectId;
  readonly filename: string;
}

/** An upload's text was not wanted any more, or the process stops. */
export class ReadingStopped extends Error {
  override readonly name = 'ReadingStopped';
}

/**
 * Reads uploads: from the file to passages that can be searched. Owns what is being read in this process.
 * 1. Crash counter of each file: an attempt is counted, durably, before the reader opens the file, and taken back when the
 *    reading ends in any way. What is left of the count are crashes of the process that read it. Waiting does not count.
 */
export class TextReader {
  private readonly readings = new Map<string, AbortController>();
  private readonly ends = new Set<Promise<unknown>>();
  /** Counted by this process, and neither read to the end nor uncounted yet: they are not counted a second time. */
  private readonly counted = new Set<string>();

  constructor(
    private readonly extractor: Extractor,
    private readonly rows: PassageRows,
    private readonly clock: Clock,
  ) {}

  isReading(upload: string): boolean {
    return this.readings.has(upload);
  }

  /** @throws ReadingStopped, TextLost, ReadersBusy, and what the database throws */
  read(of: UploadRef, file: ReadableFile, named: NamedFile): Promise<Extraction> {
    const stop = new AbortController();
    this.readings.set(of.upload, stop);
    const reading = this.held(of, file, named, stop).finally(() => {
      this.readings.delete(of.upload);
      this.ends.delete(reading);
      stop.abort();
    });
    this.ends.add(reading);
    return reading;
  }

  stop(upload: string): void {
    this.readings.get(upload)?.abort(new ReadingStopped('the document was deleted'));
  }

  stopAll(): void {
    for (const stop of this.readings.values()) stop.abort(new ReadingStopped('the service stops'));
  }

  /** After stopAll: when the database knows of it, or does not answer. */
  async settled(): Promise<void> {
    const patience = new AbortController();
    const late = this.clock.sleep(SETTLE_MS, patience.signal).catch(() => undefined);
    await Promise.race([Promise.allSettled(this.ends), late]);
    patience.abort();
  }

  private async held(of: UploadRef, file: ReadableFile, named: NamedFile, stop: AbortController) {
    const { upload } = of;
    await this.rows.hold(of);
    try {
      const found = await this.extract(of, file, named, stop);
      if (found.kind === 'unreadable') await this.uncount(upload);
      else this.counted.delete(upload);
      return found;
    } catch (error) {
      if (isPassing(error)) await this.uncount(upload, error instanceof ReadingStopped);
      else this.counted.delete(upload);
      throw error;
    }
  }

  /** Invariant 1. Where the database is away it is done when the file is begun again. */
  private async uncount(upload: string, isLetGo = false): Promise<void> {
    try {
      await this.rows.uncount(upload, { isCounted: this.counted.has(upload), isLetGo });
      this.counted.delete(upload);
    } catch {
      // It stays in `counted`.
    }
  }

  private async extract(of: UploadRef, file: ReadableFile, named: NamedFile, stop: AbortController) {
    const { signal } = stop;
    const lost = this.renewUntil(of.upload, stop);
    let count = 0;
    const limit = new TimeLimit(this.clock, LIMIT_MS, signal);
    try {
      const extraction = this.extractor.extract({
        file,
        ...named,
        begin: () => {
          count = 0;
          limit.begin();
          return this.begin(of);
        },
        take: async ({ passages, language }) => {
          await this.rows.add(of, { from: count, passages, language }, limit.signal);
          count += passages.length;
        },
        signal,
      });
      const found = await Promise.race([extraction, lost]);
      if (found.kind === 'unreadable') return found;
      if (count === 0) return emptyFor(found.warnings);
      await Promise.race([this.rows.complete(of, count, limit.signal), lost]);
      return found;
    } catch (error) {
      if (error instanceof DeadlinePassed) return TOO_SLOW;
      throw error;
    } finally {
      limit.end();
    }
  }

  /** Invariant 1. */
  private async begin(of: UploadRef): Promise<Extraction | null> {
    const { upload } = of;
    const attempts = await this.rows.begin(of, { isCounted: this.counted.has(upload) });
    this.counted.add(upload);
    return attempts > MAX_DEATHS ? DEADLY : null;
  }

  /** Never resolves; rejects when the text was lost. */
  private async renewUntil(upload: string, stop: AbortController): Promise<never> {
    for (;;) {
      await this.clock.sleep(RENEW_MS, stop.signal);
      try {
        await this.rows.keepHolding(upload);
      } catch (error) {
        stop.abort(error);
        throw error;
      }
    }
  }
}

/** With the first reason for it, where there is one. */
function emptyFor([first]: readonly DocumentWarning[]): Extraction {
  return unreadable(
    'the file holds no text' + (first === undefined ? '' : ` that can be read: ${first.detail}`),
  );
}

/**
 * Whether a failure says nothing of the file: it is read again as if nothing had been. Others count as deaths do: so does
 * a statement that the database did not end in time, for it may be the file that asks too much of it.
 */
function isPassing(error: unknown): boolean {
  if (isStatementTimeout(error)) return false;
  return isOfSystem(error) || isOutage(error) || (error instanceof Error && PASSING.has(error.name));
}
const PASSING: ReadonlySet<string> = new Set([
  'ReadingStopped',
  'TextLost',
  'ReadersBusy',
  'ProcessNotStarted',
]);

const unreadable = (reason: string): Extraction => ({ kind: 'unreadable', code: 'unprocessable', reason });
const DEADLY = unreadable(`the service ended, or failed, ${MAX_DEATHS} times while it read the file`);
const TOO_SLOW = unreadable(`the file takes too long to index: more than ${LIMIT_MS / 1000} s`);
