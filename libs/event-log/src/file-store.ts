/**
 * Content too large for an event. A file is named by its content within a scope (a session or a datastore), written and
 * synced before the event that refers to it, and never changed.
 */
export abstract class FileStore {
  /** Stores `content` durably; the same content again is the same file. Returns its name. */
  abstract put(scope: string, content: Uint8Array): Promise<string>;
  /** @throws FileMissing */
  abstract get(scope: string, name: string): Promise<Uint8Array>;
  /** Removes everything of a scope; it need not be there. */
  abstract remove(scope: string): Promise<void>;
}

export class FileMissing extends Error {
  override readonly name = 'FileMissing';
}
