import type { DocumentWarning } from '#domain';
import type { ReadableFile } from '#event-log';
import type { Clock } from '#platform';
import type { Extraction, Extractor } from './extractor.js';
import type { PassageRows, UploadRef } from './postgres/passage-rows.js';

const RENEW_MS = 10_000;
/** A file that took the process down so often is not tried again. */
const MAX_ATTEMPTS = 10;

/** An upload's text was not wanted any more, or the process stops. */
export class ReadingStopped extends Error {
  override readonly name = 'ReadingStopped';
}

/** Reads uploads: from the file to passages that can be searched. Owns what is being read in this process. */
export class TextReader {
  private readonly readings = new Map<string, AbortController>();

  constructor(
    private readonly extractor: Extractor,
    private readonly rows: PassageRows,
    private readonly clock: Clock,
  ) {}

  isReading(upload: string): boolean {
    return this.readings.has(upload);
  }

  /** @throws ReadingStopped, TextLost, and what the database throws */
  async read(of: UploadRef, file: ReadableFile): Promise<Extraction> {
    const stop = new AbortController();
    this.readings.set(of.upload, stop);
    try {
      if ((await this.rows.hold(of)) > MAX_ATTEMPTS)
        return { kind: 'unreadable', code: 'unprocessable', reason: 'the file cannot be read' };
      return await this.extract(of, file, stop);
    } finally {
      this.readings.delete(of.upload);
      stop.abort();
    }
  }

  stop(upload: string): void {
    this.readings.get(upload)?.abort(new ReadingStopped('the document was deleted'));
  }

  stopAll(): void {
    for (const stop of this.readings.values()) stop.abort(new ReadingStopped('the service stops'));
  }

  private async extract(of: UploadRef, file: ReadableFile, stop: AbortController) {
    const { signal } = stop;
    const lost = this.renewUntil(of.upload, stop);
    let count = 0;
    const extraction = this.extractor.extract(
      file,
      async ({ passages, language }) => {
        await this.rows.add(of, count, passages, language);
        count += passages.length;
      },
      signal,
    );
    const found = await Promise.race([extraction, lost]);
    if (found.kind === 'unreadable') return found;
    if (count === 0) return emptyFor(found.warnings);
    await this.rows.complete(of, count);
    return found;
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
  const reason = 'the file holds no text' + (first === undefined ? '' : ` that can be read: ${first.detail}`);
  return { kind: 'unreadable', code: 'unprocessable', reason };
}
