import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { zipSync } from 'fflate';
import { type Extraction, type ExtractorLimits, ProcessExtractor } from '#extraction';
import { SystemClock } from '#platform';
import { deflateBomb, emptyPagesPdf, pdfOf, textPdf } from '../support/pdf-files.js';
import { PATIENCE_MS, until } from '../support/until.js';
import { pngOf } from '../support/png-files.js';
import { readingOf } from '../support/reading-of.js';
import { memoryOf } from '../support/service-process.js';

const readers = { count: 1, memoryMb: 1024 };
const extractor = new ProcessExtractor(new SystemClock(), { readers, timeoutMs: PATIENCE_MS });
afterAll(() => extractor.close());

const MEGABYTE = 1024 * 1024;
/** What others would suffer from: of this process; and what its watch, which looks each 20 ms, may be late by. */
const MOST_HERE = 150 * MEGABYTE;
const MOST_LATE = 100 * MEGABYTE;

let characters = 0;
async function read(bytes: Uint8Array, by = extractor, limitMb = readers.memoryMb): Promise<Extraction> {
  characters = 0;
  const before = memoryOf(process.pid);
  let [here, there] = [before, 0];
  const timer = setInterval(() => {
    here = Math.max(here, memoryOf(process.pid));
    there = Math.max(there, ...by.pids.map(memoryOf));
  }, 20);
  try {
    const reading = readingOf(bytes, async ({ passages }) => {
      for (const { text } of passages) characters += text.length;
    });
    return await by.extract(reading);
  } finally {
    clearInterval(timer);
    expect(here - before).toBeLessThan(MOST_HERE);
    expect(there).toBeLessThan(limitMb * MEGABYTE + MOST_LATE);
  }
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const fixture = (name: string): Buffer => readFileSync(join('test/fixtures/documents', name));
const office = (parts: Record<string, string | Uint8Array>): Uint8Array =>
  zipSync(
    Object.fromEntries(
      Object.entries(parts).map(([name, part]) => [name, typeof part === 'string' ? utf8(part) : part]),
    ),
    { level: 1 },
  );

/** A frame header of JPEG, a VP8X header of WebP, each with the size that is asked for. */
const jpegOf = (width: number, height: number): Buffer => {
  const frame = Buffer.from('ffd8ffc0001108000000000301220002110103110100', 'hex');
  frame.writeUInt16BE(height, 7);
  frame.writeUInt16BE(width, 9);
  return frame;
};
const webpOf = (width: number, height: number): Buffer => {
  const file = Buffer.alloc(30);
  file.write('RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0', 'latin1');
  file.writeUIntLE(width - 1, 24, 3);
  file.writeUIntLE(height - 1, 27, 3);
  return file;
};

/** As many pixels as an image may have. */
const largest = (): Buffer => pngOf({ width: 6_300, height: 6_300 });

const reasonOf = (extraction: Extraction): string =>
  extraction.kind === 'unreadable' ? `${extraction.code}: ${extraction.reason}` : 'it was read';

describe('files that would take the machine down', () => {
  test.each<[string, () => Uint8Array, RegExp]>([
    ['a PDF of 100,000 pages', () => emptyPagesPdf(100_000), /^unprocessable: .*100000 pages.*5000/],
    [
      'an image of 30,000 x 30,000 (PNG)',
      () => pngOf({ width: 30_000, height: 30_000, rows: 100 }),
      /^unprocessable: .*30000 x 30000/,
    ],
    ['an image of 30,000 x 30,000 (JPG)', () => jpegOf(30_000, 30_000), /^unprocessable: .*30000 x 30000/],
    ['an image of 30,000 x 30,000 (WebP)', () => webpOf(30_000, 30_000), /^unprocessable: .*30000 x 30000/],
    [
      'a zip bomb in a part',
      () => office({ 'word/document.xml': Buffer.alloc(201 * 1024 * 1024) }),
      /^unprocessable: .*200 MB/,
    ],
    [
      'a zip bomb in many parts',
      () => {
        const slide = Buffer.alloc(30 * 1024 * 1024, ' ');
        const parts = Array.from({ length: 8 }, (_, i) => `slides/slide${i}.xml`);
        const rels = parts.map((part, i) => `<Relationship Id="r${i}" Type="x/slide" Target="${part}"/>`);
        return office({
          'ppt/presentation.xml': `<p>${parts.map((_, i) => `<p:sldId r:id="r${i}"/>`).join('')}</p>`,
          'ppt/_rels/presentation.xml.rels': `<Relationships>${rels.join('')}</Relationships>`,
          ...Object.fromEntries(parts.map((part) => [`ppt/${part}`, slide])),
        });
      },
      /^unprocessable: .*200 MB/,
    ],
    [
      'a package of 30,000 parts',
      () => office(Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`a${i}`, '']))),
      /^unprocessable: .*too many parts/,
    ],
    [
      'XML that is nested 100,000 deep',
      () => office({ 'word/document.xml': '<a>'.repeat(100_000) }),
      /^unprocessable: .*nested too deeply/,
    ],
    [
      'an entity bomb in a sheet',
      () =>
        office({
          'xl/workbook.xml': `<!DOCTYPE x [<!ENTITY a "aaaa">${'bcdefghij'
            .split('')
            .map((name, i) => `<!ENTITY ${name} "${`&${'abcdefghi'[i]};`.repeat(10)}">`)
            .join('')}]><workbook><sheets><sheet name="&j;" r:id="r1"/></sheets></workbook>`,
        }),
      /^unprocessable: .*document type/,
    ],
    [
      'an entity that is a file of ours',
      () =>
        office({
          'word/document.xml': `<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:p><w:r><w:t>&x;</w:t></w:r></w:p>`,
        }),
      /^unprocessable: .*document type/,
    ],
    [
      'HTML that is nested 200,000 deep',
      () => utf8(`<!doctype html>${'<div>'.repeat(200_000)}`),
      /^unprocessable: .*nested too deeply/,
    ],
    ['a PDF that is nothing but its end', () => utf8('%PDF-1.7\n%%EOF'), /^unprocessable: .*damaged/],
    ['an encrypted PDF', () => fixture('locked.pdf'), /^unprocessable: .*encrypted/],
    ['half a DOCX', () => fixture('letter.docx').subarray(0, 4000), /^unprocessable: .*damaged/],
  ])('%s', async (_, file, reason) => {
    expect(reasonOf(await read(file()))).toMatch(reason);
    expect(characters).toBe(0);
  });

  test('a bomb in a stream of a PDF', async () => {
    const bomb = deflateSync(deflateBomb(2));
    expect(bomb.length).toBeLessThan(200_000);
    const file = pdfOf([{ content: bomb, filter: '[/FlateDecode/FlateDecode]' }]);
    expect(reasonOf(await read(file))).toMatch(/^unprocessable: .*(too much memory|damaged|no text)/);
  });

  test('text that is nested deeply, as JSON and as HTML, is read', async () => {
    const json = await read(utf8(`${'['.repeat(20_000)}"the core"${']'.repeat(20_000)}`));
    expect(json).toMatchObject({ kind: 'extracted' });
    const html = await read(utf8(`<!doctype html>${'<div>'.repeat(9_000)}the core`));
    expect(html).toMatchObject({ kind: 'extracted' });
    expect(characters).toBe('the core'.length);
  });

  test('a sheet that says its cells stand far apart takes no more than it holds', async () => {
    const rows = Array.from({ length: 500 }, (_, i) => `<row><c r="XFD${i}"><v>${i}</v></c></row>`);
    const file = office({
      'xl/workbook.xml': '<workbook><sheets><sheet name="far" r:id="r1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="r1" Type="x/worksheet" Target="sheet.xml"/></Relationships>',
      'xl/sheet.xml': `<worksheet><sheetData>${rows.join('')}</sheetData></worksheet>`,
    });
    expect(await read(file)).toMatchObject({ kind: 'extracted' });
    expect(characters).toBeLessThan(10_000);
  });
});

