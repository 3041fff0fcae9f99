import { totalmem } from 'node:os';

const MEGABYTE = 1024 * 1024;

/** What the process in which schemas are compiled may hold. */
export const SCHEMAS_MB = 288;
/** What the service itself is left: runs, streams, the log, and an embedded PostgreSQL. */
export const SERVICE_MB = 512;
/** What a process that reads documents needs to read a page by OCR. */
export const LEAST_READER_MB = 256;
/** An image of 40 million pixels with four channels takes 760 MB. */
const READER_MB = 1024;
/** More than are asked for without a setting, and more than are ever started. */
const USUAL_READERS = 2;
const MOST_READERS = 4;

/** Processes that read documents. */
export interface Readers {
  readonly count: number;
  /** What each may hold, Node itself included. */
  readonly memoryMb: number;
}

/** What the machine or the container lets this process and its children have, in MB. */
export function allowedMemoryMb(
  constrained: number | undefined = process.constrainedMemory(),
  total = totalmem(),
): number {
  // 0 where nothing is known, more than there is where nothing is limited.
  const bytes = constrained === undefined || constrained <= 0 ? total : Math.min(constrained, total);
  return Math.floor(bytes / MEGABYTE);
}

/** What all readers of documents may hold together, in MB, where no setting says it: what the others leave. */
export function documentsMemoryMb(allowedMb = allowedMemoryMb()): number {
  const left = allowedMb - SERVICE_MB - SCHEMAS_MB;
  return Math.min(Math.max(left, LEAST_READER_MB), USUAL_READERS * READER_MB);
}

/** One reader of any file before two of smaller ones. */
export function readersOf(documentsMb: number): Readers {
  const count = Math.min(Math.max(Math.floor(documentsMb / READER_MB), 1), MOST_READERS);
  return { count, memoryMb: Math.floor(documentsMb / count) };
}
