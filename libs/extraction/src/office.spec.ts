import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import { DocumentReader } from '../../../test/support/document-reader.js';
import { CHART, docxOf, packageOf, pptxOf, relationsPart } from '../../../test/support/office-files.js';

const reader = new DocumentReader();
afterAll(() => reader.close());
const read = (bytes: Uint8Array) => reader.read(bytes);
const note = readFileSync('test/fixtures/documents/note.png');

const box = (text: string, more = ''): string =>
  `<p:sp><p:nvSpPr><p:nvPr>${more}</p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;
const placed = (text: string, x: number, y: number): string =>
  `<p:sp><p:spPr><a:xfrm><a:off x="${x}" y="${y}"/></a:xfrm></p:spPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;

describe('presentations', () => {
  test('the title first, the rest from top to bottom, groups together, tables by the row', async () => {
    const table =
      '<p:graphicFrame><p:xfrm><a:off x="0" y="50"/></p:xfrm><a:tbl><a:tr><a:tc><a:p><a:t>Part</a:t></a:p></a:tc><a:tc><a:p><a:t>Place</a:t></a:p></a:tc></a:tr><a:tr><a:tc><a:p><a:t>Awl</a:t></a:p></a:tc><a:tc><a:p><a:t>Shed</a:t></a:p><a:p><a:t>left</a:t></a:p></a:tc></a:tr></a:tbl></p:graphicFrame>';
    const group = `<p:grpSp><p:grpSpPr><a:xfrm><a:off x="0" y="10"/></a:xfrm></p:grpSpPr>${placed('inner one', 5, 900)}<p:grpSp>${placed('inner two', 5, 1)}</p:grpSp></p:grpSp>`;
    const shapes = `${placed('last', 0, 100)}${table}${group}${placed('first', 0, 5)}${box('Heading', '<p:ph type="ctrTitle"/>')}`;
    const { text } = await read(pptxOf(shapes));
    expect(text).toBe(
      '1: Heading\nfirst\ninner one\ninner two\nPart | Place\nPart: Awl | Place: Shed\nleft\nlast',
    );
  });

  test('diagrams in the order of their points, charts, notes, comments of both kinds', async () => {
    const frames =
      '<p:graphicFrame><dgm:relIds r:dm="d"/></p:graphicFrame><p:graphicFrame><c:chart r:id="c"/></p:graphicFrame>';
    const relations = {
      d: ['diagramData', '../diagrams/data1.xml'],
      c: ['chart', '../charts/chart1.xml'],
      n: ['notesSlide', '../notesSlides/n1.xml'],
      k: ['comments', '../comments/c1.xml'],
      o: ['package', '../embeddings/book.xlsx'],
    } as const;
    const point = (id: string, text: string) =>
      `<dgm:pt modelId="${id}"><dgm:t><a:p><a:r><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`;
    const link = (to: string, order: number) => `<dgm:cxn srcId="0" destId="${to}" srcOrd="${order}"/>`;
    const { text, warnings } = await read(
      pptxOf(box('Process') + frames, relations, {
        'ppt/diagrams/data1.xml': `<dgm:dataModel><dgm:ptLst><dgm:pt modelId="0" type="doc"/>${point('2', 'Sow')}${point('1', 'Plough')}${point('3', 'Reap')}</dgm:ptLst><dgm:cxnLst>${link('1', 0)}${link('2', 1)}${link('3', 2)}</dgm:cxnLst></dgm:dataModel>`,
        'ppt/charts/chart1.xml': CHART,
        'ppt/notesSlides/n1.xml': `<p:notes><p:spTree>${box('7', '<p:ph type="sldNum"/>')}${box('Say it slowly', '<p:ph type="body"/>')}</p:spTree></p:notes>`,
        'ppt/comments/c1.xml':
          '<p:cmLst><p:cm><p:text>older remark</p:text></p:cm><p188:cm><p188:txBody><a:p><a:r><a:t>newer remark</a:t></a:r></a:p></p188:txBody></p188:cm></p:cmLst>',
      }),
    );
    expect(text).toContain('Process\nPlough\nSow\nReap\nCatch of herring\nTons: 2027-03-14: 12.5');
    expect(text).toContain('Say it slowly\nComment: older remark\nComment: newer remark');
    expect(text).not.toMatch(/^7$/m);
    expect(warnings).toEqual(['embedded_file 1: book.xlsx in the slide is not read']);
  });

  test('what layouts and masters show is read once, not what may be typed into them', async () => {
    const prompt = box('Click to edit', '<p:ph type="title"/>');
    const { text } = await read(
      pptxOf(
        box('Content'),
        { l: ['slideLayout', '../slideLayouts/l1.xml'] },
        {
          'ppt/slideLayouts/l1.xml': `<p:sldLayout><p:spTree>${prompt}${box('Draft')}</p:spTree></p:sldLayout>`,
          'ppt/slideLayouts/_rels/l1.xml.rels': relationsPart({
            m: ['slideMaster', '../slideMasters/m1.xml'],
          }),
          'ppt/slideMasters/m1.xml': `<p:sldMaster><p:spTree>${prompt}${box('Northwind Ltd')}</p:spTree></p:sldMaster>`,
          'ppt/slideMasters/_rels/m1.xml.rels': relationsPart({
            l: ['slideLayout', '../slideLayouts/l1.xml'],
          }),
        },
      ),
    );
    expect(text).toBe('1: Content\nDraft\nNorthwind Ltd');
  });

  test('a slide that is a picture is read; a kind of picture that is not says so', async () => {
    const shapes = '<p:pic><a:blip r:embed="i"/></p:pic><p:pic><a:blip r:embed="e"/></p:pic>';
    const { text, warnings } = await read(
      pptxOf(
        shapes,
        { i: ['image', '../media/image1.png'], e: ['image', '../media/image2.emf'] },
        { 'ppt/media/image1.png': note, 'ppt/media/image2.emf': new Uint8Array(200) },
      ),
    );
    expect(text).toMatch(/1: [^]*Six crates of marmalade/);
    expect(warnings).toEqual(['unreadable_picture 1: image2.emf is a picture of a kind that is not read']);
  });
});