describe('a file that oversteps', () => {
  const opened: ProcessExtractor[] = [];
  const open = (limits: Partial<ExtractorLimits> = {}): ProcessExtractor => {
    const one = new ProcessExtractor(new SystemClock(), { readers, ...limits });
    opened.push(one);
    return one;
  };
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  /** On a busy machine the start of a process may overstep a short time, too. */
  const reads = (by: ProcessExtractor): Promise<void> =>
    until(async () => (await read(utf8('a note'), by)).kind === 'extracted');

  test('the time is ended, and the next is read', async () => {
    const strict = open({ timeoutMs: 500 });
    await reads(strict);
    const long = textPdf(2_000, ['pump', 'well', 'hose', 'valve']);
    const reason = 'unprocessable: the file takes too long to read: more than 0.5 s';
    expect(reasonOf(await read(long, strict))).toBe(reason);
    await reads(strict);
  });

  test('the heap of its process ends with the process, and the next is read', async () => {
    const strict = open({ heapMb: 48 });
    const list = Array.from({ length: 600_000 }, (_, i) => ({ [`key ${i}`]: [i] }));
    expect(reasonOf(await read(utf8(JSON.stringify(list)), strict))).toMatch(/too much memory/);
    await reads(strict);
  });

  test('the memory of its process, which OCR holds beside the heap, is told the limit, and the next is read', async () => {
    const strict = open({ readers: { count: 1, memoryMb: 256 } });
    const [image, limitMb] = [largest(), 256];
    const reason = 'unprocessable: the file takes too much memory to read: more than 256 MB';
    expect(reasonOf(await read(image, strict, limitMb))).toBe(reason);
    await reads(strict);
    // In a process that has read others before it is tried a second time.
    expect(reasonOf(await read(image, strict, limitMb))).toBe(reason);
  });
});
