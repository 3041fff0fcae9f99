import { createCanvas } from '@napi-rs/canvas';
import { OPS, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { hasTime, paragraphsOf, recognise, spending } from './ocr.js';
import { type Layout, layoutOf } from './pdf-layout.js';
import { grey } from './picture.js';
import { UnreadableFile } from './unreadable-file.js';
import type { Warn } from './warnings.js';

export interface PageText {
  readonly items: readonly object[];
  readonly lines: readonly string[];
  /** Left, bottom, right, top, in points. */
  readonly view: readonly number[];
  /** How far it is turned when it is shown, in degrees. */
  readonly rotate: number;
}

/** A page with fewer letters has no text of its own, but a number or a mark. */
const FEW_LETTERS = 20;
/** So much of a page's height with text on it is a page of text. */
const TEXT_PAGE = 0.6;
/** Pictures on less of a page are logos, lines and signatures. */
const PICTURED = 0.03;
/** A line of whose words so many stand in the text as well is read twice. */
const SAME = 0.7;
const [LEAST_DPI, MOST_DPI, USUAL_DPI] = [150, 400, 300];
/** A4 at 350 dots an inch. */
const MAX_DRAWN_PIXELS = 12_000_000;
const TEXT_OPERATIONS: ReadonlySet<number> = new Set([
  OPS.showText,
  OPS.showSpacedText,
  OPS.nextLineShowText,
  OPS.nextLineSetSpacingShowText,
]);

/**
 * What the pictures of a page say and its text does not, the way up that the page is shown.
 * @param seen the pictures of earlier pages that were read
 */
export async function pictureLines(
  page: PDFPageProxy,
  text: PageText,
  seen: Set<string>,
  warn: Warn,
): Promise<string[]> {
  const letters = lettersIn(text.lines.join(''));
  if (letters >= FEW_LETTERS && textHeight(text) >= TEXT_PAGE) return [];
  if (hasTime()) return spending(() => recognised(page, text, letters, seen, warn));
  warn('limit', 'pictures take too long to read: those of this page were not looked at', page.pageNumber);
  return [];
}

async function recognised(
  page: PDFPageProxy,
  { lines, view }: PageText,
  letters: number,
  seen: Set<string>,
  warn: Warn,
): Promise<string[]> {
  const layout = layoutOf(await page.getOperatorList(), view);
  if (!mayHoldText(layout, letters) || (letters > 0 && areKnown(layout, seen))) return [];
  try {
    const drawn = await draw(page, layout, letters > 0);
    const found = paragraphsOf(await recognise(drawn));
    if (letters === 0 && found.length === 0) warnOfSilence(layout, page.pageNumber, warn);
    return withoutKnown(found, lines);
  } catch (error) {
    const reason = error instanceof UnreadableFile ? error.reason : 'the page cannot be drawn';
    warn('unreadable_picture', `pictures of the page were not read: ${reason}`, page.pageNumber);
    return [];
  }
}

function mayHoldText({ pictured, isHidden, glyphs, strokes }: Layout, letters: number): boolean {
  if (letters === 0) return pictured > 0 || glyphs > 0 || strokes > 0;
  // Text that is not painted was recognised by the program that scanned it.
  if (isHidden) return false;
  return pictured >= PICTURED || (letters < FEW_LETTERS && pictured > 0);
}

/** A letterhead that stands on every page is read once. */
function areKnown({ names }: Layout, seen: Set<string>): boolean {
  const known = names.every((name) => name.startsWith('g_') && seen.has(name));
  for (const name of names) if (name.startsWith('g_')) seen.add(name);
  return known;
}

function warnOfSilence({ pictured, glyphs }: Layout, page: number, warn: Warn): void {
  if (glyphs > 0) warn('no_letters', 'the page has glyphs, but they stand for no letters', page);
  else if (pictured > 0)
    warn('no_letters', 'the page has pictures, but no text was recognised in them', page);
}

/** The page as pixels; where its text is known, without it. */
async function draw(page: PDFPageProxy, { dpi }: Layout, isTextKnown: boolean): Promise<Uint8Array> {
  const wanted = Math.min(MOST_DPI, Math.max(LEAST_DPI, dpi ?? USUAL_DPI)) / 72;
  const { width, height } = page.getViewport({ scale: 1 });
  const scale = Math.min(wanted, Math.sqrt(MAX_DRAWN_PIXELS / (width * height)));
  const viewport = page.getViewport({ scale });
  const canvas = createCanvas(
    Math.max(1, Math.ceil(viewport.width)),
    Math.max(1, Math.ceil(viewport.height)),
  );
  await page.render({
    canvas,
    viewport,
    background: 'white',
    operationsFilter: (index, { fnArray }) => !isTextKnown || !TEXT_OPERATIONS.has(fnArray[index] ?? 0),
  }).promise;
  return grey(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height));
}

/** The share of the page's height that has text beside it. */
function textHeight({ items, view, rotate }: PageText): number {
  const isOnItsSide = rotate % 180 !== 0;
  const [from, to] = [view[isOnItsSide ? 0 : 1] ?? 0, view[isOnItsSide ? 2 : 3] ?? 0];
  const bands = new Set<number>();
  for (const item of items) {
    if (!('transform' in item) || !('str' in item) || String(item.str).trim() === '') continue;
    const at = Number((item.transform as readonly number[])[isOnItsSide ? 4 : 5]);
    bands.add(Math.floor(((at - from) / (to - from)) * BANDS));
  }
  return bands.size / BANDS;
}

const BANDS = 40;

/** Each text once: lines whose words are known already are left out. */
function withoutKnown(found: readonly string[], lines: readonly string[]): string[] {
  const known = new Set(lines.flatMap(wordsOf));
  const isNew = (line: string): boolean => {
    const words = wordsOf(line);
    return words.length === 0 || words.filter((word) => known.has(word)).length < words.length * SAME;
  };
  return found
    .map((paragraph) => paragraph.split('\n').filter(isNew).join('\n'))
    .filter((paragraph) => paragraph.trim() !== '');
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]{2,50}/gu) ?? [];
const lettersIn = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
