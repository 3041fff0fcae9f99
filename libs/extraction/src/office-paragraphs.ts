import type { Block } from './passage.js';
import { readXml } from './xml.js';

/** The paragraphs of DrawingML (`a:p`) in a part, whatever they stand in. */
export function paragraphsIn(bytes: Uint8Array, page: number | null): Block[] {
  const blocks: Block[] = [];
  let [text, isText] = ['', false];
  readXml(bytes, {
    open: (name) => {
      isText = name === 't';
      if (name === 'br') text += '\n';
      else if (name === 'tab') text += '\t';
    },
    close: (name) => {
      isText = false;
      if (name !== 'p') return;
      if (text.trim() !== '') blocks.push({ text, page });
      text = '';
    },
    text: (piece) => {
      if (isText) text += piece;
    },
  });
  return blocks;
}
