import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { zipSync } from 'fflate';
import { type Extraction, ProcessExtractor } from './index.js';
import { SystemClock } from '#platform';
import { readingOf } from '../../../test/support/reading-of.js';

const extractor = new ProcessExtractor(new SystemClock(), { readers: { count: 1, memoryMb: 1024 } });
afterAll(() => extractor.close());

const fixture = (name: string): Buffer => readFileSync(join('test/fixtures/documents', name));
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

interface Read {
  readonly extraction: Extraction;
  /** Passages, as `page: text`. */
  readonly text: string;
  readonly language: string | null;
}

async function read(bytes: Uint8Array): Promise<Read> {
  const passages: string[] = [];
  let language: string | null = null;
  const reading = readingOf(bytes, async (batch) => {
    language = batch.language;
    passages.push(...batch.passages.map(({ page, text }) => `${page ?? '-'}: ${text}`));
  });
  const extraction = await extractor.extract(reading);
  return { extraction, text: passages.join('\n---\n'), language };
}

describe('formats', () => {
  test('DOCX of an office suite', async () => {
    const { text, extraction, language } = await read(fixture('letter.docx'));
    expect(extraction).toMatchObject({ kind: 'extracted', pages: null });
    expect(language).toBe('english');
    expect(text).toContain('Quarterly report\nThe harbour authority counted 4812 containers in March.');
    expect(text).toContain('Zoë and Łukasz');
    expect(text).toContain('B-3 | hairline crack');
    expect(text).toContain('Order replacement blades');
  });

  test('XLSX: rows with the names of their columns', async () => {
    const { text, extraction } = await read(fixture('parts.xlsx'));
    expect(extraction).toMatchObject({ kind: 'extracted', pages: 1 });
    expect(text).toContain('Article: Flange | Colour: red | Stock: 7 | Price: 12.25');
  });

  test('PPTX: slides are pages', async () => {
    const { text, extraction } = await read(fixture('deck.pptx'));
    expect(extraction).toMatchObject({ kind: 'extracted', pages: 2 });
    expect(text).toContain('1: Lighthouse restoration');
    expect(text).toMatch(/2: The lantern room gets a new cupola\nScaffolding until October/);
  });

  test('PDF', async () => {
    const { text, extraction } = await read(fixture('letter.pdf'));
    expect(extraction).toMatchObject({ kind: 'extracted', pages: 1 });
    expect(text).toContain('1: Quarterly report');
    expect(text).toContain('names such as Zoë and Łukasz stay as\nthey are.');
    expect(text).toContain('two blades show hairline cracks near the root');
  });

  test.each(['png', 'jpg', 'webp'])('%s by OCR', async (ending) => {
    const { text } = await read(fixture(`note.${ending}`));
    expect(text).toMatch(/Delivery note 77120/);
    expect(text).toMatch(/Six crates of marmalade/);
  });

  test('a scanned PDF by OCR, page by page', async () => {
    const { text, extraction } = await read(fixture('scan.pdf'));
    expect(extraction).toMatchObject({ kind: 'extracted', pages: 2 });
    expect(text).toMatch(/1: [^]*Six crates of marmalade/);
    expect(text).toMatch(/2: [^]*RX 5543/);
  });

  test('a scanned PDF of a fax (one bit a pixel)', async () => {
    expect((await read(fixture('scan-fax.pdf'))).text).toContain('Six crates of marmalade');
  });

  test('HTML: what people read', async () => {
    const { text } = await read(
      utf8(`<!DOCTYPE html><html><head><title>Ferry</title><script>var secret = 1</script></head>
        <body><h1>Timetable</h1><p>The ferry leaves at&nbsp;7 &amp; 9.</p>
        <table><tr><th>Day</th><th>Time</th></tr><tr><td>Monday</td><td>7</td></tr></table></body></html>`),
    );
    expect(text).toContain('Timetable\nThe ferry leaves at 7 & 9.\nDay | Time\nMonday | 7');
    expect(text).not.toContain('secret');
  });

  test('XML: what is in it, without the names of its tags', async () => {
    const { text } = await read(utf8('<?xml version="1.0"?><note><to>Tove</to><p>Bring the oars</p></note>'));
    expect(text).toContain('Bring the oars');
    expect(text).not.toContain('<');
  });

  test('XML without a declaration, with sections of characters and tags that HTML knows otherwise; drawings', async () => {
    const xml =
      '<note><object>an anchor</object><![CDATA[5 < 7 buoys]]><title>Log</title><script>no</script></note>';
    expect((await read(utf8(xml))).text).toMatch(/an anchor[^]*5 < 7 buoys[^]*Log$/);
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg"><style>.a{}</style><text x="1">North</text><text>South</text></svg>';
    expect((await read(utf8(svg))).text).toBe('-: North\nSouth');
  });

  test('CSV: rows with the names of their columns, with quotes', async () => {
    const { text } = await read(
      utf8('name;town;note\nAnna;Oslo;"likes; semicolons"\nBen;Bergen;"said ""no"""\n'),
    );
    expect(text).toContain('name: Anna | town: Oslo | note: likes; semicolons\nname: Ben');
    expect(text).toContain('note: said "no"');
  });

  test('JSON: values with their paths', async () => {
    const { text } = await read(
      utf8(
        JSON.stringify({
          ship: { name: 'Vega', ports: ['Oslo', 'Kiel'], crew: [{ role: 'cook', age: 50 }] },
        }),
      ),
    );
    expect(text).toContain('ship.name: Vega');
    expect(text).toContain('ship.crew[0]: role: cook, age: 50');
  });

  test.each<[string, Uint8Array]>([
    ['UTF-8', utf8('Größe der Öfen: fünf Meter')],
    [
      'UTF-8 with a mark',
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), utf8('Größe der Öfen: fünf Meter')]),
    ],
    [
      'UTF-16 LE',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Größe der Öfen: fünf Meter', 'utf16le')]),
    ],
    ['UTF-16 LE without a mark', Buffer.from('Größe der Öfen: fünf Meter', 'utf16le')],
    [
      'UTF-16 BE',
      Buffer.concat([
        Buffer.from([0xfe, 0xff]),
        Buffer.from('Größe der Öfen: fünf Meter', 'utf16le').swap16(),
      ]),
    ],
    ['Windows 1252', Buffer.from('Größe der Öfen: fünf Meter', 'latin1')],
  ])('text in %s', async (_, bytes) => {
    expect((await read(bytes)).text).toBe('-: Größe der Öfen: fünf Meter');
  });

  test('text in Shift JIS and Windows 1251', async () => {
    const japanese = Buffer.from('93fa967b8cea82cc95b68fcd82c582b781428ca98ca982b482e9', 'hex');
    expect((await read(japanese)).text).toContain('日本語の文章です');
    const russian = Buffer.from(
      'cff0e8e2e5f22c20eae0ea20e4e5ebe03f20ddf2ee20f0f3f1f1eae8e920f2e5eaf1f22e',
      'hex',
    );
    expect((await read(russian)).text).toContain('Привет, как дела? Это русский текст.');
  });

  test('Markdown: passages begin at headings', async () => {
    const { text } = await read(utf8('# One\n\nFirst.\n\n```\n# no heading\n```\n\nTwo\n===\n\nSecond.\n'));
    expect(text).toBe('-: One\nFirst.\n```\n# no heading\n```\n---\n-: Two\nSecond.');
  });
});

