/** What a file is, told from its content alone. */
export type Kind = 'pdf' | 'png' | 'jpeg' | 'webp' | 'zip' | 'compound' | 'text' | 'binary';

/** The header of a PDF may stand behind other bytes, but not far. */
const PDF_WITHIN = 1024;

const SIGNATURES: readonly (readonly [Kind, readonly number[]])[] = [
  ['png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['jpeg', [0xff, 0xd8, 0xff]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  ['zip', [0x50, 0x4b, 0x05, 0x06]],
  // Office before 2007, and encrypted files of Office since.
  ['compound', [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]],
];

export function kindOf(bytes: Uint8Array): Kind {
  for (const [kind, signature] of SIGNATURES)
    if (signature.every((byte, at) => bytes[at] === byte)) return kind;
  const head = latin1(bytes.subarray(0, PDF_WITHIN));
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return 'webp';
  if (head.includes('%PDF-')) return 'pdf';
  return looksLikeText(bytes) ? 'text' : 'binary';
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** Of the beginning: control characters other than line ends and tabs are rare in text of any encoding. */
const LOOKED_AT = 64 * 1024;
const MOST_CONTROLS = 0.02;

function looksLikeText(bytes: Uint8Array): boolean {
  if (isUtf16(bytes) !== null || isUtf32(bytes)) return true;
  const sample = bytes.subarray(0, LOOKED_AT);
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0) return false;
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x0c && byte !== 0x1b)
      controls++;
  }
  return controls <= sample.length * MOST_CONTROLS;
}

/** By its mark; that of the other byte order begins as UTF-16's does. */
const isUtf32 = (bytes: Uint8Array): boolean =>
  [0x00, 0x00, 0xfe, 0xff].every((byte, at) => bytes[at] === byte);

/** By its mark, or because every other byte of the beginning is 0, as in text of few letters above U+00FF. */
export function isUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const sample = bytes.subarray(0, 512);
  if (sample.length < 8 || bytes.length % 2 !== 0) return null;
  let [even, odd] = [0, 0];
  sample.forEach((byte, at) => {
    if (byte !== 0) return;
    if (at % 2 === 0) even++;
    else odd++;
  });
  const pairs = sample.length / 2;
  if (odd > pairs * 0.7 && even === 0) return 'utf-16le';
  return even > pairs * 0.7 && odd === 0 ? 'utf-16be' : null;
}
