import { totalmem } from 'node:os';

const MEGABYTE = 1024 * 1024;

/** For the process that compiles JSON schemas (MB). */
export const SCHEMAS_MB = 288;
/** Reserved for the service itself (MB): runs, streams, the log, an embedded PostgreSQL. */
export const SERVICE_MB = 512;
/** What a process that reads documents needs for OCR of one page (MB). */
export const LEAST_READER_MB = 256;
/** MB of one reader: an image of 40 million pixels with four channels takes 760 MB. */
const READER_MB = 1024;
/** Default number of readers, and the upper bound. */
const USUAL_READERS = 2;
const MOST_READERS = 4;

/** How many processes read documents, and the memory of each. */
export interface Readers {
  readonly count: number;
  /** What each may hold, Node itself included. */
  readonly memoryMb: number;
}

/** Memory (MB) that the machine or the container allows this process and its children. */
export function allowedMemoryMb(
  constrained: number | undefined = process.constrainedMemory(),
  total = totalmem(),
): number {
  // 0 where nothing is known, more than there is where nothing is limited.
  const bytes = constrained === undefined || constrained <= 0 ? total : Math.min(constrained, total);
  return Math.floor(bytes / MEGABYTE);
}

/** Default memory (MB) of all document readers together: what the service and the schema compiler leave. */
export function documentsMemoryMb(allowedMb = allowedMemoryMb()): number {
  const left = allowedMb - SERVICE_MB - SCHEMAS_MB;
  return Math.min(Math.max(left, LEAST_READER_MB), USUAL_READERS * READER_MB);
}

/** Prefers one reader of any file to two that can only read smaller ones. */
export function readersOf(documentsMb: number): Readers {
  const count = Math.min(Math.max(Math.floor(documentsMb / READER_MB), 1), MOST_READERS);
  return { count, memoryMb: Math.floor(documentsMb / count) };
}
