import { DataUnreadable } from '#event-log';

/**
 * Content too large for an event. A file is named by its content within a scope (a session or a datastore), written and
 * synced before the event that refers to it, and never changed.
 */
export abstract class FileStore {
  /** Stores `content` durably; the same content again is the same file. Returns its name. */
  abstract put(scope: string, content: Uint8Array): Promise<string>;
  /** @throws FileMissing; FileDamaged */
  abstract get(scope: string, name: string): Promise<Uint8Array>;
  /** Removes everything of a scope; it need not be there. */
  abstract remove(scope: string): Promise<void>;
}

export class FileMissing extends Error {
  override readonly name: string = 'FileMissing';
}

/** The file is there, and its content does not open, now or ever: it was damaged, or its key is lost. */
export class FileDamaged extends FileMissing {
  override readonly name: string = 'FileDamaged';
}

/** Whether something could not be done because what it needs does not open: the next time it does not either. */
export const isUnreadable = (error: unknown): error is Error =>
  error instanceof DataUnreadable || error instanceof FileDamaged;
