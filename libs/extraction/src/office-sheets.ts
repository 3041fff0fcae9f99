import type { Block } from './passage.js';
import type { NumberFormat, Workbook } from './cell-value.js';
import { drawingBlocks } from './office-drawing.js';
import { type Relation, relationsOf } from './office-package.js';
import { commentBlocks, headerFooterText } from './sheet-asides.js';
import { SheetRows } from './sheet-rows.js';
import { tableBlocks } from './table.js';
import type { Warn } from './warnings.js';
import { attribute, readXml, relationId } from './xml.js';
import type { ZipParts } from './zip.js';

interface Sheet {
  readonly name: string;
  readonly id: string;
  readonly isHidden: boolean;
}

/** Rows of an XLSX, sheet by sheet, each with the names of its columns. A sheet is a page. */
export async function* readSheets(zip: ZipParts, main: string, warn: Warn): AsyncGenerator<Block> {
  const relations = relationsOf(zip, main);
  const partOf = (type: string) => relations.find((one) => one.type.endsWith(`/${type}`))?.target;
  const { sheets, is1904 } = contentsOf(zip, main);
  const strings = sharedStrings(zip, partOf('sharedStrings'), warn);
  const workbook = { strings, formats: formatsOf(zip, partOf('styles')), is1904 };
  const targets = new Map(relations.map((relation) => [relation.id, relation]));
  for (const [index, sheet] of sheets.entries()) {
    const page = index + 1;
    yield { text: sheet.isHidden ? `${sheet.name} (hidden sheet)` : sheet.name, page, isHeading: true };
    const bytes = zip.read(targets.get(sheet.id)?.target ?? '');
    if (bytes === null) warn('unreadable_part', `the sheet ${sheet.name} is missing in the file`, page);
    else yield* sheetBlocks(zip, targets.get(sheet.id)!, bytes, workbook, page, warn);
  }
}

async function* sheetBlocks(
  zip: ZipParts,
  { target }: Relation,
  bytes: Uint8Array,
  workbook: Workbook,
  page: number,
  warn: Warn,
): AsyncGenerator<Block> {
  const rows = new SheetRows(workbook);
  if (!readXml(bytes, rows)) warn('unreadable_part', 'the sheet ends too early', page);
  if (rows.withoutResult > 0)
    warn('unreadable_part', `${rows.withoutResult} formulas are stored without a result`, page);
  yield* tableBlocks(rows.rows, page);
  const aside = headerFooterText(rows.headerFooter);
  if (aside !== '') yield { text: aside, page };
  const relations = relationsOf(zip, target);
  yield* commentBlocks(zip, relations, page);
  for (const { type, target: part } of relations) {
    if (type.endsWith('/drawing')) yield* drawingBlocks(zip, part, page, warn);
    if (/\/(?:oleObject|package)$/.test(type))
      warn('embedded_file', `${part.slice(part.lastIndexOf('/') + 1)} in the sheet is not read`, page);
  }
}

function contentsOf(zip: ZipParts, main: string): { sheets: Sheet[]; is1904: boolean } {
  const sheets: Sheet[] = [];
  let is1904 = false;
  readXml(zip.read(main) ?? new Uint8Array(), {
    open: (name, attributes) => {
      if (name === 'workbookPr') is1904 = /^(?:1|true)$/.test(attribute(attributes, 'date1904') ?? '');
      if (name !== 'sheet') return;
      const isHidden = /hidden$/i.test(attribute(attributes, 'state') ?? '');
      const id = relationId(attributes) ?? attribute(attributes, 'id') ?? '';
      sheets.push({ name: attribute(attributes, 'name') ?? '', id, isHidden });
    },
  });
  return { sheets, is1904 };
}

function formatsOf(zip: ZipParts, part: string | undefined): readonly NumberFormat[] {
  const codes = new Map<number, string>();
  const ids: number[] = [];
  let isInCells = false;
  readXml((part === undefined ? null : zip.read(part)) ?? new Uint8Array(), {
    open: (name, attributes) => {
      const id = Number(attribute(attributes, 'numFmtId') ?? 0);
      if (name === 'numFmt') codes.set(id, attribute(attributes, 'formatCode') ?? '');
      else if (name === 'cellXfs') isInCells = true;
      else if (name === 'xf' && isInCells) ids.push(id);
    },
    close: (name) => {
      if (name === 'cellXfs') isInCells = false;
    },
  });
  return ids.map((id) => ({ id, code: codes.get(id) ?? null }));
}

/** Texts of cells, with the letters of all their pieces; not how they are pronounced. */
function sharedStrings(zip: ZipParts, part: string | undefined, warn: Warn): readonly string[] {
  const strings: string[] = [];
  if (part === undefined) return strings;
  let [text, isText, isPhonetic] = ['', false, false];
  const bytes = zip.read(part);
  const isWhole = readXml(bytes ?? new Uint8Array(), {
    open: (name) => {
      if (name === 't') isText = true;
      else if (name === 'rPh') isPhonetic = true;
    },
    close: (name) => {
      if (name === 't') isText = false;
      else if (name === 'rPh') isPhonetic = false;
      if (name !== 'si') return;
      strings.push(text);
      text = '';
    },
    text: (piece) => {
      if (isText && !isPhonetic) text += piece;
    },
  });
  if (bytes === null || !isWhole) warn('unreadable_part', 'the texts of the cells are not all in the file');
  return strings;
}
