/** What a text is drawn from: plain data, no HTML anywhere. Texts are as written; whoever draws them makes them visible. */

export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em' | 'del'; readonly children: readonly Inline[] }
  | { readonly kind: 'link'; readonly target: LinkTarget; readonly children: readonly Inline[] }
  /** Never loaded: only its name and where it would have come from are shown. */
  | { readonly kind: 'image'; readonly alt: string; readonly host: string }
  /** An image that the text itself holds. */
  | { readonly kind: 'picture'; readonly alt: string; readonly source: string };

export interface LinkTarget {
  /** As a browser understands it: look-alike hosts are in punycode. */
  readonly href: string;
  /** Where it really leads: host and port, or the address of a `mailto:`. */
  readonly host: string;
}

export type Block =
  | { readonly kind: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly kind: 'heading'; readonly level: number; readonly children: readonly Inline[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'list'; readonly start: number | null; readonly items: readonly ListItem[] }
  | { readonly kind: 'table'; readonly head: readonly Cell[]; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: 'rule' };

export interface ListItem {
  /** It begins with the mark of a task, done or not. */
  readonly isTask: boolean;
  readonly blocks: readonly Block[];
}

export interface Cell {
  readonly align: 'left' | 'center' | 'right' | null;
  readonly children: readonly Inline[];
}

/**
 * The same with headings as outlines want them: the first is of level 1, and none is more than a level below the one before
 * it, whatever a model has written.
 */
export function withOrderedHeadings(blocks: readonly Block[]): readonly Block[] {
  let before = 0;
  const ordered = (block: Block): Block => {
    if (block.kind === 'heading') {
      before = Math.min(block.level, before + 1);
      return { ...block, level: before };
    }
    if (block.kind === 'quote') return { ...block, blocks: block.blocks.map(ordered) };
    if (block.kind !== 'list') return block;
    return { ...block, items: block.items.map((item) => ({ ...item, blocks: item.blocks.map(ordered) })) };
  };
  return blocks.map(ordered);
}

export const textBlock = (text: string): Block => ({ kind: 'paragraph', children: [{ kind: 'text', text }] });

/** How many elements these blocks are drawn as, about. */
export const weightOf = (blocks: readonly Block[]): number =>
  blocks.reduce((sum, block) => sum + blockWeight(block), 0);

function blockWeight(block: Block): number {
  switch (block.kind) {
    case 'paragraph':
    case 'heading':
      return 1 + inlineWeight(block.children);
    case 'code':
      return 2;
    case 'rule':
      return 1;
    case 'quote':
      return 1 + weightOf(block.blocks);
    case 'list':
      return block.items.reduce((sum, item) => sum + 1 + weightOf(item.blocks), 1);
    case 'table':
      return [block.head, ...block.rows].reduce(
        (sum, row) => row.reduce((cells, cell) => cells + 1 + inlineWeight(cell.children), sum + 1),
        4,
      );
  }
}

function inlineWeight(children: readonly Inline[]): number {
  return children.reduce((sum, child) => {
    if (child.kind === 'text') return sum;
    return sum + 1 + ('children' in child ? inlineWeight(child.children) : 0);
  }, 0);
}
