import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { afterAll, describe, expect, test } from '@jest/globals';
import { DocumentReader } from '../../../test/support/document-reader.js';
import { assembled, streamOf } from '../../../test/support/pdf-files.js';

const reader = new DocumentReader();
afterAll(() => reader.close());
const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');

interface Page {
  /** What is painted. The fonts /F1 (Helvetica) and /F2, and the picture /I may be used. */
  readonly content: string | Uint8Array;
  /** More of the page's dictionary. */
  readonly page?: string;
  /** More of the catalogue. */
  readonly catalog?: string;
  /** From number 7 on. */
  readonly objects?: readonly (string | Uint8Array)[];
  readonly font?: string;
  readonly picture?: Uint8Array;
}

/** A PDF of one page of 612 x 792 points. */
const pdfOfPage = ({ content, page = '', catalog = '', objects = [], font, picture }: Page): Uint8Array =>
  assembled([
    latin1(`<</Type/Catalog/Pages 2 0 R${catalog}>>`),
    latin1('<</Type/Pages/Kids[3 0 R]/Count 1>>'),
    latin1(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R/F2 7 0 R>>/XObject<</I 6 0 R>>>>${page}>>`,
    ),
    streamOf('', typeof content === 'string' ? latin1(content) : content),
    latin1('<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>'),
    picture ?? latin1('null'),
    ...(font === undefined ? [] : [latin1(font)]),
    ...objects.map((object) => (typeof object === 'string' ? latin1(object) : object)),
  ]);

const read = (page: Page) => reader.read(pdfOfPage(page));
const write = (text: string, x = 50, y = 700): string => `BT /F1 12 Tf ${x} ${y} Td (${text}) Tj ET\n`;

describe('fonts that are not in the file', () => {
  const font = (name: string, encoding: string, ordering: string): string =>
    `<</Type/Font/Subtype/Type0/BaseFont/${name}/Encoding/${encoding}/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/${name}/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 2>>/DW 1000/FontDescriptor<</Type/FontDescriptor/FontName/${name}/Flags 6/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 880/Descent -120/CapHeight 880/StemV 90>>>>]>>`;

  test.each([
    ['UniGB-UCS2-H', 'GB1', '53D1796891D1989D', '发票金额'],
    ['UniGB-UTF16-H', 'GB1', '53D1796891D1989D', '发票金额'],
    ['GBK-EUC-H', 'GB1', 'B7A2C6B1BDF0B6EE', '发票金额'],
    ['UniJIS-UCS2-H', 'Japan1', '8ACB6C4266F8', '請求書'],
    ['90ms-RKSJ-H', 'Japan1', '90BF8B818F91', '請求書'],
    ['UniKS-UCS2-H', 'Korea1', 'C601C218C99D', '영수증'],
    ['KSCms-UHC-H', 'Korea1', 'BFB5BCF6C1F5', '영수증'],
    ['UniCNS-UCS2-H', 'CNS1', '767C7968', '發票'],
    ['ETen-B5-H', 'CNS1', 'B56FB2BC', '發票'],
  ])('%s', async (encoding, ordering, codes, text) => {
    const { text: found, warnings } = await read({
      content: `BT /F2 14 Tf 50 600 Td <${codes}> Tj ET`,
      font: font('Song-Light', encoding, ordering),
    });
    expect(found).toBe(`1: ${text}`);
    expect(warnings).toEqual([]);
  });

  test('glyphs that stand for no letters are told', async () => {
    const type3 = `<</Type/Font/Subtype/Type3/FontBBox[0 0 10 10]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 1/LastChar 1/Widths[500]/Encoding<</Type/Encoding/Differences[1/g1]>>/CharProcs<</g1 8 0 R>>>>`;
    const { text, warnings } = await read({
      content: 'BT /F2 14 Tf 50 600 Td <01010101> Tj ET',
      font: type3,
      objects: [streamOf('', latin1('500 0 0 0 400 700 d1 0 0 400 700 re f'))],
    });
    expect(text).toBe('');
    expect(warnings).toEqual(['no_letters 1: the page has glyphs, but they stand for no letters']);
  });
});

describe('what stands beside the text', () => {
  const widget = (more: string, y = 600): string =>
    `<</Type/Annot/Subtype/Widget/F 4/P 3 0 R/Rect[50 ${y} 250 ${y + 20}]${more}>>`;
  const form = (fields: readonly string[]): Page => ({
    content: write('Application form of the club'),
    font: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    catalog: `/AcroForm<</Fields[${fields.map((_, i) => `${8 + i} 0 R`).join(' ')}]/DA(/Helv 0 Tf 0 g)>>`,
    page: `/Annots[${fields.map((_, i) => `${8 + i} 0 R`).join(' ')}]`,
    objects: fields,
  });

  test('fields: text in any encoding, lists as they are shown, boxes that are ticked; no secrets', async () => {
    const { text } = await read(
      form([
        widget('/FT/Tx/T(form1[0].page[0].Surname[0])/V(Marigoldson)'),
        widget('/FT/Tx/T(town)/TU(Town of birth)/V<FEFF00D800E500730065>'),
        widget('/FT/Ch/Ff 131072/T(land)/Opt[[(NO)(Norway)][(DK)(Denmark)]]/V(DK)'),
        widget('/FT/Btn/T(member)/V/Yes/AS/Yes/AP<</N<</Yes null/Off null>>>>'),
        widget('/FT/Btn/T(spam)/V/Off/AS/Off/AP<</N<</Yes null/Off null>>>>'),
        widget('/FT/Tx/Ff 8192/T(pin)/V(4711)'),
        widget('/FT/Tx/T(empty)'),
      ]),
    );
    expect(text).toContain('Surname: Marigoldson\nTown of birth: Øåse\nland: Denmark\nmember: ☒');
    expect(text).not.toMatch(/4711|spam|empty/);
  });

  test('a field that only its appearance fills, and one that no page shows', async () => {
    const fields = [
      widget('/FT/Tx/T(city)/DA(/Helv 12 Tf 0 g)/AP<</N 9 0 R>>'),
      streamOf(
        '/Type/XObject/Subtype/Form/BBox[0 0 200 20]/Resources<</Font<</Helv 5 0 R>>>>',
        latin1('/Tx BMC BT /Helv 12 Tf 2 5 Td (Quillbridge) Tj ET EMC'),
      ),
      widget('/FT/Tx/T(hidden)/V(Turnstone)'),
    ];
    const { text } = await read({
      content: write('Application form of the club'),
      font: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
      catalog: '/AcroForm<</Fields[8 0 R 10 0 R]>>',
      page: '/Annots[8 0 R]',
      objects: fields,
    });
    expect(text).toContain('city: Quillbridge');
    expect(text).toContain('hidden: Turnstone');
  });

  test('notes and free text once, with who wrote them; attached files are told', async () => {
    const { text, warnings } = await read({
      content: write('A letter with some remarks'),
      font: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
      page: '/Annots[8 0 R 9 0 R 10 0 R 11 0 R]',
      objects: [
        '<</Type/Annot/Subtype/Text/Rect[10 10 30 30]/Contents(check this sum)/T(Ada)/Popup 9 0 R>>',
        '<</Type/Annot/Subtype/Popup/Rect[10 10 90 90]/Parent 8 0 R>>',
        '<</Type/Annot/Subtype/FreeText/Rect[100 100 200 130]/DA(/Helv 12 Tf)/Contents(written across)>>',
        '<</Type/Annot/Subtype/FileAttachment/Rect[300 300 320 320]/FS<</Type/Filespec/F(sums.ods)/EF<</F 12 0 R>>>>>>',
        streamOf('/Type/EmbeddedFile', latin1('x')),
      ],
    });
    expect(text.match(/check this sum/g)).toHaveLength(1);
    expect(text).toContain('Ada: check this sum');
    expect(text).toContain('written across');
    expect(warnings).toEqual([expect.stringMatching(/^embedded_file 1: the attached file sums\.ods/)]);
  });

  test('a file within the file is told', async () => {
    const { warnings } = await read({
      content: write('An invoice with its data'),
      font: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
      catalog: '/Names<</EmbeddedFiles<</Names[(zugferd.xml)8 0 R]>>>>',
      objects: [
        '<</Type/Filespec/F(zugferd.xml)/UF(zugferd.xml)/EF<</F 9 0 R>>>>',
        streamOf('/Type/EmbeddedFile', latin1('<a/>')),
      ],
    });
    expect(warnings).toEqual(['embedded_file -: the attached file zugferd.xml is not read']);
  });
});

describe('pictures of text', () => {
  const jpeg = readFileSync('test/fixtures/documents/note.jpg');
  const about = '/Type/XObject/Subtype/Image/Width 1240/Height 500/BitsPerComponent 8';
  const picture = streamOf(`${about}/ColorSpace/DeviceGray/Filter/DCTDecode`, jpeg);
  const WORDS = /Six crates of marmalade/g;
  const paint = 'q 500 0 0 200 50 300 cm /I Do Q\n';
  const STAMP = write('CONFIDENTIAL - SUBJECT TO PROTECTIVE ORDER - ABC 0012345', 50, 30);

  /** Its dark pixels as bits, rows of whole bytes. */
  async function bits(): Promise<Buffer> {
    const canvas = createCanvas(1240, 500);
    const context = canvas.getContext('2d');
    context.drawImage(await loadImage(jpeg), 0, 0);
    const { data } = context.getImageData(0, 0, 1240, 500);
    const rows = Buffer.alloc(155 * 500);
    for (let i = 0; i < 1240 * 500; i++)
      if (data[i * 4]! < 128)
        rows[Math.floor(i / 1240) * 155 + ((i % 1240) >> 3)]! |= 0x80 >> ((i % 1240) & 7);
    return rows;
  }

  test.each<[string, string, string]>([
    ['with a stamp', paint + STAMP, ''],
    ['in a page that is shown turned', 'q 0 500 -200 0 400 100 cm /I Do Q\n' + STAMP, '/Rotate 90'],
    ['in a page that is shown upside down', 'q -500 0 0 -200 550 500 cm /I Do Q\n' + STAMP, '/Rotate 180'],
    ['stored upside down, painted upright', 'q 500 0 0 200 50 300 cm /I Do Q\n' + STAMP, ''],
  ])('%s', async (_, content, page) => {
    const { text, warnings } = await read({ content, page, picture });
    expect(text).toMatch(WORDS);
    expect(text).toContain('PROTECTIVE ORDER');
    expect(text.match(/PROTECTIVE/g)).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  test('as a mask that is painted with ink', async () => {
    const mask = streamOf(
      '/Type/XObject/Subtype/Image/ImageMask true/Width 1240/Height 500/BitsPerComponent 1/Decode[1 0]/Filter/FlateDecode',
      deflateSync(await bits()),
    );
    expect((await read({ content: `0 g ${paint}${STAMP}`, picture: mask })).text).toMatch(WORDS);
  });

  test('in strips', async () => {
    const rows = await bits();
    const strips = Array.from({ length: 25 }, (_, i) => rows.subarray(i * 155 * 20, (i + 1) * 155 * 20));
    const inline = strips.map((strip, i) =>
      Buffer.concat([
        latin1(`q 500 0 0 8 50 ${492 - i * 8} cm BI /W 1240/H 20/BPC 1/CS/G/D[1 0]/F/AHx ID `),
        latin1(strip.toString('hex')),
        latin1('> EI Q\n'),
      ]),
    );
    expect((await read({ content: Buffer.concat([...inline, latin1(STAMP)]) })).text).toMatch(WORDS);
  });

  test('within a form that is painted', async () => {
    const form = streamOf(
      '/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</XObject<</J 8 0 R>>>>',
      latin1('q 500 0 0 200 50 300 cm /J Do Q'),
    );
    const { text } = await read({
      content: `/I Do\n${STAMP}`,
      picture: form,
      font: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
      objects: [picture],
    });
    expect(text).toMatch(WORDS);
  });

  test('that were recognised by the scanner are not read twice', async () => {
    const hidden = `BT 3 Tr /F1 12 Tf 60 450 Td (Delivery note 77120) Tj 0 -40 Td (Six crates of marmalade were delivered) Tj ET\n`;
    const { text } = await read({ content: paint + hidden, picture });
    expect(text.match(/crates/g)).toHaveLength(1);
    // Painted over by the picture, of which it is a part.
    const below = await read({ content: hidden.replace('3 Tr', '') + paint, picture });
    expect(below.text.match(WORDS)).toHaveLength(1);
    expect(below.text).toMatch(/warehouse in Rotterdam/);
  });

  test('that are too large or damaged are told', async () => {
    const large = streamOf(
      '/Type/XObject/Subtype/Image/Width 8000/Height 8000/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/FlateDecode',
      deflateSync(Buffer.alloc(8_000_000)),
    );
    expect((await read({ content: paint + STAMP, picture: large })).warnings).toEqual([
      'limit 1: a picture of more than 40 million pixels is not read',
    ]);
    const broken = streamOf(`${about}/ColorSpace/DeviceGray/Filter/DCTDecode`, Buffer.alloc(2000, 7));
    expect((await read({ content: paint + STAMP, picture: broken })).warnings).toEqual([
      'unreadable_picture 1: a picture of the page is damaged',
    ]);
  });

  test('in which there is no text are told', async () => {
    const blank = streamOf(
      '/Type/XObject/Subtype/Image/Width 400/Height 300/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/FlateDecode',
      deflateSync(Buffer.alloc(120_000, 200)),
    );
    const { text, warnings } = await read({ content: paint, picture: blank });
    expect(text).toBe('');
    expect(warnings).toEqual(['no_letters 1: the page has pictures, but no text was recognised in them']);
  });
});
