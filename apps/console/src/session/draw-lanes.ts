import type { Axis } from './axis.js';
import { type LaneLayout, topOf, xOf } from './lane-layout.js';
import type { Mark, MarkKind } from './marks.js';
import type { TakeOver } from './story.js';

/** Colours as a canvas takes them, by the token's name. */
export type Palette = Readonly<Record<PaletteName, string>>;
const NAMES = [
  'surface',
  'line',
  'edge',
  'ink',
  'ink2',
  'accent',
  'accent-soft',
  'ok',
  'ok-soft',
  'warn',
  'warn-soft',
  'bad',
  'bad-soft',
  'bar',
] as const;
export type PaletteName = (typeof NAMES)[number];

/** Of colours that somebody chose for all pages: grounds are one, and so is all that stands on them. */
const forced = (name: PaletteName): string =>
  name === 'surface' || name.endsWith('-soft') ? 'Canvas' : name === 'accent' ? 'Highlight' : 'CanvasText';

/**
 * The tokens as they are now: a canvas knows no custom properties, and none that differ by theme.
 * @param isForced colours are the browser's own
 */
export function paletteOf(element: HTMLElement, isForced: boolean): Palette {
  const probe = document.createElement('span');
  probe.hidden = true;
  // Its text would else have the one colour of all text.
  probe.style.setProperty('forced-color-adjust', 'none');
  element.append(probe);
  const colors = NAMES.map((name) => {
    probe.style.color = isForced ? forced(name) : `var(--${name})`;
    return [name, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(colors) as Palette;
}

export interface Drawing {
  readonly layout: LaneLayout;
  readonly axis: Axis;
  readonly marks: readonly Mark[];
  /** Gone through twice: below the bars, and above them. */
  readonly takeOvers: readonly TakeOver[];
  readonly palette: Palette;
  /** Bars have borders: colours say nothing. */
  readonly isForced: boolean;
}

/** Draws all that happened. The playhead and all words stand above it. */
export function drawLanes(canvas: HTMLCanvasElement, drawing: Drawing): void {
  const { layout, palette, marks } = drawing;
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(layout.width * scale);
  canvas.height = Math.round(layout.height * scale);
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  drawTracks(context, layout, palette);
  for (const over of drawing.takeOvers) drawSilence(context, drawing, over);
  const patterns = patternsOf(context, palette);
  for (const mark of marks) if (mark.lane === 'Runs') drawRun(context, drawing, mark);
  for (const mark of marks) {
    if (mark.lane === 'Told') drawPoint(context, drawing, mark);
    else if (mark.lane !== 'Runs') drawBar(context, drawing, mark, patterns);
  }
  drawGaps(context, drawing);
  for (const over of drawing.takeOvers) drawEdges(context, drawing, over);
}

function drawTracks(context: CanvasRenderingContext2D, layout: LaneLayout, palette: Palette): void {
  context.fillStyle = palette.line;
  for (const lane of layout.lanes) {
    const top = topOf(layout, lane);
    if (top !== null && lane !== 'Runs')
      context.fillRect(layout.left, Math.round(top + layout.bar / 2), layout.right - layout.left, 1);
  }
}

type Patterns = Partial<Record<MarkKind, CanvasPattern | null>>;

/** Thinking is striped upright, a compaction across, waiting hatched. */
function patternsOf(context: CanvasRenderingContext2D, palette: Palette): Patterns {
  const tile = (size: number, draw: (of: CanvasRenderingContext2D) => void): CanvasPattern | null => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = size;
    const of = canvas.getContext('2d');
    if (of !== null) draw(of);
    return context.createPattern(canvas, 'repeat');
  };
  const think = tile(4, (of) => {
    of.fillStyle = palette.bar;
    of.fillRect(0, 0, 2, 4);
  });
  const wait = tile(8, (of) => {
    of.fillStyle = palette['warn-soft'];
    of.fillRect(0, 0, 8, 8);
    of.strokeStyle = palette.warn;
    of.lineWidth = 2;
    for (const at of [-8, 0, 8]) {
      of.moveTo(at, 8);
      of.lineTo(at + 8, 0);
    }
    of.stroke();
  });
  const compact = tile(4, (of) => {
    of.fillStyle = palette['accent-soft'];
    of.fillRect(0, 0, 4, 4);
    of.fillStyle = palette.accent;
    of.fillRect(0, 0, 4, 2);
  });
  return { think, wait, compact };
}

const RUN_TONES: Readonly<Record<string, 'ok' | 'bad' | 'warn' | 'accent' | null>> = {
  completed: 'ok',
  failed: 'bad',
  waiting: 'warn',
  running: 'accent',
};

/** From and to, in px; a mark is seen however short it was. */
function extent({ layout, axis }: Drawing, { from, to }: Mark): readonly [number, number] {
  const begin = axis.at(from);
  const [left, right] = [
    xOf(layout, begin),
    xOf(layout, to === undefined ? 1 : Math.max(begin, axis.at(to))),
  ];
  return [left, Math.max(right, left + 2)];
}

function drawRun(context: CanvasRenderingContext2D, drawing: Drawing, mark: Mark): void {
  const { layout, palette } = drawing;
  const [left, right] = extent(drawing, mark);
  const grown = layout.isSmall ? 1 : 4;
  const tone = RUN_TONES[mark.kind] ?? null;
  box(context, left, layout.top - grown, right - left, layout.bar + 2 * grown, 4);
  // Words stand on it.
  const ground = drawing.isForced ? palette.surface : palette.line;
  context.fillStyle = tone === null ? ground : palette[`${tone}-soft`];
  context.fill();
  context.strokeStyle = tone === null ? palette.edge : palette[tone];
  context.lineWidth = 1;
  context.stroke();
}

function drawBar(context: CanvasRenderingContext2D, drawing: Drawing, mark: Mark, patterns: Patterns): void {
  const { layout, palette } = drawing;
  const top = topOf(layout, mark.lane);
  if (top === null) return;
  const [left, right] = extent(drawing, mark);
  const isBad = mark.kind === 'unknown' || mark.kind === 'gone';
  const plain = isBad
    ? palette.bad
    : mark.kind === 'call' || mark.kind === 'step'
      ? palette.accent
      : palette.bar;
  box(context, left, top, right - left, layout.bar, 3);
  context.fillStyle = patterns[mark.kind] ?? plain;
  context.fill();
  if (!drawing.isForced) return;
  context.strokeStyle = palette.ink;
  context.stroke();
}

function drawPoint(context: CanvasRenderingContext2D, { layout, axis, palette }: Drawing, mark: Mark): void {
  const top = topOf(layout, 'Told');
  if (top === null) return;
  const x = xOf(layout, axis.atTime(mark.since));
  const y = top + layout.bar / 2;
  context.beginPath();
  if (mark.kind === 'told') {
    context.fillStyle = palette.ok;
    context.arc(x, y, 3, 0, 2 * Math.PI);
  } else {
    context.fillStyle = palette.bad;
    context.moveTo(x, y - 5);
    context.lineTo(x + 5, y + 4);
    context.lineTo(x - 5, y + 4);
  }
  context.fill();
}

const sides = ({ layout, axis }: Drawing, { crash, claim }: TakeOver): readonly [number, number] => [
  xOf(layout, axis.at(crash)),
  xOf(layout, axis.at(claim)),
];

function drawSilence(context: CanvasRenderingContext2D, drawing: Drawing, over: TakeOver): void {
  const { top, step, bottom } = drawing.layout;
  const [crash, claim] = sides(drawing, over);
  context.globalAlpha = 0.7;
  context.fillStyle = drawing.palette['bad-soft'];
  context.fillRect(crash, top + step - 4, Math.max(claim - crash, 1), bottom - top - step + 8);
  context.globalAlpha = 1;
}

/** Where it fell silent, and where somebody took it over. */
function drawEdges(context: CanvasRenderingContext2D, drawing: Drawing, over: TakeOver): void {
  const { top, step, bottom } = drawing.layout;
  const [crash, claim] = sides(drawing, over);
  context.strokeStyle = drawing.palette.bad;
  context.lineWidth = 1.5;
  for (const [x, dash] of [
    [crash, []],
    [claim, [2, 3]],
  ] as const) {
    context.setLineDash([...dash]);
    context.beginPath();
    context.moveTo(x, top + step - 4);
    context.lineTo(x, bottom + 4);
    context.stroke();
  }
  context.setLineDash([]);
}

function drawGaps(context: CanvasRenderingContext2D, { layout, axis, palette }: Drawing): void {
  const [top, bottom] = [layout.top - 6, layout.bottom + 6];
  for (const { from, to } of axis.gaps) {
    const [left, right] = [xOf(layout, from), xOf(layout, to)];
    context.fillStyle = palette.surface;
    context.fillRect(left, top, right - left, bottom - top);
    context.strokeStyle = palette.edge;
    context.lineWidth = 1;
    const middle = (left + right) / 2;
    for (const x of [middle - 6, middle + 2]) {
      context.beginPath();
      context.moveTo(x, top + 1);
      context.lineTo(x + 4, (top + bottom) / 2);
      context.lineTo(x, bottom - 1);
      context.stroke();
    }
  }
}

function box(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
  radius: number,
): void {
  context.beginPath();
  context.roundRect(x, y, width, height, Math.min(radius, width / 2));
}
