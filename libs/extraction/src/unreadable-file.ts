/** A file that is no text to us, with the reason as the caller is told it. Thrown where files are read only. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
  readonly code: 'unsupported_media_type' | 'unprocessable';
  readonly reason: string;

  constructor(code: 'unsupported_media_type' | 'unprocessable', reason: string) {
    super(reason);
    this.code = code;
    this.reason = reason;
  }
}

export const unsupported = (reason: string): UnreadableFile =>
  new UnreadableFile('unsupported_media_type', reason);
export const unprocessable = (reason: string): UnreadableFile => new UnreadableFile('unprocessable', reason);
