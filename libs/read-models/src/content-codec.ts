/**
 * The only place where content becomes the bytes of a column and bytes become content: messages, titles, texts of
 * errors. No SQL may look into them. `scope` is the session whose key seals them.
 */
export abstract class ContentCodec {
  abstract seal(scope: string, text: string): Buffer;
  abstract open(scope: string, bytes: Buffer): string;
}

/** No byte of UTF-8 is this, so it marks text that UTF-8 cannot hold. */
const UTF_16 = 0xff;

/** Keeps text as UTF-8; as UTF-16 what has lone surrogates, so that it too comes back as it was. */
export class PlainContentCodec extends ContentCodec {
  override seal(_scope: string, text: string): Buffer {
    if (text.isWellFormed()) return Buffer.from(text, 'utf8');
    return Buffer.concat([Buffer.of(UTF_16), Buffer.from(text, 'utf16le')]);
  }

  override open(_scope: string, bytes: Buffer): string {
    return bytes[0] === UTF_16 ? bytes.toString('utf16le', 1) : bytes.toString('utf8');
  }
}
