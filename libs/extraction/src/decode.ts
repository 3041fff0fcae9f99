import { analyse, detect } from 'chardet';
import { declaredEncoding } from './declared-encoding.js';
import { isUtf16 } from './kinds.js';
import type { Warn } from './warnings.js';

/** So much of a file in an old encoding is looked at to tell which. */
const SAMPLE = 64 * 1024;
const OLD_ENCODING = 'windows-1252';
/** Encodings in which a character is one byte. */
const SINGLE_BYTE = /^(?:windows-|iso-8859-|koi8-|ibm866$|macintosh$|x-mac-)/;
/** So many characters that are UTF-8 by chance are none by chance any more. */
const FEW = 3;

/**
 * A text file's text. Its encoding, in this order: a mark at its beginning; what HTML or XML declares; UTF-8, also with
 * some broken bytes in it; what its bytes look like.
 */
export function decodeText(bytes: Uint8Array, warn: Warn = () => undefined, filename = ''): string {
  const marked = marksEncoding(bytes);
  if (marked === 'utf-32le' || marked === 'utf-32be') return decodeUtf32(bytes, marked);
  if (marked !== null) return told(decoderOf(marked)!.decode(bytes), bytes, marked, warn);
  const utf16 = isUtf16(bytes);
  if (utf16 !== null) return new TextDecoder(utf16).decode(bytes);
  const declared = declaredEncoding(bytes, filename);
  const decoder = declared === null ? null : decoderOf(declared);
  if (declared !== null && decoder === null)
    warn('unknown_encoding', `the file declares the encoding ${declared}, which is not known here`);
  const utf8 = utf8Of(bytes);
  if (decoder !== null && decoder.encoding !== 'utf-8' && !isUtf8AllTheSame(decoder.encoding, utf8))
    return told(decoder.decode(bytes), bytes, decoder.encoding, warn);
  if (isIso2022(bytes)) return new TextDecoder('iso-2022-jp').decode(bytes);
  if (isUtf8(utf8, bytes, decoder?.encoding === 'utf-8')) return told(utf8.text, bytes, 'utf-8', warn);
  return old(detect(bytes.subarray(0, SAMPLE))).decode(bytes);
}

type Decoder = InstanceType<typeof TextDecoder>;

function marksEncoding(bytes: Uint8Array): string | null {
  const mark = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  if (mark.startsWith('efbbbf')) return 'utf-8';
  if (mark === 'fffe0000') return 'utf-32le';
  if (mark === '0000feff') return 'utf-32be';
  if (mark.startsWith('fffe')) return 'utf-16le';
  return mark.startsWith('feff') ? 'utf-16be' : null;
}

/** Names that files declare and the Encoding Standard does not have. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  cp932: 'shift_jis',
  'ms-kanji': 'shift_jis',
  cp936: 'gbk',
  ms936: 'gbk',
  'windows-936': 'gbk',
  cp949: 'euc-kr',
  ms949: 'euc-kr',
  cp950: 'big5',
  'cp-1251': 'windows-1251',
  'cp-1252': 'windows-1252',
  'mac-roman': 'macintosh',
  'x-user-defined': OLD_ENCODING,
  ansi: OLD_ENCODING,
};

/** null: the encoding is not known. */
function decoderOf(name: string): Decoder | null {
  try {
    return new TextDecoder(OTHER_NAMES[name] ?? name);
  } catch {
    return null;
  }
}

interface Utf8 {
  readonly text: string;
  /** Characters of more than one byte. */
  readonly whole: number;
  /** Bytes, or beginnings of characters, that are none. */
  readonly broken: number;
}

function utf8Of(bytes: Uint8Array): Utf8 {
  const text = new TextDecoder().decode(bytes);
  let [whole, replaced] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) replaced += 1;
    // A pair of surrogates is one character.
    else if (code > 0x7f && (code < 0xdc00 || code > 0xdfff)) whole += 1;
  }
  const written = replaced === 0 ? 0 : timesIn(bytes, REPLACEMENT);
  return { text, whole: whole + written, broken: replaced - written };
}

const REPLACEMENT = Buffer.from('\ufffd');

function timesIn(bytes: Uint8Array, piece: Buffer): number {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let times = 0;
  for (let at = all.indexOf(piece); at >= 0; at = all.indexOf(piece, at + piece.length)) times += 1;
  return times;
}

/** Pages that were converted to UTF-8 often declare what they were in before. */
const isUtf8AllTheSame = (declared: string, { whole, broken }: Utf8): boolean =>
  SINGLE_BYTE.test(declared) && broken === 0 && whole >= FEW;

/** Text of an old encoding has hardly a character that is UTF-8 by chance; East Asian text has some. */
function isUtf8({ whole, broken }: Utf8, bytes: Uint8Array, isDeclared: boolean): boolean {
  if (broken === 0) return true;
  if (whole >= broken * 2 || (isDeclared && whole >= broken)) return true;
  return whole >= broken && !isEastAsian(bytes);
}

function isEastAsian(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE);
  return analyse(sample).some(({ name }) => {
    if (!/^(?:Shift_JIS|Big5|EUC-JP|EUC-KR|GB18030)$/.test(name)) return false;
    try {
      new TextDecoder(name, { fatal: true }).decode(sample, { stream: true });
      return true;
    } catch {
      return false;
    }
  });
}

/** What is taken for UTF-8 or ISO-8859-1 and is none is Windows' superset of the latter, as browsers have it. */
function old(encoding: string | null): Decoder {
  if (encoding === null || /^(UTF-|ASCII|ISO-8859-1$|windows-1252)/.test(encoding))
    return new TextDecoder(OLD_ENCODING);
  return decoderOf(encoding.toLowerCase()) ?? new TextDecoder(OLD_ENCODING);
}

/** Of what this encoding does not have, the number is said. */
function told(text: string, bytes: Uint8Array, encoding: string, warn: Warn): string {
  if (!text.includes('\ufffd')) return text;
  const replaced = text.split('\ufffd').length - 1;
  const broken = replaced - (encoding === 'utf-8' ? timesIn(bytes, REPLACEMENT) : 0);
  if (broken === 1) warn('broken_characters', `1 place is no character in ${encoding}; � stands for it`);
  else if (broken > 1)
    warn('broken_characters', `${broken} places are no characters in ${encoding}; � stands for each`);
  return text;
}

function decodeUtf32(bytes: Uint8Array, encoding: 'utf-32le' | 'utf-32be'): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pieces: string[] = [];
  for (let at = 4; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, encoding === 'utf-32le');
    pieces.push(code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd');
  }
  return pieces.join('');
}

/** Letters of seven bits, and what calls the Japanese ones (RFC 1468). */
function isIso2022(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE);
  return CALLS.some((call) => timesIn(sample, call) > 0) && sample.every((byte) => byte < 0x80);
}

const CALLS = ['\x1b$@', '\x1b$B'].map((call) => Buffer.from(call));
