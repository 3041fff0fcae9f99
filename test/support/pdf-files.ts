import { constants, deflateRawSync, deflateSync } from 'node:zlib';

/** A page's content, and what it refers to. */
export interface PdfPage {
  /** Compressed with `filter`. */
  readonly content: Uint8Array;
  readonly filter?: string;
}

const RESOURCES = '/Resources<</Font<</F 3 0 R>>/XObject<</I 4 0 R>>>>';
const FONT = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>';

/** A PDF of pages, with an image that each of them may paint as /I. */
export function pdfOf(pages: readonly PdfPage[], image: Uint8Array = NO_IMAGE): Buffer {
  const objects: Uint8Array[] = ['<</Type/Catalog/Pages 2 0 R>>', '', FONT].map(latin1);
  objects.push(image);
  const kids: string[] = [];
  for (const { content, filter = '/FlateDecode' } of pages) {
    objects.push(streamOf(`/Filter${filter}`, content));
    const contents = `/Contents ${objects.length} 0 R`;
    objects.push(latin1(`<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]${RESOURCES}${contents}>>`));
    kids.push(`${objects.length} 0 R`);
  }
  objects[1] = latin1(`<</Type/Pages/Count ${pages.length}/Kids[${kids.join(' ')}]>>`);
  return assembled(objects);
}

/** Pages of 60 lines of words, again and again. */
export function textPdf(pages: number, words: readonly string[]): Buffer {
  let seed = 1;
  const word = () => words[(seed = (seed * 48_271) % 2_147_483_647) % words.length] ?? '';
  const line = () => `(${Array.from({ length: 12 }, word).join(' ')}) Tj T*`;
  return pdfOf(
    Array.from({ length: pages }, () => ({
      content: deflateSync(`BT /F 10 Tf 12 TL 50 800 Td ${Array.from({ length: 60 }, line).join(' ')} ET`),
    })),
  );
}

/** An image as it stands in a file: JPEG, in grey. */
export interface GreyJpeg {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Pages that are the same image each: a scan. */
export function scanPdf(pages: number, { bytes, width, height }: GreyJpeg): Buffer {
  const about = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode`;
  const content = deflateSync('q 500 0 0 200 50 500 cm /I Do Q');
  return pdfOf(
    Array.from({ length: pages }, () => ({ content })),
    streamOf(about, bytes),
  );
}

/** Many pages without anything on them, from one node of the page tree. */
export function emptyPagesPdf(pages: number): Buffer {
  const objects = ['<</Type/Catalog/Pages 2 0 R>>', ''].map(latin1);
  const kids: string[] = [];
  for (let page = 0; page < pages; page++) {
    objects.push(latin1('<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>'));
    kids.push(`${objects.length} 0 R`);
  }
  objects[1] = latin1(`<</Type/Pages/Count ${pages}/Kids[${kids.join(' ')}]>>`);
  return assembled(objects);
}

/** `gigabytes` of blanks as a zlib stream, a thousandth of that in size. */
export function deflateBomb(gigabytes: number): Buffer {
  const piece = deflateRawSync(Buffer.alloc(64 * 1024 * 1024, ' '), {
    level: 9,
    finishFlush: constants.Z_FULL_FLUSH,
  });
  const pieces = Array.from({ length: gigabytes * 16 }, () => piece);
  const [header, end] = [Buffer.from([0x78, 0xda]), Buffer.from([0x03, 0x00])];
  return Buffer.concat([header, ...pieces, end]);
}

const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');
export const streamOf = (about: string, bytes: Uint8Array): Uint8Array =>
  Buffer.concat([latin1(`<<${about}/Length ${bytes.length}>>stream\n`), bytes, latin1('\nendstream')]);
const NO_IMAGE = latin1('null');

/** A PDF of objects, the first of which is its catalogue. */
export function assembled(objects: readonly Uint8Array[]): Buffer {
  const parts: Uint8Array[] = [];
  let length = 0;
  const add = (...pieces: Uint8Array[]): void => {
    for (const piece of pieces) {
      parts.push(piece);
      length += piece.length;
    }
  };
  add(latin1('%PDF-1.5\n'));
  const offsets = objects.map((object, i) => {
    const at = length;
    add(latin1(`${i + 1} 0 obj\n`), object, latin1('\nendobj\n'));
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const trailer = `trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${length}\n%%EOF`;
  add(latin1(`xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}${trailer}`));
  return Buffer.concat(parts);
}
