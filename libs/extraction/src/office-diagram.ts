import type { Block } from './passage.js';
import { attribute, readXml } from './xml.js';

const MAX_DEPTH = 100;

/** The texts of a diagram (SmartArt), each below the one that it belongs to. */
export function diagramBlocks(bytes: Uint8Array, page: number | null): Block[] {
  const texts = new Map<string, string[]>();
  const below = new Map<string, { readonly id: string; readonly order: number }[]>();
  const isBelow = new Set<string>();
  let [id, text, isText] = ['', '', false];
  readXml(bytes, {
    open: (name, attributes) => {
      isText = name === 't' && attributes['r:id'] === undefined;
      if (name === 'pt') {
        id = attribute(attributes, 'modelId') ?? String(texts.size);
        texts.set(id, []);
      } else if (name === 'br') text += '\n';
      else if (name === 'cxn' && (attribute(attributes, 'type') ?? 'parOf') === 'parOf') {
        const [from, to] = [attribute(attributes, 'srcId') ?? '', attribute(attributes, 'destId') ?? ''];
        const order = Number(attribute(attributes, 'srcOrd') ?? 0);
        const children = below.get(from) ?? [];
        children.push({ id: to, order });
        below.set(from, children);
        isBelow.add(to);
      }
    },
    close: (name) => {
      isText = false;
      if (name !== 'p') return;
      if (text.trim() !== '') texts.get(id)?.push(text.trim());
      text = '';
    },
    text: (piece) => {
      if (isText) text += piece;
    },
  });
  const blocks: Block[] = [];
  const told = new Set<string>();
  const tell = (point: string, depth: number): void => {
    if (told.has(point) || depth > MAX_DEPTH) return;
    told.add(point);
    for (const line of texts.get(point) ?? []) blocks.push({ text: line, page });
    const children = below.get(point)?.toSorted((a, b) => a.order - b.order) ?? [];
    for (const child of children) tell(child.id, depth + 1);
  };
  for (const point of texts.keys()) if (!isBelow.has(point)) tell(point, 0);
  for (const point of texts.keys()) tell(point, 0);
  return blocks;
}
