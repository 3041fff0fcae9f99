import type { Block } from '../passage.js';
import { relationsOf } from './office-package.js';
import { attribute, readXml } from './xml.js';
import type { ZipParts } from './zip.js';

/** Slides of a PPTX in the order in which they are shown, each with its notes. A slide is a page. */
export function* readSlides(zip: ZipParts, main: string): Generator<Block> {
  const targets = new Map(relationsOf(zip, main).map(({ id, target }) => [id, target]));
  const slides = slideIds(zip, main).flatMap((id) => targets.get(id) ?? []);
  for (const [index, slide] of slides.entries()) {
    yield* paragraphsOf(zip, slide, index + 1);
    const notes = relationsOf(zip, slide).find(({ type }) => type.endsWith('/notesSlide'));
    if (notes !== undefined) yield* paragraphsOf(zip, notes.target, index + 1);
  }
}

function slideIds(zip: ZipParts, main: string): string[] {
  const ids: string[] = [];
  readXml(zip.read(main) ?? new Uint8Array(), {
    open: (name, attributes) => {
      if (name === 'sldId') ids.push(attributes['r:id'] ?? attribute({ ...attributes, id: '' }, 'id') ?? '');
    },
  });
  return ids;
}

function paragraphsOf(zip: ZipParts, part: string, page: number): Block[] {
  const blocks: Block[] = [];
  let [text, isText, isTitle] = ['', false, false];
  readXml(zip.read(part) ?? new Uint8Array(), {
    open: (name, attributes) => {
      if (name === 't') isText = true;
      else if (name === 'br') text += '\n';
      else if (name === 'sp') isTitle = false;
      else if (name === 'ph') isTitle = /title/i.test(attribute(attributes, 'type') ?? '');
    },
    close: (name) => {
      if (name === 't') isText = false;
      if (name !== 'p') return;
      if (text.trim() !== '') blocks.push({ text, page, isHeading: isTitle });
      text = '';
    },
    text: (piece) => {
      if (isText) text += piece;
    },
  });
  return blocks;
}
