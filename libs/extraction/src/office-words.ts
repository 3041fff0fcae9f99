import type { Block } from './passage.js';
import { decodeText } from './decode.js';
import { readHtml } from './html.js';
import { isHtml } from './html-signs.js';
import { relatedBlocks } from './office-drawing.js';
import { type Relation, relationsOf } from './office-package.js';
import { readPlainText } from './plain-text.js';
import type { Warn } from './warnings.js';
import { WordReader } from './word-reader.js';
import { readXml } from './xml.js';
import type { ZipParts } from './zip.js';

/** Other parts with text of their own, in the order in which they are told. */
const ASIDES = ['footnotes', 'endnotes', 'comments', 'header', 'footer'] as const;

/**
 * Paragraphs of a DOCX, tables by the row, with the boxes, charts, diagrams and pictures between them; then notes,
 * comments, headers and footers. What was deleted while changes were tracked is left out.
 */
export async function* readWords(zip: ZipParts, main: string, warn: Warn): AsyncGenerator<Block> {
  if (zip.read(main) === null) warn('unreadable_part', 'the document has no text part');
  const relations = relationsOf(zip, main);
  yield* readPart(zip, main, relations, warn);
  // Those of the first page, of even pages and of sections often say the same.
  const told = new Set<string>();
  for (const kind of ASIDES)
    for (const { type, target } of relations)
      if (type.endsWith(`/${kind}`))
        for await (const block of readPart(zip, target, relationsOf(zip, target), warn)) {
          const text = kind === 'comments' ? `Comment: ${block.text}` : block.text;
          if (told.has(text)) continue;
          told.add(text);
          yield { ...block, text };
        }
}

async function* readPart(
  zip: ZipParts,
  name: string,
  relations: readonly Relation[],
  warn: Warn,
): AsyncGenerator<Block> {
  const bytes = zip.read(name);
  if (bytes === null) return;
  const reader = new WordReader();
  if (!readXml(bytes, reader)) warn('unreadable_part', `${nameOf(name)} ends too early`);
  reader.end();
  const targets = new Map(relations.map((relation) => [relation.id, relation]));
  for (const item of reader.items) {
    if ('text' in item) yield item;
    else yield* referred(zip, targets.get(item.reference), warn);
  }
}

async function* referred(zip: ZipParts, relation: Relation | undefined, warn: Warn): AsyncGenerator<Block> {
  if (relation === undefined) return;
  const { type, target } = relation;
  if (/\/(?:oleObject|package|control)$/.test(type))
    return warn('embedded_file', `${nameOf(target)} in the document is not read`);
  if (!type.endsWith('/aFChunk')) return yield* relatedBlocks(zip, relation, null, warn);
  const text = decodeText(zip.read(target) ?? new Uint8Array(), warn, target);
  if (isHtml(text, target)) yield* readHtml(text);
  else if (/\.txt$/i.test(target)) yield* readPlainText(text);
  else warn('embedded_file', `${nameOf(target)} in the document is not read`);
}

const nameOf = (part: string): string => part.slice(part.lastIndexOf('/') + 1);
