import { Parser } from 'htmlparser2';
import type { Block } from '../passage.js';
import { unprocessable } from './unreadable-file.js';

/** Not read by people. */
const SILENT = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'math',
  'iframe',
  'object',
  'canvas',
]);
/** What begins a line of its own. */
const BLOCKS = new Set(
  'address article aside blockquote body br caption dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section summary table td th title tr ul'.split(
    ' ',
  ),
);
const PIECE = 256 * 1024;
/** Browsers stop at 512. The parser's time grows with the square of it. */
const MAX_DEPTH = 10_000;

/** Whether a text is a page: by its first tag, or because it has many. */
export const isHtml = (text: string): boolean =>
  /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]{0,2000}?-->\s*)*<(?:!doctype\s+html|html|head|body)\b/i.test(
    text.slice(0, 4096),
  ) ||
  (/^\s*<(?:div|p|h[1-6]|table|ul|ol|section|article|main|meta|title)\b/i.test(text) &&
    /<\/(?:div|p|h[1-6]|table|ul|ol|section|article|main|title)>/i.test(text));

/** The text of a page: paragraphs, headings, list items, table rows. @throws UnreadableFile */
export function* readHtml(html: string): Generator<Block> {
  const blocks: Block[] = [];
  let text = '';
  let [silent, depth] = [0, 0];
  let row: string[] | null = null;
  const flush = (isHeading = false): void => {
    const line = text.replace(/[^\S\n]+/g, ' ').trim();
    text = '';
    if (line === '') return;
    if (row !== null) row.push(line);
    else blocks.push({ text: line, page: null, isHeading });
  };
  const endRow = (): void => {
    flush();
    const cells = row ?? [];
    row = null;
    if (cells.length > 0) blocks.push({ text: cells.join(' | '), page: null });
  };
  const parser = new Parser(
    {
      onopentagname: (name) => {
        if (SILENT.has(name)) silent += 1;
        if (BLOCKS.has(name)) flush();
        if (name === 'tr') {
          endRow();
          row = [];
        }
      },
      onopentag: (name, { alt }) => {
        if (++depth > MAX_DEPTH) throw unprocessable('the file is nested too deeply');
        if (name === 'img' && alt !== undefined) text += ` ${alt} `;
      },
      onclosetag: (name) => {
        depth -= 1;
        if (SILENT.has(name)) silent = Math.max(0, silent - 1);
        if (name === 'tr') endRow();
        else if (BLOCKS.has(name)) flush(/^(h[1-6]|title)$/.test(name));
      },
      ontext: (piece) => {
        if (silent === 0) text += piece;
      },
    },
    { decodeEntities: true },
  );
  for (let at = 0; at < html.length; at += PIECE) {
    parser.write(html.slice(at, at + PIECE));
    yield* blocks.splice(0);
  }
  parser.end();
  endRow();
  yield* blocks;
}
