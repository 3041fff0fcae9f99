/** A piece of text as pdf.js gives it, as far as it is looked at. */
interface TextItem {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly height: number;
  /** The last two: where it stands. */
  readonly transform: readonly number[];
}

const isText = (item: object): item is TextItem => 'str' in item;

/** Paragraphs of a page: lines with more than a line's room between them are apart. */
export function linesOf(items: readonly object[]): string[] {
  const paragraphs: string[] = [];
  let [text, line] = ['', ''];
  let last: { y: number; height: number } | null = null;
  const endLine = (): void => {
    text = joined(text, line.trim());
    line = '';
  };
  for (const item of items) {
    if (!isText(item)) continue;
    const y = item.transform[5] ?? 0;
    if (item.str.trim() !== '') {
      if (last !== null && line === '' && isApart(last, y, item.height)) {
        paragraphs.push(text);
        text = '';
      }
      last = { y, height: item.height };
    }
    line += item.str;
    if (item.hasEOL) endLine();
  }
  endLine();
  paragraphs.push(text);
  return paragraphs.filter((paragraph) => paragraph.trim() !== '');
}

const isApart = (last: { y: number; height: number }, y: number, height: number): boolean => {
  const line = Math.max(last.height, height, 1);
  return last.y - y > line * 1.8 || y - last.y > line;
};

/** A word that was parted at the end of a line is whole again. */
function joined(text: string, line: string): string {
  if (text === '') return line;
  if (/\p{L}-$/u.test(text) && /^\p{Ll}/u.test(line)) return text.slice(0, -1) + line;
  return `${text}\n${line}`;
}
