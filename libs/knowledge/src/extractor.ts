import type { DocumentWarning, Unreadable } from '#domain';
import type { ReadableFile } from '#event-log';
import type { Passage } from './passage.js';

export interface PassageBatch {
  readonly passages: readonly Passage[];
  /** A text search configuration of PostgreSQL. */
  readonly language: string;
}

export type Extraction =
  | {
      readonly kind: 'extracted';
      readonly pages: number | null;
      readonly passages: number;
      /** What the file holds and the passages do not. */
      readonly warnings: readonly DocumentWarning[];
    }
  | ({ readonly kind: 'unreadable' } & Unreadable);

/** Port: makes text of files, in bounded time and memory. */
export abstract class Extractor {
  /**
   * `take` gets the passages as they come, one batch at a time. Rejects with the signal's reason, or with what `take` or the
   * reading of the file throws; a file that is missing or damaged is unreadable.
   */
  abstract extract(
    file: ReadableFile,
    take: (batch: PassageBatch) => Promise<void>,
    signal: AbortSignal,
  ): Promise<Extraction>;
  abstract close(): Promise<void>;
}
