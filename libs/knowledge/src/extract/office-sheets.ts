import type { Block } from '../passage.js';
import { tableBlocks } from './table.js';
import { relationsOf } from './office-package.js';
import { attribute, readXml } from './xml.js';
import type { ZipParts } from './zip.js';

/** Rows of an XLSX, sheet by sheet, each with the names of its columns. A sheet is a page. */
export function* readSheets(zip: ZipParts, main: string): Generator<Block> {
  const relations = relationsOf(zip, main);
  const strings = sharedStrings(zip, relations.find(({ type }) => type.endsWith('/sharedStrings'))?.target);
  const targets = new Map(relations.map(({ id, target }) => [id, target]));
  for (const [index, { name, id }] of sheetsOf(zip, main).entries()) {
    yield { text: name, page: index + 1, isHeading: true };
    const part = targets.get(id);
    if (part !== undefined) yield* tableBlocks(rowsOf(zip, part, strings), index + 1);
  }
}

function sheetsOf(zip: ZipParts, main: string): { name: string; id: string }[] {
  const sheets: { name: string; id: string }[] = [];
  readXml(zip.read(main) ?? new Uint8Array(), {
    open: (name, attributes) => {
      if (name === 'sheet') sheets.push({ name: attributes['name'] ?? '', id: attributes['r:id'] ?? '' });
    },
  });
  return sheets;
}

function sharedStrings(zip: ZipParts, part: string | undefined): readonly string[] {
  const strings: string[] = [];
  let [text, isText, isPhonetic] = ['', false, false];
  readXml((part === undefined ? null : zip.read(part)) ?? new Uint8Array(), {
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
  return strings;
}

/** Cells by row, gaps closed with empty ones. */
function rowsOf(zip: ZipParts, part: string, strings: readonly string[]): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = { type: '', column: 0, text: '' };
  let isValue = false;
  readXml(zip.read(part) ?? new Uint8Array(), {
    open: (name, attributes) => {
      if (name === 'row') row = [];
      else if (name === 'c') {
        const column = columnOf(attribute(attributes, 'r')) ?? row.length;
        cell = { type: attribute(attributes, 't') ?? '', column, text: '' };
      } else if (name === 'v' || name === 't') isValue = true;
    },
    close: (name) => {
      if (name === 'v' || name === 't') isValue = false;
      else if (name === 'c') {
        while (row.length < cell.column && row.length < MAX_COLUMNS) row.push('');
        row.push(cell.type === 's' ? (strings[Number(cell.text)] ?? '') : cell.text);
      } else if (name === 'row' && row.some((text) => text !== '')) rows.push(row);
    },
    text: (piece) => {
      if (isValue) cell.text += piece;
    },
  });
  return rows;
}

/** As Excel has it. */
const MAX_COLUMNS = 16_384;

/** `C7` is column 2. */
function columnOf(reference: string | undefined): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return null;
  return Array.from(letters).reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
