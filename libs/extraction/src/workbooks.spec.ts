import { afterAll, describe, expect, test } from '@jest/globals';
import { DocumentReader } from '../../../test/support/document-reader.js';
import { CHART, packageOf, relationsPart, stylesOf, xlsxOf } from '../../../test/support/office-files.js';

const reader = new DocumentReader();
afterAll(() => reader.close());
const read = (bytes: Uint8Array) => reader.read(bytes);

describe('workbooks', () => {
  test.each<[string | number, number, string]>([
    [14, 46460, '2027-03-14'],
    [15, 46460, '14-Mar-27 (2027-03-14)'],
    [22, 46466.5625, '2027-03-20 13:30'],
    [18, 0.75, '6:00 PM'],
    [21, 0.5, '12:00:00'],
    [46, 1.5, '36:00:00'],
    [9, 0.256, '26%'],
    [10, 0.2567, '25.67%'],
    [4, 1234567.891, '1,234,567.89'],
    [31, 46460, '2027-03-14'],
    ['dd.mm.yyyy;@', 46460, '14.03.2027'],
    ['[$-407]d. mmmm yyyy', 46460, '14. März 2027'],
    ['[$-F800]dddd, mmmm dd, yyyy', 46460, '2027-03-14'],
    ['yyyy"年"m"月"d"日"', 46460, '2027年3月14日'],
    ['d/m/yy', 46460, '14/3/27 (2027-03-14)'],
    ['yyyy-mm-dd hh:mm:ss', 46466.5625, '2027-03-20 13:30:00'],
    ['0.0 "kg"', 12.34, '12.3 kg'],
    ['[Red]-0;0', 5, '-5'],
    ['# ?/?', 1.5, '1 1/2'],
    ['00000', 123, '00123'],
    [';;;', 5, '5'],
    ['yyyy-mm-dd', 4e9, '4000000000'],
    [0, 1234567890123, '1234567890123'],
    [0, 0.30000000000000004, '0.3'],
    ['not "a format', 7, '7'],
  ])('a number in format %s', async (format, value, shown) => {
    const rows = `<row><c t="inlineStr"><is><t>What</t></is></c><c t="inlineStr"><is><t>Shown</t></is></c></row>
      <row><c t="inlineStr"><is><t>thing</t></is></c><c s="1"><v>${value}</v></c></row>`;
    const { text } = await read(xlsxOf({ rows, styles: stylesOf([0, format]) }));
    expect(text).toContain(`What: thing | Shown: ${shown}`);
  });

  test('days that are counted from 1904', async () => {
    const workbook =
      '<workbook><workbookPr date1904="1"/><sheets><sheet name="Mac" sheetId="1" r:id="s1"/></sheets></workbook>';
    const rows = '<row><c s="1"><v>44998</v></c><c s="2"><v>1.5</v></c></row>';
    const { text } = await read(xlsxOf({ rows, workbook, styles: stylesOf([0, 14, '[h]:mm']) }));
    expect(text).toContain('2027-03-14 | 36:00');
  });

  test('truths, errors, results of formulas, dates of the strict standard', async () => {
    const rows = `<row><c t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="e"><v>#N/A</v></c>
      <c t="str"><f>A1&amp;"x"</f><v>joined</v></c><c><f>SUM(A1:A2)</f><v>42</v></c><c t="d"><v>2027-03-14T00:00:00</v></c>
      <c><f>NOW()</f></c></row>`;
    const { text, warnings } = await read(xlsxOf({ rows }));
    expect(text).toContain('TRUE | FALSE | #N/A | joined | 42 | 2027-03-14 | =NOW()');
    expect(warnings).toEqual(['unreadable_part 1: 1 formulas are stored without a result']);
  });

  test('texts of several pieces, without their pronunciation, with characters that XML cannot hold', async () => {
    const strings =
      '<sst><si><r><rPr><b/></rPr><t>Bold</t></r><r><t xml:space="preserve"> and plain</t></r></si><si><t>課長</t><rPh sb="0" eb="2"><t>カチョウ</t></rPh></si><si><t>one_x000A_two_x005F_x</t></si></sst>';
    const rows = `<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c><c t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c></row>`;
    const { text } = await read(xlsxOf({ rows, strings }));
    expect(text).toContain('Bold and plain | 課長 | one\ntwo_x | inline');
    expect(text).not.toContain('カチョウ');
  });

  test('other prefixes, other namespaces, other places and spellings of parts', async () => {
    const rows = '<x:row r="1"><x:c r="A1" t="inlineStr"><x:is><x:t>Tool Awl-31</x:t></x:is></x:c></x:row>';
    const strict = packageOf({
      '_rels/.rels':
        '<Relationships><Relationship Id="m" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="/Book/Main%20book.xml"/></Relationships>',
      'Book/main book.xml':
        '<x:workbook xmlns:x="http://purl.oclc.org/ooxml/spreadsheetml/main" xmlns:q="u"><x:sheets><x:sheet name="Strict" sheetId="7" q:id="s"/></x:sheets></x:workbook>',
      'Book/_rels/main book.xml.rels':
        '<Relationships><Relationship Id="s" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/worksheet" Target="Sheets\\One.xml"/></Relationships>',
      'Book/sheets/one.xml': `<x:worksheet><x:sheetData>${rows}</x:sheetData></x:worksheet>`,
    });
    const { text, warnings } = await read(strict);
    expect(text).toBe('1: Strict\nTool Awl-31');
    expect(warnings).toEqual([]);
  });

  test('comments, conversations, headers, text boxes, charts; a hidden sheet by its name', async () => {
    const workbook =
      '<workbook><sheets><sheet name="Data" sheetId="1" state="hidden" r:id="s1"/></sheets></workbook>';
    const file = xlsxOf({
      workbook,
      rows: '<row><c t="inlineStr"><is><t>cell</t></is></c></row>',
      after:
        '<headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Northwind&amp;RPage &amp;P</oddHeader><oddFooter>&amp;CR&amp;&amp;D</oddFooter></headerFooter><drawing r:id="d"/>',
      relations: {
        c: ['comments', '../comments1.xml'],
        t: ['threadedComment', '../threaded1.xml'],
        d: ['drawing', '../drawings/drawing1.xml'],
        o: ['oleObject', '../embeddings/thing.bin'],
      },
      more: {
        'xl/comments1.xml':
          '<comments><commentList><comment ref="B2"><text><r><t>plain </t></r><r><t>note</t></r></text></comment><comment ref="C3"><text><t>[Threaded comment] Comment: talk</t></text></comment></commentList></comments>',
        'xl/threaded1.xml':
          '<ThreadedComments><threadedComment ref="C3"><text>talk</text></threadedComment></ThreadedComments>',
        'xl/drawings/drawing1.xml':
          '<xdr:wsDr><xdr:sp><xdr:txBody><a:p><a:r><a:t>in a box</a:t></a:r></a:p></xdr:txBody></xdr:sp><mc:AlternateContent><mc:Choice Requires="c14"><c:chart r:id="ch"/></mc:Choice><mc:Fallback><a:p><a:t>not available in your version</a:t></a:p></mc:Fallback></mc:AlternateContent></xdr:wsDr>',
        'xl/drawings/_rels/drawing1.xml.rels': relationsPart({ ch: ['chart', '../charts/chart1.xml'] }),
        'xl/charts/chart1.xml': CHART,
      },
    });
    const { text, warnings } = await read(file);
    expect(text).toContain('Data (hidden sheet)\ncell\nNorthwind | Page\nR&D');
    expect(text).toContain('Comment on B2: plain note');
    expect(text.match(/talk/g)).toHaveLength(1);
    expect(text).toContain('in a box');
    expect(text).toContain('Catch of herring\nTons: 2027-03-14: 12.5, 2027-03-15: 7');
    expect(text).not.toContain('your version');
    expect(warnings).toEqual(['embedded_file 1: thing.bin in the sheet is not read']);
  });

  test('what is missing is told', async () => {
    const workbook =
      '<workbook><sheets><sheet name="Data" r:id="s1"/><sheet name="Lost" r:id="s2"/></sheets></workbook>';
    const rows = '<row><c t="inlineStr"><is><t>here</t></is></c></row>';
    const { text, warnings } = await read(xlsxOf({ rows, workbook }));
    expect(text).toContain('here');
    expect(warnings).toEqual(['unreadable_part 2: the sheet Lost is missing in the file']);
  });

  test('a title above a table is none of its columns', async () => {
    const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
    const rows = `<row>${cell('Stock of May')}</row><row>${cell('Part')}${cell('Place')}</row><row>${cell('Awl')}${cell('Shed')}</row>`;
    const { text } = await read(xlsxOf({ rows, after: '<mergeCells><mergeCell ref="A1:B1"/></mergeCells>' }));
    expect(text).toBe('1: Data\nStock of May\nPart | Place\nPart: Awl | Place: Shed');
  });

  test('binary workbooks are refused', async () => {
    const xlsb = packageOf({
      '_rels/.rels': relationsPart({ m: ['officeDocument', 'xl/workbook.bin'] }),
      'xl/workbook.bin': new Uint8Array([1, 2, 3]),
    });
    expect((await read(xlsb)).extraction).toMatchObject({
      code: 'unsupported_media_type',
      reason: expect.stringContaining('XLSB'),
    });
  });
});
