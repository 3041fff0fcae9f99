/** A file that came in a stream and lies in a draft, which a crash does not outlive. */
export interface ReceivedFile {
  readonly bytes: number;
  /** Of the content, hex. */
  readonly sha256: string;
  /** Where it can be read until it is discarded. */
  readonly path: string;
  /** Gives it its name in a scope, durably; the draft stays. Returns the name. */
  keep(scope: string): Promise<string>;
  /** Removes the draft; what was kept stays. */
  discard(): Promise<void>;
}

/** Files of any size, of which never more than a piece is in memory. Named like those of FileStore. */
export abstract class UploadStore {
  /** Nothing is left of a file that breaks off. @throws FileTooLarge, and whatever the pieces throw */
  abstract receive(pieces: AsyncIterable<Uint8Array>, maxBytes: number): Promise<ReceivedFile>;
  /** Where a kept file can be read as it was received. @throws FileMissing for what is not a name */
  abstract pathOf(scope: string, name: string): string;
  /** The scopes whose names begin so and that nothing was put into since `before` (ms since 1970). */
  abstract scopesBefore(prefix: string, before: number): Promise<readonly string[]>;
  /** Removes everything of a scope; it need not be there. */
  abstract remove(scope: string): Promise<void>;
}

export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}
