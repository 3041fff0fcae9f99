import type { Block } from './passage.js';

/** Paragraphs of a text; form feeds part pages. */
export function* readPlainText(text: string): Generator<Block> {
  const pages = text.split('\f');
  for (const [index, part] of pages.entries())
    for (const block of paragraphs(part)) yield { ...block, page: pages.length > 1 ? index + 1 : null };
}

/** Blank lines part paragraphs; `# Heading` and underlined lines are Markdown's headings. */
function* paragraphs(text: string): Generator<Omit<Block, 'page'>> {
  let lines: string[] = [];
  let isCode = false;
  const flush = function* (): Generator<Omit<Block, 'page'>> {
    if (lines.length > 0) yield { text: lines.join('\n') };
    lines = [];
  };
  for (const [line] of text.matchAll(/[^\r\n]*(?:\r\n|\r|\n|$)/g)) {
    const plain = line.trimEnd();
    if (/^\s*(```|~~~)/.test(plain)) isCode = !isCode;
    const heading = isCode ? null : headingOf(plain, lines);
    if (heading !== null) {
      if (heading.isUnderline) lines.pop();
      yield* flush();
      yield { text: heading.text, isHeading: true };
    } else if (plain === '') yield* flush();
    else lines.push(plain);
  }
  yield* flush();
}

function headingOf(line: string, before: readonly string[]): { text: string; isUnderline: boolean } | null {
  const mark = /^ {0,3}#{1,6}\s+/.exec(line)?.[0];
  if (mark !== undefined) {
    const text = line.slice(mark.length).replace(/(?<!#)#+$/, '');
    return { text: text.trimEnd(), isUnderline: false };
  }
  const above = before.at(-1);
  if (above !== undefined && before.length === 1 && /^(={3,}|-{3,})$/.test(line))
    return { text: above, isUnderline: true };
  return null;
}
