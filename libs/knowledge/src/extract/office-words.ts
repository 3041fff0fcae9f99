import type { Block } from '../passage.js';
import { attribute, readXml } from './xml.js';
import type { ZipParts } from './zip.js';

/** Other parts of a DOCX with text of its own. */
const ASIDE = /^word\/(?:footnotes|endnotes|comments|header\d*|footer\d*)\.xml$/;

/** Paragraphs of a DOCX, tables by the row, then notes, headers and footers. */
export function* readWords(zip: ZipParts, main: string): Generator<Block> {
  yield* readPart(zip, main);
  for (const name of zip.names) if (ASIDE.test(name)) yield* readPart(zip, name);
}

function* readPart(zip: ZipParts, name: string): Generator<Block> {
  const bytes = zip.read(name);
  if (bytes === null) return;
  const reader = new WordReader();
  readXml(bytes, reader);
  yield* reader.blocks;
}

/** Follows a part: characters make a paragraph, paragraphs in a table's row a line. */
class WordReader {
  readonly blocks: Block[] = [];
  private paragraph = '';
  private isHeading = false;
  private isText = false;
  private rows = 0;
  private cells: string[] = [];

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 't') this.isText = true;
    else if (name === 'tab') this.paragraph += '\t';
    else if (name === 'br' || name === 'cr') this.paragraph += '\n';
    else if (name === 'noBreakHyphen') this.paragraph += '-';
    else if (name === 'tr') this.rows += 1;
    else if (name === 'pStyle')
      this.isHeading = /^(heading|title|berschrift|titre|titel)/i.test(styleOf(attributes));
    else if (name === 'outlineLvl') this.isHeading = true;
  }

  close(name: string): void {
    if (name === 't') this.isText = false;
    else if (name === 'p') this.endParagraph();
    else if (name === 'tr') this.endRow();
  }

  text(text: string): void {
    if (this.isText) this.paragraph += text;
  }

  private endParagraph(): void {
    const text = this.paragraph.trim();
    this.paragraph = '';
    if (text !== '' && this.rows > 0) this.cells.push(text);
    else if (text !== '') this.blocks.push({ text, page: null, isHeading: this.isHeading });
    this.isHeading = false;
  }

  private endRow(): void {
    this.rows -= 1;
    if (this.rows > 0) return;
    if (this.cells.length > 0) this.blocks.push({ text: this.cells.join(' | '), page: null });
    this.cells = [];
  }
}

const styleOf = (attributes: Readonly<Record<string, string>>): string =>
  (attribute(attributes, 'val') ?? '').replace(/^Ü/, '');
