import type { Block } from './passage.js';
import { referenceOf } from './office-drawing.js';
import { type Attributes, attribute, relationId } from './xml.js';

/** In the order of the text: a block, or the id of a relation to what stands there. */
export type WordItem = Block | { readonly reference: string };

/** Not there any more, or how a word is pronounced. */
const SILENT = new Set(['moveFrom', 'del', 'rt', 'delText', 'delInstrText']);

/** Follows a part of a DOCX: characters make a paragraph, paragraphs in a table's row a line. */
export class WordReader {
  readonly items: WordItem[] = [];
  /** Paragraphs that are not at their end: those of a text box stand within another. */
  private readonly around: Paragraph[] = [];
  private isText = false;
  private silent = 0;
  /** Of the box of an older form that we are in. */
  private isTicked: boolean | null = null;
  private readonly tables: string[][] = [];
  private dropDown: { readonly entries: string[]; chosen: number } | null = null;

  open(name: string, attributes: Attributes): void {
    if (SILENT.has(name)) this.silent += 1;
    this.isText = name === 't';
    if (name === 'p') this.around.push(newParagraph());
    else if (name === 'tr') this.tables.push([]);
    this.seeProperty(name, attributes);
    this.seeCharacter(name, attributes);
    const id = referenceOf(name, attributes) ?? (REFERRING.has(name) ? relationId(attributes) : undefined);
    if (id === undefined || this.silent > 0) return;
    const paragraph = this.around.at(-1);
    if (paragraph === undefined) this.items.push({ reference: id });
    else paragraph.within.push({ reference: id });
  }

  close(name: string): void {
    this.isText = false;
    if (SILENT.has(name)) this.silent -= 1;
    else if (name === 'p') this.endParagraph();
    else if (name === 'tr') this.endRow();
    else if (name === 'ddList') this.endDropDown();
    else if (name === 'checkBox') this.endBox();
  }

  text(text: string): void {
    if (this.isText) this.write(text);
  }

  /** No more comes: what is open has its end. */
  end(): void {
    while (this.around.length > 0) this.endParagraph();
    while (this.tables.length > 0) this.endRow();
  }

  private write(text: string): void {
    const paragraph = this.around.at(-1);
    if (paragraph !== undefined && this.silent === 0) paragraph.text += text;
  }

  private seeProperty(name: string, attributes: Attributes): void {
    const paragraph = this.around.at(-1);
    if (paragraph === undefined) return;
    if (name === 'pStyle')
      paragraph.isHeading = /^(heading|title|berschrift|titre|titel)/i.test(styleOf(attributes));
    else if (name === 'outlineLvl') paragraph.isHeading = true;
  }

  /** What stands for a character, and the fields of older forms. */
  private seeCharacter(name: string, attributes: Attributes): void {
    const value = attribute(attributes, 'val') ?? '';
    if (name === 'tab') this.write('\t');
    else if (name === 'br' || name === 'cr') this.write('\n');
    else if (name === 'noBreakHyphen') this.write('-');
    else if (name === 'ddList') this.dropDown = { entries: [], chosen: 0 };
    else if (name === 'listEntry') this.dropDown?.entries.push(value);
    else if (name === 'result' && this.dropDown !== null) this.dropDown.chosen = Number(value) || 0;
    else if (name === 'checkBox') this.isTicked = false;
    else if (this.isTicked !== null && (name === 'default' || name === 'checked'))
      this.isTicked = !/^(?:0|false|off)$/.test(value);
  }

  private endBox(): void {
    this.write(this.isTicked === true ? '☒ ' : '☐ ');
    this.isTicked = null;
  }

  private endDropDown(): void {
    const { entries, chosen } = this.dropDown ?? { entries: [], chosen: 0 };
    this.dropDown = null;
    this.write(entries[chosen] ?? '');
  }

  /** What stands within comes behind it. */
  private endParagraph(): void {
    const ended = this.around.pop();
    if (ended === undefined) return;
    const text = ended.text.trim();
    const outer = this.around.at(-1);
    if (outer === undefined && this.tables.length > 0) {
      if (text !== '') this.tables.at(-1)!.push(text);
      this.inTable(ended.within);
      return;
    }
    const into = outer?.within ?? this.items;
    if (text !== '') into.push({ text, page: null, isHeading: ended.isHeading });
    into.push(...ended.within);
  }

  /** Boxes in a cell belong to its row; pictures and charts come behind the table. */
  private inTable(within: readonly WordItem[]): void {
    for (const item of within)
      if ('text' in item) this.tables.at(-1)!.push(item.text);
      else this.items.push(item);
  }

  private endRow(): void {
    const cells = this.tables.pop() ?? [];
    if (cells.length === 0) return;
    const line = cells.join(' | ');
    const outer = this.around.at(-1);
    // A table within a cell is a line of that cell's row.
    if (this.tables.length > 0) this.tables.at(-1)!.push(line);
    else if (outer !== undefined) outer.within.push({ text: line, page: null });
    else this.items.push({ text: line, page: null });
  }
}

interface Paragraph {
  text: string;
  isHeading: boolean;
  readonly within: WordItem[];
}

const newParagraph = (): Paragraph => ({ text: '', isHeading: false, within: [] });

/** Elements that stand for what another part holds, besides those of drawings. */
const REFERRING = new Set(['altChunk', 'OLEObject', 'control']);

const styleOf = (attributes: Attributes): string => (attribute(attributes, 'val') ?? '').replace(/^Ü/, '');