const office = (parts: Record<string, string>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, utf8(text)])));

describe('bad files', () => {
  const refused = async (bytes: Uint8Array): Promise<[string, string]> => {
    const { extraction, text } = await read(bytes);
    expect(text).toBe('');
    return extraction.kind === 'unreadable' ? [extraction.code, extraction.reason] : ['', 'it was read'];
  };

  test.each<[string, Uint8Array, string, RegExp]>([
    ['an empty file', new Uint8Array(), 'unprocessable', /empty/],
    [
      'a program',
      readFileSync(process.execPath).subarray(0, 10_000),
      'unsupported_media_type',
      /not supported/,
    ],
    ['RTF', utf8('{\\rtf1\\ansi hello}'), 'unsupported_media_type', /RTF/],
    ['RTF with a mark', utf8('\ufeff{\\rtf1\\ansi hello}'), 'unsupported_media_type', /RTF/],
    ['RTF in UTF-16', Buffer.from('\ufeff{\\rtf1 hello}', 'utf16le'), 'unsupported_media_type', /RTF/],
    ['a package of something else', office({ 'a.txt': 'x' }), 'unsupported_media_type', /not supported/],
    [
      'a broken package',
      office({ 'word/document.xml': '<w:document/>' }).subarray(0, 60),
      'unprocessable',
      /damaged/,
    ],
    ['an encrypted PDF', fixture('locked.pdf'), 'unprocessable', /encrypted/],
    ['a PDF that is cut off', fixture('letter.pdf').subarray(0, 3000), 'unprocessable', /damaged/],
    [
      'an old or encrypted Office file',
      Buffer.from('d0cf11e0a1b11ae100000000', 'hex'),
      'unprocessable',
      /encrypted/,
    ],
    ['an image that is cut off', fixture('note.png').subarray(0, 2000), 'unprocessable', /damaged/],
    [
      'a document with an entity bomb',
      office({
        'word/document.xml': `<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><w:document><w:body><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:body></w:document>`,
      }),
      'unprocessable',
      /document type/,
    ],
  ])('%s', async (_, bytes, code, reason) => {
    expect(await refused(bytes)).toEqual([code, expect.stringMatching(reason)]);
  });

  test('an image of 30,000 x 30,000', async () => {
    const png = Buffer.from(fixture('note.png'));
    png.writeUInt32BE(30_000, 16);
    png.writeUInt32BE(30_000, 20);
    expect(await refused(png)).toEqual(['unprocessable', expect.stringContaining('30000 x 30000')]);
  });

  test('a zip bomb', async () => {
    const bomb = zipSync({ 'word/document.xml': Buffer.alloc(201 * 1024 * 1024) }, { level: 1 });
    expect(bomb.length).toBeLessThan(2 * 1024 * 1024);
    expect(await refused(bomb)).toEqual(['unprocessable', expect.stringContaining('200 MB')]);
  });

  test('a package that lies about its size is unpacked to that size and no further', async () => {
    const text = `<w:document><w:p><w:r><w:t>${'x'.repeat(5_000_000)}</w:t></w:r></w:p></w:document>`;
    const bomb = Buffer.from(office({ 'word/document.xml': text }));
    const central = bomb.indexOf(Buffer.from('PK\x01\x02', 'latin1'));
    bomb.writeUInt32LE(1000, central + 24);
    bomb.writeUInt32LE(1000, 22);
    expect((await read(bomb)).text.length).toBeLessThan(1100);
  });
});
