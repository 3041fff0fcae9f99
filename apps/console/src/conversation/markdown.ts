import { withoutEnd } from '../parts/without-end.js';
import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { imageHost, isPicture, isUnicodeAddress, linkTarget } from './link-target.js';
import { type Block, type Cell, type Inline, type ListItem, textBlock } from './markdown-nodes.js';

/** Characters of a text that are lexed at most; what is behind them is text. */
export const LEXED_CHARACTERS = 20_000;
/** Up to here a text is lexed at once, in some milliseconds at worst. */
export const AT_ONCE_CHARACTERS = 4_000;
/** Quotes and lists within one another; emphasis within emphasis. */
const MAX_DEPTH = 8;

/** A text as blocks. Takes milliseconds for 4,000 characters, and up to half a second for bad ones of 20,000. */
export function blocksOf(text: string): readonly Block[] {
  const slices = lexing(text);
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
  }
}

/**
 * The same in slices of some milliseconds each. Yields between them, and returns the blocks. A page under the console's
 * policy can start no worker (its address would have to be a trusted one, and nobody may make such), so what could take long
 * is cut up instead: a paragraph of more than 4,000 characters is lexed in parts, which at worst breaks an emphasis in two.
 */
export function* lexing(text: string): Generator<undefined, readonly Block[]> {
  const lexed = text.slice(0, LEXED_CHARACTERS).replace(/\r\n?/g, '\n');
  const rest = text.slice(LEXED_CHARACTERS);
  const lexer = new Lexer({ gfm: true });
  try {
    lexer.blockTokens(lexed, lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue) {
      for (const part of partsOf(src)) {
        yield;
        tokens.push(...lexer.inlineTokens(part));
      }
    }
  } catch {
    // Nested deeper than the lexer's own calls can be: nobody would read it as anything but text.
    return [textBlock(text)];
  }
  const blocks = lexer.tokens.flatMap((token) => blockOf(token, 1));
  return rest === '' ? blocks : [...blocks, textBlock(rest)];
}

/** Parts of at most 4,000 characters, cut where there is white space if there is any. */
function partsOf(source: string): readonly string[] {
  const parts: string[] = [];
  let left = source;
  while (left.length > AT_ONCE_CHARACTERS) {
    const space = Math.max(
      left.lastIndexOf(' ', AT_ONCE_CHARACTERS),
      left.lastIndexOf('\n', AT_ONCE_CHARACTERS),
    );
    const end = space > AT_ONCE_CHARACTERS / 2 ? space : AT_ONCE_CHARACTERS;
    parts.push(left.slice(0, end));
    left = left.slice(end);
  }
  return [...parts, left];
}

function blockOf(token: Token, depth: number): Block[] {
  const block = token as MarkedToken;
  switch (block.type) {
    case 'space':
      return [];
    case 'hr':
      return [{ kind: 'rule' }];
    case 'heading':
      return [{ kind: 'heading', level: block.depth, children: inlinesOf(block.tokens) }];
    case 'code':
      return [{ kind: 'code', language: block.lang ?? '', text: block.text }];
    case 'blockquote':
      if (depth > MAX_DEPTH) return rawBlock(block.raw);
      return [{ kind: 'quote', blocks: block.tokens.flatMap((inner) => blockOf(inner, depth + 1)) }];
    case 'list':
      if (depth > MAX_DEPTH) return rawBlock(block.raw);
      return [listOf(block, depth)];
    case 'table':
      return [
        { kind: 'table', head: block.header.map(cellOf), rows: block.rows.map((row) => row.map(cellOf)) },
      ];
    case 'paragraph':
      return [{ kind: 'paragraph', children: inlinesOf(block.tokens) }];
    case 'text':
      return [{ kind: 'paragraph', children: inlinesOf(block.tokens ?? [block]) }];
    case 'checkbox':
      return [];
    case 'html':
    case 'def':
    case 'list_item':
    case 'br':
    case 'codespan':
    case 'del':
    case 'em':
    case 'escape':
    case 'image':
    case 'link':
    case 'strong':
    default:
      // HTML, and what defines a link for other places: it is shown as it was written.
      return rawBlock(block.raw);
  }
}

