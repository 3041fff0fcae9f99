import type { DocumentWarning, Unreadable } from '#domain';
import type { ReadableFile } from '#vault';
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

/** A file that is to be read. */
export interface Reading {
  readonly file: ReadableFile;
  /** Tells what a text is where its content does not. */
  readonly filename?: string;
  /** Whose turn it takes. */
  readonly project: string;
  /**
   * Called when its turn has come, before anything of the file is touched, and again where it is read anew: what was taken
   * before is void. What it returns is what came of it: then it is not read.
   */
  readonly begin: () => Promise<Extraction | null>;
  /** Gets the passages as they come, one batch at a time. */
  readonly take: (batch: PassageBatch) => Promise<void>;
  readonly signal: AbortSignal;
}

/** So many files wait to be read that this one must come again. */
export class ReadersBusy extends Error {
  override readonly name = 'ReadersBusy';
}

/** Port: extracts text from files, in bounded time and memory, fair between projects. */
export abstract class Extractor {
  /**
   * A file that is missing or damaged, or whose reading ends the reader, is unreadable.
   * @throws the signal's reason, ReadersBusy; what `begin`, `take` or the reading of the file throws
   */
  abstract extract(reading: Reading): Promise<Extraction>;
  abstract close(): Promise<void>;
}
