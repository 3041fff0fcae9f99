import { detect } from 'chardet';
import { isUtf16 } from './kinds.js';

/** So much of a file in an old encoding is looked at to tell which. */
const SAMPLE = 64 * 1024;
const OLD_ENCODING = 'windows-1252';

/** A text file's text, whatever its encoding. */
export function decodeText(bytes: Uint8Array): string {
  const utf16 = isUtf16(bytes);
  if (utf16 !== null) return new TextDecoder(utf16).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return decoderFor(detect(bytes.subarray(0, SAMPLE))).decode(bytes);
  }
}

/** What is taken for UTF-8 or ISO-8859-1 and is none is Windows' superset of the latter, as browsers have it. */
function decoderFor(encoding: string | null): InstanceType<typeof TextDecoder> {
  if (encoding === null || /^(UTF-|ASCII|ISO-8859-1$|windows-1252)/.test(encoding))
    return new TextDecoder(OLD_ENCODING);
  try {
    return new TextDecoder(encoding);
  } catch {
    return new TextDecoder(OLD_ENCODING);
  }
}
