import type { Block } from './passage.js';
import { relatedBlocks } from './office-drawing.js';
import { type Relation, relationsOf } from './office-package.js';
import { SlideReader } from './slide-reader.js';
import { tableBlocks } from './table.js';
import type { Warn } from './warnings.js';
import { attribute, readXml, relationId } from './xml.js';
import type { ZipParts } from './zip.js';

/** Slides of a PPTX in the order in which they are shown, each with its notes and comments. A slide is a page. */
export async function* readSlides(zip: ZipParts, main: string, warn: Warn): AsyncGenerator<Block> {
  const targets = new Map(relationsOf(zip, main).map(({ id, target }) => [id, target]));
  for (const [index, id] of slideIds(zip, main).entries()) {
    const slide = targets.get(id);
    if (slide === undefined || zip.read(slide) === null)
      warn('unreadable_part', 'the slide is missing in the file', index + 1);
    else yield* slideBlocks(zip, slide, index + 1, warn);
  }
}

function slideIds(zip: ZipParts, main: string): string[] {
  const ids: string[] = [];
  readXml(zip.read(main) ?? new Uint8Array(), {
    open: (name, attributes) => {
      if (name === 'sldId')
        ids.push(relationId(attributes) ?? attribute({ ...attributes, id: '' }, 'id') ?? '');
    },
  });
  return ids;
}

async function* slideBlocks(zip: ZipParts, slide: string, page: number, warn: Warn): AsyncGenerator<Block> {
  const relations = relationsOf(zip, slide);
  yield* shapesOf(zip, slide, relations, page, warn);
  yield* behind(zip, relations, page, warn);
  for (const { type, target } of relations) {
    if (type.endsWith('/notesSlide')) yield* shapesOf(zip, target, relationsOf(zip, target), page, warn);
    if (type.endsWith('/comments')) yield* slideComments(zip, target, page);
    if (/\/(?:oleObject|package)$/.test(type))
      warn('embedded_file', `${target.slice(target.lastIndexOf('/') + 1)} in the slide is not read`, page);
  }
}

/** What a layout and its master show on every slide, with the first one. */
async function* behind(
  zip: ZipParts,
  relations: readonly Relation[],
  page: number,
  warn: Warn,
): AsyncGenerator<Block> {
  for (const { type, target } of relations) {
    if (!/\/slide(?:Layout|Master)$/.test(type) || !zip.isNew(target)) continue;
    const own = relationsOf(zip, target);
    yield* shapesOf(zip, target, own, page, warn, true);
    if (type.endsWith('/slideLayout')) yield* behind(zip, own, page, warn);
  }
}

async function* shapesOf(
  zip: ZipParts,
  part: string,
  relations: readonly Relation[],
  page: number,
  warn: Warn,
  isBehind = false,
): AsyncGenerator<Block> {
  const reader = new SlideReader();
  if (!readXml(zip.read(part) ?? new Uint8Array(), reader))
    warn('unreadable_part', 'the slide ends too early', page);
  const targets = new Map(relations.map((relation) => [relation.id, relation]));
  for (const { paragraphs, isTitle, isPlaceholder, rows, references } of reader.inOrder()) {
    if (isBehind && isPlaceholder) continue;
    for (const text of paragraphs) yield { text, page, isHeading: isTitle };
    yield* tableBlocks(rows, page);
    for (const id of references) yield* relatedBlocks(zip, targets.get(id), page, warn);
  }
}

/** Of both kinds: `p:text` of older programs, paragraphs of newer ones. */
function* slideComments(zip: ZipParts, part: string, page: number): Generator<Block> {
  const blocks: Block[] = [];
  let [text, isText] = ['', false];
  readXml(zip.read(part) ?? new Uint8Array(), {
    open: (name) => {
      isText = name === 'text' || name === 't';
    },
    close: (name) => {
      isText = false;
      if (name !== 'text' && name !== 'p') return;
      if (text.trim() !== '') blocks.push({ text: `Comment: ${text.trim()}`, page });
      text = '';
    },
    text: (piece) => {
      if (isText) text += piece;
    },
  });
  yield* blocks;
}
