import type { Block } from './passage.js';
import type { Relation } from './office-package.js';
import { attribute, readXml } from './xml.js';
import type { ZipParts } from './zip.js';

/** Comments (notes) of a sheet's cells, and conversations, which are kept a second time as comments for older programs. */
export function* commentBlocks(
  zip: ZipParts,
  relations: readonly Relation[],
  page: number,
): Generator<Block> {
  const threads = relations.filter(({ type }) => type.endsWith('/threadedComment'));
  const seen = new Set<string>();
  for (const { target } of threads) yield* fromPart(zip, target, 'threadedComment', page, seen);
  const notes = relations.filter(({ type }) => type.endsWith('/comments'));
  const isOfThread = (text: string): boolean =>
    threads.length > 0 && [...seen].some((comment) => text.includes(comment));
  for (const { target } of notes)
    for (const block of fromPart(zip, target, 'comment', page, new Set()))
      if (!isOfThread(block.text)) yield block;
}

/** `seen` takes the bare texts. */
function* fromPart(
  zip: ZipParts,
  part: string,
  element: string,
  page: number,
  seen: Set<string>,
): Generator<Block> {
  const blocks: Block[] = [];
  let [text, cell, isText] = ['', '', false];
  readXml(zip.read(part) ?? new Uint8Array(), {
    open: (name, attributes) => {
      if (name === element) cell = attribute(attributes, 'ref') ?? '';
      isText = name === 't' || (element === 'threadedComment' && name === 'text');
    },
    close: (name) => {
      isText = false;
      if (name !== element) return;
      const comment = text.trim();
      text = '';
      if (comment === '') return;
      seen.add(comment);
      blocks.push({ text: `Comment on ${cell}: ${comment}`, page });
    },
    text: (piece) => {
      if (isText) text += piece;
    },
  });
  yield* blocks;
}

/** `&&` is the sign itself, `&L`, `&C` and `&R` begin a place, the rest is how it looks and what is counted. */
const CODES = /&(?:&|[LCR]|"[^"]{0,200}"|K(?:[0-9A-F]{6}|\d\d[+-]\d{3})|\d{1,3}|[A-Z])/g;

/** What is printed above and below a sheet, without the codes between its letters (ECMA-376, 18.3.1.39). */
export function headerFooterText(stored: readonly string[]): string {
  const texts = stored.map((text) =>
    text
      .replace(CODES, (code) => (code === '&&' ? '&' : /^&[LCR]$/.test(code) ? '\n' : ''))
      .split('\n')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .join(' | '),
  );
  return [...new Set(texts)].filter((text) => text !== '').join('\n');
}
