import { type Workbook, shownNumber } from './cell-value.js';
import { type Attributes, attribute } from './xml.js';

/** As Excel has it. */
const MAX_COLUMNS = 16_384;
const GENERAL = { id: 0, code: null };

/** Follows a sheet: its rows of cells as they are shown, gaps closed with empty ones. */
export class SheetRows {
  readonly rows: string[][] = [];
  /** What is printed above and below each page, as it is stored. */
  readonly headerFooter: string[] = [];
  /** How many formulas nobody has computed. */
  withoutResult = 0;
  private row: string[] = [];
  private cell = { type: '', column: 0, style: 0, text: '', formula: '', hasValue: false };
  private reading: 'value' | 'formula' | 'aside' | null = null;
  private isPhonetic = false;
  private aside = '';

  constructor(private readonly workbook: Workbook) {}

  open(name: string, attributes: Attributes): void {
    if (name === 'row') this.row = [];
    else if (name === 'c') {
      const column = columnOf(attribute(attributes, 'r')) ?? this.row.length;
      const style = Number(attribute(attributes, 's') ?? 0);
      const type = attribute(attributes, 't') ?? '';
      this.cell = { type, column, style, text: '', formula: '', hasValue: false };
    } else if (name === 'v' || name === 't') {
      this.reading = 'value';
      this.cell.hasValue = true;
    } else if (name === 'f') this.reading = 'formula';
    else if (name === 'rPh') this.isPhonetic = true;
    else if (/^(?:odd|even|first)(?:Header|Footer)$/.test(name)) this.reading = 'aside';
  }

  close(name: string): void {
    if (name === 'rPh') this.isPhonetic = false;
    if (this.reading === 'aside') {
      this.headerFooter.push(this.aside);
      this.aside = '';
    }
    this.reading = null;
    if (name === 'c') this.endCell();
    else if (name === 'row' && this.row.some((text) => text !== '')) this.rows.push(this.row);
  }

  text(piece: string): void {
    if (this.reading === 'value' && !this.isPhonetic) this.cell.text += piece;
    else if (this.reading === 'formula') this.cell.formula += piece;
    else if (this.reading === 'aside') this.aside += piece;
  }

  private endCell(): void {
    const { column, formula, hasValue } = this.cell;
    while (this.row.length < column && this.row.length < MAX_COLUMNS) this.row.push('');
    const isUnknown = formula !== '' && !hasValue;
    if (isUnknown) this.withoutResult += 1;
    this.row.push(isUnknown ? `=${formula}` : this.shown());
  }

  private shown(): string {
    const { type, text, style } = this.cell;
    const { strings, formats, is1904 } = this.workbook;
    switch (type) {
      case 's':
        return unescaped(strings[Number(text)] ?? '');
      case 'str':
      case 'inlineStr':
        return unescaped(text);
      case 'b':
        return /^(?:1|true)$/.test(text) ? 'TRUE' : text === '' ? '' : 'FALSE';
      case 'd':
        return text.replace(/T00:00(?::00(?:\.0+)?)?Z?$/, '').replace('T', ' ');
      case 'e':
        return text;
      default:
        return text === '' ? '' : shownNumber(text, formats[style] ?? GENERAL, is1904);
    }
  }
}

/** `_x000D_` is a character that XML cannot hold (ECMA-376, ST_Xstring). */
const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    : text;

/** `C7` is column 2. */
function columnOf(reference: string | undefined): number | null {
  const letters = /^[A-Z]{1,3}/i.exec(reference ?? '')?.[0]?.toUpperCase();
  if (letters === undefined) return null;
  return Array.from(letters).reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