const p = (runs: string): string => `<w:p>${runs}</w:p>`;
const r = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;

describe('documents', () => {
  test('text boxes once, behind their paragraph, though they stand there in two notations', async () => {
    const inside = `<w:txbxContent>${p(r('in the box'))}</w:txbxContent>`;
    const body = p(
      `${r('Around ')}<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>${inside}</w:drawing></mc:Choice><mc:Fallback><w:pict>${inside}</w:pict></mc:Fallback></mc:AlternateContent></w:r>${r('it')}`,
    );
    expect((await read(docxOf(body + p(r('after'))))).text).toBe('-: Around it\nin the box\nafter');
    const old = p(`${r('Around')}<w:r><w:pict><v:textbox>${inside}</v:textbox></w:pict></w:r>`);
    expect((await read(docxOf(old))).text).toBe('-: Around\nin the box');
  });

  test('tracked changes: what was inserted and moved here, not what was deleted and moved away', async () => {
    const body = p(
      `${r('We ')}<w:del><w:r><w:delText>sold</w:delText></w:r></w:del><w:ins>${r('bought')}</w:ins>${r(' it')}<w:moveFrom>${r(' gone')}</w:moveFrom><w:moveTo>${r(' moved')}</w:moveTo>`,
    );
    expect((await read(docxOf(body))).text).toBe('-: We bought it moved');
  });

  test('fields show their results, forms what was chosen, words no pronunciation', async () => {
    const body =
      p(
        `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> PAGEREF x </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${r('page twelve')}`,
      ) +
      p(
        `<w:r><w:fldChar><w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:ffData></w:fldChar></w:r>${r('agreed')}`,
      ) +
      p(
        `<w:r><w:fldChar><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="tea"/><w:listEntry w:val="cocoa"/></w:ddList></w:ffData></w:fldChar></w:r>`,
      ) +
      p(`<w:r><w:ruby><w:rt>${r('とうきょう')}</w:rt><w:rubyBase>${r('東京')}</w:rubyBase></w:ruby></w:r>`) +
      p(
        `<w:sdt><w:sdtContent>${r('filled in')}</w:sdtContent></w:sdt><m:oMath><m:r><m:t>E=mc</m:t></m:r></m:oMath>`,
      );
    expect((await read(docxOf(body))).text).toBe('-: page twelve\n☒ agreed\ncocoa\n東京\nfilled inE=mc');
  });

  test('notes, comments, headers and footers by their relations, each text once', async () => {
    const { text } = await read(
      docxOf(
        p(r('Body')),
        {
          f: ['footnotes', 'notes/foot.xml'],
          e: ['endnotes', 'endnotes.xml'],
          c: ['comments', 'comments.xml'],
          h1: ['header', 'header1.xml'],
          h2: ['header', 'header2.xml'],
          b: ['footer', 'footer1.xml'],
        },
        {
          'word/notes/foot.xml': `<w:footnotes><w:footnote>${p(r('a footnote'))}</w:footnote></w:footnotes>`,
          'word/endnotes.xml': `<w:endnotes><w:endnote>${p(r('an endnote'))}</w:endnote></w:endnotes>`,
          'word/comments.xml': `<w:comments><w:comment>${p(r('why so?'))}</w:comment></w:comments>`,
          'word/header1.xml': `<w:hdr>${p(r('Northwind'))}</w:hdr>`,
          'word/header2.xml': `<w:hdr>${p(r('Northwind'))}</w:hdr>`,
          'word/footer1.xml': `<w:ftr>${p(r('confidential'))}</w:ftr>`,
        },
      ),
    );
    expect(text).toBe('-: Body\na footnote\nan endnote\nComment: why so?\nNorthwind\nconfidential');
  });

  test('charts, diagrams, pictures and inserted pages where they stand; other files are told', async () => {
    const body = `${p(r('Before') + '<w:r><w:drawing><c:chart r:id="c"/></w:drawing></w:r>')}${p('<w:r><w:drawing><a:blip r:embed="i"/></w:drawing></w:r>')}<w:altChunk r:id="a"/>${p(r('After') + '<w:r><w:object><o:OLEObject r:id="o"/></w:object></w:r>')}`;
    const { text, warnings } = await read(
      docxOf(
        body,
        {
          c: ['chart', 'charts/chart1.xml'],
          i: ['image', 'media/image1.png'],
          a: ['aFChunk', 'chunk.html'],
          o: ['oleObject', 'embeddings/sheet.bin'],
        },
        {
          'word/charts/chart1.xml': CHART,
          'word/media/image1.png': note,
          'word/chunk.html': '<html><body><p>An inserted page</p></body></html>',
        },
      ),
    );
    expect(text).toMatch(
      /Before\nCatch of herring\nTons: [^]*Six crates of marmalade[^]*An inserted page\nAfter/,
    );
    expect(warnings).toEqual(['embedded_file -: sheet.bin in the document is not read']);
  });

  test('tables in tables, and boxes in their cells', async () => {
    const cell = (inside: string) => `<w:tc>${inside}</w:tc>`;
    const inner = `<w:tbl><w:tr>${cell(p(r('x')))}${cell(p(r('y')))}</w:tr></w:tbl>`;
    const boxed = p(`${r('b')}<w:r><w:txbxContent>${p(r('boxed'))}</w:txbxContent></w:r>`);
    const body = `<w:tbl><w:tr>${cell(p(r('a')) + inner)}${cell(boxed)}</w:tr></w:tbl>${p(r('end'))}`;
    expect((await read(docxOf(body))).text).toBe('-: a | x | y | b | boxed\nend');
  });

  test('a part that was cut says so', async () => {
    const { text, warnings } = await read(
      packageOf({ 'word/document.xml': `<w:document><w:body>${p(r('here'))}<w:p><w:r><w:t>and he` }),
    );
    expect(text).toBe('-: here\nand he');
    expect(warnings).toEqual(['unreadable_part -: document.xml ends too early']);
  });
});
