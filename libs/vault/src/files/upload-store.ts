export interface ReadableFile {
  /** Of the content. */
  readonly bytes: number;
  /**
   * Decrypts the whole content into memory.
   * @throws FileMissing where it is gone or damaged
   */
  read(): Promise<Uint8Array>;
}

/** A received upload, in a draft file that does not survive a crash. */
export interface ReceivedFile extends ReadableFile {
  /** Of the content, hex. */
  readonly sha256: string;
  /**
   * Hex key that it is encrypted with, generated for this file and stored nowhere else: without it the file cannot be
   * read.
   */
  readonly key: string;
  /** Stores it durably under a name in the scope; the draft stays. Returns the name. */
  keep(scope: string): Promise<string>;
  /** Removes the draft; a kept file stays. */
  discard(): Promise<void>;
}

/** Port: files of any size, streamed with one chunk in memory and encrypted before they reach the disk. */
export abstract class UploadStore {
  /**
   * Receives an upload; nothing is left of one that breaks off.
   * @throws FileTooLarge, and whatever the iterable throws
   */
  abstract receive(pieces: AsyncIterable<Uint8Array>, maxBytes: number): Promise<ReceivedFile>;
  /** A kept file. `key` undefined: of one that was kept before files were sealed. */
  abstract kept(
    scope: string,
    name: string,
    file: { readonly bytes: number; readonly key: string | undefined },
  ): ReadableFile;
  /**
   * Encrypts a file that was stored in plain text, into a new file.
   * @throws FileMissing
   */
  abstract sealAnew(scope: string, name: string): Promise<{ readonly name: string; readonly key: string }>;
  /** Removes every other file of a scope. */
  abstract keepOnly(scope: string, name: string): Promise<void>;
  /** Scopes with this prefix to which nothing was written since `before` (ms since 1970). */
  abstract scopesBefore(prefix: string, before: number): Promise<readonly string[]>;
  /** Removes everything of a scope; it need not be there. */
  abstract remove(scope: string): Promise<void>;
}

export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}
