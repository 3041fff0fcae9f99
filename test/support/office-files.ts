import { zipSync } from 'fflate';

/** Parts of a package by their names, as XML or as bytes. */
export type Parts = Readonly<Record<string, string | Uint8Array>>;

export const packageOf = (parts: Parts): Uint8Array =>
  zipSync(
    Object.fromEntries(
      Object.entries(parts).map(([name, part]) => [
        name,
        typeof part === 'string' ? new TextEncoder().encode(part) : part,
      ]),
    ),
  );

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A part's relations, as `id: [type, target]`; types without the beginning that they share. */
export const relationsPart = (relations: Readonly<Record<string, readonly [string, string]>>): string =>
  `<Relationships>${Object.entries(relations)
    .map(([id, [type, target]]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

export interface SheetParts {
  /** What stands in `sheetData`. */
  readonly rows: string;
  /** Behind it. */
  readonly after?: string;
  readonly styles?: string;
  readonly strings?: string;
  readonly workbook?: string;
  readonly more?: Parts;
  readonly relations?: Readonly<Record<string, readonly [string, string]>>;
}

/** A workbook of one sheet, `Data`. */
export const xlsxOf = ({
  rows,
  after = '',
  styles,
  strings,
  workbook,
  more = {},
  relations,
}: SheetParts): Uint8Array =>
  packageOf({
    'xl/workbook.xml':
      workbook ??
      '<workbook xmlns:r="r"><sheets><sheet name="Data" sheetId="1" r:id="s1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relationsPart({
      s1: ['worksheet', 'worksheets/sheet1.xml'],
      ...(styles !== undefined && { st: ['styles', 'styles.xml'] as const }),
      ...(strings !== undefined && { ss: ['sharedStrings', 'sharedStrings.xml'] as const }),
    }),
    'xl/worksheets/sheet1.xml': `<worksheet xmlns:r="r"><sheetData>${rows}</sheetData>${after}</worksheet>`,
    ...(styles !== undefined && { 'xl/styles.xml': styles }),
    ...(strings !== undefined && { 'xl/sharedStrings.xml': strings }),
    ...(relations !== undefined && { 'xl/worksheets/_rels/sheet1.xml.rels': relationsPart(relations) }),
    ...more,
  });

/** Cell formats by their codes, or by the ids of built-in ones; a cell's `s` is the place in the list. */
export const stylesOf = (formats: readonly (string | number)[]): string => {
  const own = formats.map((format, i) =>
    typeof format === 'string'
      ? `<numFmt numFmtId="${200 + i}" formatCode="${format.replaceAll('"', '&quot;')}"/>`
      : '',
  );
  const cells = formats.map(
    (format, i) => `<xf numFmtId="${typeof format === 'string' ? 200 + i : format}"/>`,
  );
  return `<styleSheet><numFmts>${own.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${cells.join('')}</cellXfs></styleSheet>`;
};

/** A presentation of one slide with these shapes. */
export const pptxOf = (
  shapes: string,
  relations: Readonly<Record<string, readonly [string, string]>> = {},
  more: Parts = {},
): Uint8Array =>
  packageOf({
    'ppt/presentation.xml':
      '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="s1"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/presentation.xml.rels': relationsPart({ s1: ['slide', 'slides/slide1.xml'] }),
    'ppt/slides/slide1.xml': `<p:sld><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
    'ppt/slides/_rels/slide1.xml.rels': relationsPart(relations),
    ...more,
  });

/** A document with this body. */
export const docxOf = (
  body: string,
  relations: Readonly<Record<string, readonly [string, string]>> = {},
  more: Parts = {},
): Uint8Array =>
  packageOf({
    'word/document.xml': `<w:document><w:body>${body}</w:body></w:document>`,
    'word/_rels/document.xml.rels': relationsPart(relations),
    ...more,
  });

/** A chart of one series, over days. */
export const CHART = `<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Catch of </a:t></a:r><a:r><a:t>herring</a:t></a:r></a:p></c:rich></c:tx></c:title>
  <c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:f>Sheet1!$B$1</c:f><c:strCache><c:ptCount val="1"/><c:pt idx="0"><c:v>Tons</c:v></c:pt></c:strCache></c:strRef></c:tx>
  <c:cat><c:numRef><c:numCache><c:formatCode>yyyy\\-mm\\-dd</c:formatCode><c:pt idx="0"><c:v>46460</c:v></c:pt><c:pt idx="1"><c:v>46461</c:v></c:pt></c:numCache></c:numRef></c:cat>
  <c:val><c:numRef><c:numCache><c:formatCode>General</c:formatCode><c:pt idx="0"><c:v>12.5</c:v></c:pt><c:pt idx="1"><c:v>7</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`;
