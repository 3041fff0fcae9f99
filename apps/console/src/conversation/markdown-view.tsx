import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Bdi } from './bdi.js';
import { askAbout } from './link-question.js';
import {
  type Block,
  type Cell,
  type Inline,
  type LinkTarget,
  type ListItem,
  withOrderedHeadings,
} from './markdown-nodes.js';
import { AT_ONCE_CHARACTERS, blocksOf, lexing } from './markdown.js';
import { visible } from './visible.js';

/** How long the page may stand still for a text. */
const SLICE_MS = 8;
const NO_BLOCKS: readonly Block[] = [];

/** A text in Markdown. At most 20,000 characters are lexed; whoever draws it has shortened it. */
export function Markdown({ text }: { readonly text: string }) {
  const isShort = text.length <= AT_ONCE_CHARACTERS;
  const atOnce = useMemo(() => (isShort ? withOrderedHeadings(blocksOf(text)) : NO_BLOCKS), [isShort, text]);
  const lexed = useLexed(isShort ? null : text);
  const { source, blocks } = isShort ? { source: text, blocks: atOnce } : lexed;
  const rest = text.startsWith(source) ? text.slice(source.length) : '';
  return (
    <div class="md" dir="auto">
      {text.startsWith(source) && blocks.map(drawBlock)}
      {rest !== '' && <p>{visible(rest)}</p>}
    </div>
  );
}

interface Lexed {
  readonly source: string;
  readonly blocks: readonly Block[];
}

/** What is lexed of a long text so far: one is lexed to its end before the next begins, however fast it grows. */
function useLexed(text: string | null): Lexed {
  const [lexed, setLexed] = useState<Lexed>({ source: '', blocks: NO_BLOCKS });
  const wanted = useRef(text);
  const isBusy = useRef(false);
  wanted.current = text;
  useEffect(() => {
    if (text === null || isBusy.current) return;
    isBusy.current = true;
    void lexAll(wanted, setLexed).finally(() => (isBusy.current = false));
  }, [text]);
  useEffect(() => () => void (wanted.current = null), []);
  return lexed;
}

async function lexAll(
  wanted: { readonly current: string | null },
  done: (lexed: Lexed) => void,
): Promise<void> {
  let source: string | null = null;
  while (wanted.current !== null && wanted.current !== source) {
    source = wanted.current;
    const blocks = withOrderedHeadings(await inSlices(source));
    if (wanted.current !== null) done({ source, blocks });
  }
}

async function inSlices(text: string): Promise<readonly Block[]> {
  const slices = lexing(text);
  let since = performance.now();
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
    if (performance.now() - since < SLICE_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    since = performance.now();
  }
}

/** The page's own heading is above them. */
const HEADINGS = ['h2', 'h3', 'h4', 'h5', 'h6'] as const;

function drawBlock(block: Block, at: number): ComponentChildren {
  switch (block.kind) {
    case 'paragraph':
      return <p key={at}>{block.children.map(drawInline)}</p>;
    case 'heading': {
      const Heading = HEADINGS[Math.min(block.level, HEADINGS.length) - 1] ?? 'h6';
      return <Heading key={at}>{block.children.map(drawInline)}</Heading>;
    }
    case 'code':
      return (
        <pre key={at} dir="ltr">
          {visible(block.text)}
        </pre>
      );
    case 'quote':
      return <blockquote key={at}>{block.blocks.map(drawBlock)}</blockquote>;
    case 'list':
      return block.start === null ? (
        <ul key={at}>{block.items.map(drawItem)}</ul>
      ) : (
        <ol key={at} start={block.start}>
          {block.items.map(drawItem)}
        </ol>
      );
    case 'table':
      return (
        <div key={at} class="md-table">
          <table>
            <thead>
              <tr>{block.head.map((cell, n) => drawCell('th', cell, n))}</tr>
            </thead>
            <tbody>
              {block.rows.map((row, n) => (
                <tr key={n}>{row.map((cell, m) => drawCell('td', cell, m))}</tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    case 'rule':
      return <hr key={at} />;
  }
}

const drawItem = ({ isTask, blocks }: ListItem, at: number): ComponentChildren => {
  const [only] = blocks;
  const isOne = blocks.length === 1 && only?.kind === 'paragraph';
  return (
    <li key={at} class={isTask ? 'task' : undefined}>
      {isOne ? only.children.map(drawInline) : blocks.map(drawBlock)}
    </li>
  );
};

const drawCell = (Name: 'th' | 'td', { align, children }: Cell, at: number): ComponentChildren => (
  <Name key={at} class={align === 'right' ? 'end' : align === 'center' ? 'mid' : undefined}>
    {children.map(drawInline)}
  </Name>
);

function drawInline(inline: Inline, at: number): ComponentChildren {
  switch (inline.kind) {
    case 'text':
      return visible(inline.text);
    case 'code':
      return <code key={at}>{visible(inline.text)}</code>;
    case 'strong':
      return <strong key={at}>{inline.children.map(drawInline)}</strong>;
    case 'em':
      return <em key={at}>{inline.children.map(drawInline)}</em>;
    case 'del':
      return <del key={at}>{inline.children.map(drawInline)}</del>;
    case 'link':
      return (
        <Outward key={at} target={inline.target}>
          {inline.children.map(drawInline)}
        </Outward>
      );
    case 'image':
      return <Bdi key={at} class="image" text={`[image: ${inline.alt}, ${inline.host}]`} />;
    case 'picture':
      return <Picture key={at} alt={inline.alt} source={inline.source} />;
  }
}

/** A link that leads out of the console: whoever follows it is told where it leads first. */
function Outward({
  target,
  children,
}: {
  readonly target: LinkTarget;
  readonly children: ComponentChildren;
}) {
  const ask = (event: MouseEvent): void => {
    event.preventDefault();
    askAbout(target);
  };
  return (
    <a href={target.href} target="_blank" rel="noreferrer noopener" onClick={ask} onAuxClick={ask}>
      <bdi>{children}</bdi>
    </a>
  );
}

/** An image that the text holds itself; its name, where it is none after all. */
function Picture({ alt, source }: { readonly alt: string; readonly source: string }) {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <Bdi class="image" text={`[image: ${alt}, within the text]`} />;
  return (
    <img class="picture" alt={visible(alt)} src={source} decoding="async" onError={() => setBroken(true)} />
  );
}
