export interface ReadableFile {
  /** Of the content. */
  readonly bytes: number;
  /** The content, in memory of its own. @throws FileMissing where it is gone or damaged */
  read(): Promise<Uint8Array>;
}

/** A file that came in a stream and lies in a draft, which a crash does not outlive. */
export interface ReceivedFile extends ReadableFile {
  /** Of the content, hex. */
  readonly sha256: string;
  /** What it is sealed with, hex. It was made for this file and is nowhere else: without it the file cannot be read. */
  readonly key: string;
  /** Gives it its name in a scope, durably; the draft stays. Returns the name. */
  keep(scope: string): Promise<string>;
  /** Removes the draft; what was kept stays. */
  discard(): Promise<void>;
}

/** Files of any size, of which never more than a piece is in memory while they come. Sealed before they touch the disk. */
export abstract class UploadStore {
  /** Nothing is left of a file that breaks off. @throws FileTooLarge, and whatever the pieces throw */
  abstract receive(pieces: AsyncIterable<Uint8Array>, maxBytes: number): Promise<ReceivedFile>;
  /** A kept file. `key` undefined: of one that was kept before files were sealed. */
  abstract kept(
    scope: string,
    name: string,
    file: { readonly bytes: number; readonly key: string | undefined },
  ): ReadableFile;
  /** Seals a file anew that lies as it was sent, beside the one that is there. @throws FileMissing */
  abstract sealAnew(scope: string, name: string): Promise<{ readonly name: string; readonly key: string }>;
  /** Removes every other file of a scope. */
  abstract keepOnly(scope: string, name: string): Promise<void>;
  /** The scopes whose names begin so and that nothing was put into since `before` (ms since 1970). */
  abstract scopesBefore(prefix: string, before: number): Promise<readonly string[]>;
  /** Removes everything of a scope; it need not be there. */
  abstract remove(scope: string): Promise<void>;
}

export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}
