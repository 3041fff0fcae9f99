import { OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** What a page paints, apart from the text that pdf.js understands. */
export interface Layout {
  /** Of the page, by pictures together; more than 1 where they overlap. */
  readonly pictured: number;
  /** Of the picture with the most pixels an inch; null: there is none. */
  readonly dpi: number | null;
  /** Names of the pictures, as pdf.js has them; those of several pages begin with `g_`. */
  readonly names: readonly string[];
  /** Its text is there, but not painted. */
  readonly isHidden: boolean;
  /** That are painted and no blanks. */
  readonly glyphs: number;
  /** Lines and areas. */
  readonly strokes: number;
}

interface Operations {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly unknown[];
}

type Matrix = readonly [number, number, number, number, number, number];
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
/** Painted several times at once: how large they are is not looked at. */
const GROUPS: ReadonlySet<number> = new Set([
  OPS.paintImageMaskXObjectGroup,
  OPS.paintInlineImageXObjectGroup,
  OPS.paintImageXObjectRepeat,
  OPS.paintImageMaskXObjectRepeat,
]);
const PICTURES: ReadonlySet<number> = new Set([
  OPS.paintImageXObject,
  OPS.paintInlineImageXObject,
  OPS.paintImageMaskXObject,
]);
const GROUP_SHARE = 0.2;
/** PDF's text rendering mode: neither filled nor stroked. */
const INVISIBLE = new Set([3, 7]);
const MAX_DEPTH = 1_000;

/** @param view left, bottom, right, top of the page, in points */
export function layoutOf({ fnArray, argsArray }: Operations, view: readonly number[]): Layout {
  const follower = new LayoutFollower(view);
  for (const [index, operation] of fnArray.entries()) follower.see(operation, argsArray[index]);
  return follower.layout();
}

class LayoutFollower {
  private readonly area: number;
  private matrix: Matrix = IDENTITY;
  private readonly around: Matrix[] = [];
  private pictured = 0;
  private dpi: number | null = null;
  private readonly names: string[] = [];
  private mode = 0;
  private glyphs = 0;
  private invisible = 0;
  private strokes = 0;

  constructor([left = 0, bottom = 0, right = 0, top = 0]: readonly number[]) {
    this.area = Math.max(1, Math.abs((right - left) * (top - bottom)));
  }

  see(operation: number, args: unknown): void {
    if (operation === OPS.save) this.begin();
    else if (operation === OPS.restore || operation === OPS.paintFormXObjectEnd) this.end();
    else if (operation === OPS.transform) this.turn(args);
    else if (operation === OPS.paintFormXObjectBegin) {
      this.begin();
      this.turn((args as readonly unknown[])[0]);
    } else if (operation === OPS.setTextRenderingMode) this.mode = Number((args as readonly unknown[])[0]);
    else if (operation === OPS.showText) this.seeText((args as readonly unknown[])[0]);
    else if (operation === OPS.constructPath) this.strokes += 1;
    else if (GROUPS.has(operation)) {
      this.pictured += GROUP_SHARE;
      this.names.push('');
    } else if (PICTURES.has(operation)) this.seePicture(args as readonly unknown[]);
  }

  layout(): Layout {
    const { pictured, dpi, names, glyphs, invisible, strokes } = this;
    return { pictured, dpi, names, isHidden: invisible > glyphs, glyphs, strokes };
  }

  private begin(): void {
    if (this.around.length < MAX_DEPTH) this.around.push(this.matrix);
  }

  private end(): void {
    this.matrix = this.around.pop() ?? this.matrix;
  }

  private turn(by: unknown): void {
    if (by === null || by === undefined) return;
    const [a, b, c, d, e, f] = this.matrix;
    const [a2 = 1, b2 = 0, c2 = 0, d2 = 1, e2 = 0, f2 = 0] = Array.from(by as ArrayLike<number>);
    this.matrix = [
      a * a2 + c * b2,
      b * a2 + d * b2,
      a * c2 + c * d2,
      b * c2 + d * d2,
      a * e2 + c * f2 + e,
      b * e2 + d * f2 + f,
    ];
  }

  private seeText(shown: unknown): void {
    const glyphs = Array.isArray(shown)
      ? shown.filter((glyph: unknown) => typeof glyph === 'object' && glyph !== null && !isBlank(glyph))
          .length
      : 0;
    if (INVISIBLE.has(this.mode)) this.invisible += glyphs;
    else this.glyphs += glyphs;
  }

  /** A picture is the unit square, wherever it is put. */
  private seePicture([first, second]: readonly unknown[]): void {
    const [a, b, c, d] = this.matrix;
    this.names.push(typeof first === 'string' ? first : '');
    this.pictured += Math.min(1, Math.abs(a * d - b * c) / this.area);
    const width = typeof first === 'object' && first !== null && 'width' in first ? first.width : second;
    const inches = Math.hypot(a, b) / 72;
    if (typeof width === 'number' && inches > 0) this.dpi = Math.max(this.dpi ?? 0, width / inches);
  }
}

const isBlank = (glyph: object): boolean => 'isSpace' in glyph && glyph.isSpace === true;
