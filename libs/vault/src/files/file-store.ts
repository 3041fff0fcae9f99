import { DataUnreadable } from '#event-log';

/**
 * Port: content-addressed files for content too large for an event. A file is named by its content within a scope (a
 * session or a datastore), durable before the event that refers to it, and immutable.
 */
export abstract class FileStore {
  /** Stores `content` durably and idempotently. Returns its name. */
  abstract put(scope: string, content: Uint8Array): Promise<string>;
  /** @throws FileMissing; FileDamaged */
  abstract get(scope: string, name: string): Promise<Uint8Array>;
  /** Removes all files of a scope; it may be missing. */
  abstract remove(scope: string): Promise<void>;
}

export class FileMissing extends Error {
  override readonly name: string = 'FileMissing';
}

/** The file exists, but can never be decrypted: damaged, or its key is lost. */
export class FileDamaged extends FileMissing {
  override readonly name: string = 'FileDamaged';
}

/** Whether the error is permanent, for the needed content cannot be decrypted. */
export const isUnreadable = (error: unknown): error is Error =>
  error instanceof DataUnreadable || error instanceof FileDamaged;
