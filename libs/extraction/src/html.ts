import { Parser } from 'htmlparser2';
import { preambleOf, withoutPhp } from './html-signs.js';
import type { Block } from './passage.js';
import { unprocessable } from './unreadable-file.js';

/** Not read by people. */
const SILENT = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'iframe',
  'object',
  'canvas',
  // MathML's formulas in another notation.
  'annotation',
  'annotation-xml',
]);
/** Of an input: what is typed in, not what the browser shows or sends by itself. */
const NOT_TYPED = new Set(['hidden', 'password', 'checkbox', 'radio', 'file', 'image', 'color', 'range']);
/** What begins a line of its own. */
const BLOCKS = new Set(
  'address article aside blockquote body br caption dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre select section summary table text textarea td th title tr ul'.split(
    ' ',
  ),
);
const PIECE = 256 * 1024;
/** Browsers stop at 512. The parser's time grows with the square of it. */
const MAX_DEPTH = 10_000;

/** The text of a page: paragraphs, headings, list items, table rows. @throws UnreadableFile */
export const readHtml = (html: string): Generator<Block> =>
  read(withoutPhp(html.slice(preambleOf(html).end)), SILENT, {});

/** The text of any XML, whatever its tags are called. @throws UnreadableFile */
export const readAnyXml = (xml: string): Generator<Block> =>
  read(xml, STYLES, { xmlMode: true, lowerCaseTags: true });

/** Of drawings (SVG). */
const STYLES: ReadonlySet<string> = new Set(['style', 'script']);

function* read(
  html: string,
  silent: ReadonlySet<string>,
  options: { readonly xmlMode?: boolean; readonly lowerCaseTags?: boolean },
): Generator<Block> {
  const reader = new PageReader(silent);
  const parser = new Parser(reader, { decodeEntities: true, ...options });
  for (let at = 0; at < html.length; at += PIECE) {
    parser.write(html.slice(at, at + PIECE));
    yield* reader.blocks.splice(0);
  }
  parser.end();
  reader.endRow();
  yield* reader.blocks;
}

/** Follows a page: characters make a line, lines in a table's row one of it. */
class PageReader {
  readonly blocks: Block[] = [];
  private text = '';
  private within = 0;
  private depth = 0;
  private row: string[] | null = null;

  constructor(private readonly silent: ReadonlySet<string>) {}

  onopentagname(name: string): void {
    if (this.silent.has(name)) this.within += 1;
    if (BLOCKS.has(name)) this.endLine();
    if (name !== 'tr') return;
    this.endRow();
    this.row = [];
  }

  onopentag(name: string, { alt, type, value }: Readonly<Record<string, string>>): void {
    if (++this.depth > MAX_DEPTH) throw unprocessable('the file is nested too deeply');
    if (this.within > 0) return;
    if (name === 'img' && alt !== undefined) this.text += ` ${alt} `;
    const isTyped = name === 'input' && !NOT_TYPED.has(type?.toLowerCase() ?? '');
    if (isTyped && value !== undefined) this.text += ` ${value} `;
  }

  onclosetag(name: string): void {
    this.depth -= 1;
    if (this.silent.has(name)) this.within = Math.max(0, this.within - 1);
    if (name === 'tr') this.endRow();
    else if (BLOCKS.has(name)) this.endLine(/^(h[1-6]|title)$/.test(name));
  }

  ontext(piece: string): void {
    if (this.within === 0) this.text += piece;
  }

  endRow(): void {
    this.endLine();
    const cells = this.row ?? [];
    this.row = null;
    if (cells.length > 0) this.blocks.push({ text: cells.join(' | '), page: null });
  }

  private endLine(isHeading = false): void {
    const line = this.text.replace(/[^\S\n]+/g, ' ').trim();
    this.text = '';
    if (line === '') return;
    if (this.row !== null) this.row.push(line);
    else this.blocks.push({ text: line, page: null, isHeading });
  }
}