const rawBlock = (raw: string): Block[] => (raw.trim() === '' ? [] : [textBlock(withoutEnd(raw, '\n'))]);

const listOf = ({ ordered, start, items }: Tokens.List, depth: number): Block => ({
  kind: 'list',
  start: ordered ? Number(start) : null,
  items: items.map(({ task, checked, tokens }): ListItem => {
    const blocks = tokens.flatMap((inner) => blockOf(inner, depth + 1));
    return task ? { isTask: true, blocks: ticked(blocks, checked === true) } : { isTask: false, blocks };
  }),
});

/** A task begins with its mark, in the line of its text: the lexer has it before that or within, by how the list is set. */
function ticked(blocks: readonly Block[], isDone: boolean): readonly Block[] {
  const mark: Inline = { kind: 'text', text: isDone ? '[x] ' : '[ ] ' };
  const [first, ...rest] = blocks;
  if (first?.kind !== 'paragraph') return [{ kind: 'paragraph', children: [mark] }, ...blocks];
  return [{ ...first, children: joined([mark, ...first.children]) }, ...rest];
}

const cellOf = ({ align, tokens }: Tokens.TableCell): Cell => ({ align, children: inlinesOf(tokens) });

function inlinesOf(tokens: readonly Token[], depth = 1): readonly Inline[] {
  return joined(tokens.map((token) => inlineOf(token, depth)));
}

/** Texts that follow one another as one, and none that is empty. */
function joined(parts: readonly Inline[]): readonly Inline[] {
  const inlines: Inline[] = [];
  for (const inline of parts) {
    const last = inlines.at(-1);
    if (inline.kind !== 'text') inlines.push(inline);
    else if (last?.kind === 'text')
      inlines[inlines.length - 1] = { kind: 'text', text: last.text + inline.text };
    else if (inline.text !== '') inlines.push(inline);
  }
  return inlines;
}

function inlineOf(token: Token, depth: number): Inline {
  const inline = token as MarkedToken;
  switch (inline.type) {
    case 'text':
    case 'escape':
      return { kind: 'text', text: inline.text };
    case 'br':
      return { kind: 'text', text: '\n' };
    case 'checkbox':
      // Its item has the mark.
      return { kind: 'text', text: '' };
    case 'codespan':
      return { kind: 'code', text: inline.text };
    case 'strong':
    case 'em':
    case 'del':
      if (depth > MAX_DEPTH) return { kind: 'text', text: inline.raw };
      return { kind: inline.type, children: inlinesOf(inline.tokens, depth + 1) };
    case 'link':
      return linkOf(inline, depth);
    case 'image':
      return imageOf(inline);
    case 'html':
    case 'blockquote':
    case 'code':
    case 'def':
    case 'heading':
    case 'hr':
    case 'list':
    case 'list_item':
    case 'paragraph':
    case 'space':
    case 'table':
    default:
      return { kind: 'text', text: inline.raw };
  }
}

function linkOf({ raw, text, href, tokens }: Tokens.Link, depth: number): Inline {
  const target = linkTarget(href);
  if (target === null || depth > MAX_DEPTH) return { kind: 'text', text: raw };
  const children: readonly Inline[] = isUnicodeAddress(text, target)
    ? [{ kind: 'text', text: target.href }]
    : inlinesOf(tokens, depth + 1).map(unlinked);
  return { kind: 'link', target, children };
}

/** No link stands in a link, and no image either. */
const unlinked = (inline: Inline): Inline =>
  inline.kind === 'picture' ? { ...inline, kind: 'image', host: 'within the text' } : inline;

function imageOf({ href, text: alt }: Tokens.Image): Inline {
  return isPicture(href)
    ? { kind: 'picture', alt, source: href }
    : { kind: 'image', alt, host: imageHost(href) };
}
