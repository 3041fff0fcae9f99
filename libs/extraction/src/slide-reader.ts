import { referenceOf } from './office-drawing.js';
import { type Attributes, attribute } from './xml.js';

/** What stands together on a slide: a box, a table, a group. */
export interface Shape {
  readonly paragraphs: string[];
  readonly rows: string[][];
  /** Relations to charts, diagrams and pictures in it. */
  readonly references: string[];
  isTitle: boolean;
  /** On a layout it says what may be typed in. */
  isPlaceholder: boolean;
  /** Of its upper left corner, in EMU; null: where the layout has it. */
  place: { readonly x: number; readonly y: number } | null;
}

const SHAPES = new Set(['sp', 'graphicFrame', 'pic', 'cxnSp', 'grpSp', 'contentPart']);
/** Numbers of slides and pictures of them say nothing. */
const SILENT = /^(?:sldNum|sldImg)$/;

/** Follows a slide: its shapes, with the text in them. */
export class SlideReader {
  private readonly shapes: Shape[] = [];
  private shape: Shape = newShape();
  /** How deep in shapes we are: those in a group belong to it. */
  private depth = 0;
  private isSilent = false;
  private paragraph = '';
  private isText = false;
  private cells: string[] | null = null;
  private cell: string[] | null = null;

  open(name: string, attributes: Attributes): void {
    this.isText = name === 't';
    if (SHAPES.has(name)) this.begin();
    else if (name === 'ph') this.seePlaceholder(attribute(attributes, 'type') ?? '');
    else if (name === 'off') this.shape.place ??= placeOf(attributes);
    else if (name === 'br') this.paragraph += '\n';
    else if (name === 'tab') this.paragraph += '\t';
    else if (name === 'tr') this.cells = [];
    else if (name === 'tc') this.cell = [];
    const id = referenceOf(name, attributes);
    if (id !== undefined) this.shape.references.push(id);
  }

  close(name: string): void {
    this.isText = false;
    if (SHAPES.has(name)) this.depth -= 1;
    else if (name === 'p') this.endParagraph();
    else if (name === 'tc') {
      this.cells?.push(this.cell?.join('\n') ?? '');
      this.cell = null;
    } else if (name === 'tr' && this.cells !== null) {
      if (this.cells.some((text) => text !== '')) this.shape.rows.push(this.cells);
      this.cells = null;
    }
  }

  text(piece: string): void {
    if (this.isText && !this.isSilent) this.paragraph += piece;
  }

  /** Titles first; the others from top to bottom where all of them say where they are. */
  inOrder(): readonly Shape[] {
    const titles = this.shapes.filter(({ isTitle }) => isTitle);
    const others = this.shapes.filter(({ isTitle }) => !isTitle);
    const isPlaced = others.every(({ place }) => place !== null);
    if (isPlaced) others.sort((a, b) => a.place!.y - b.place!.y || a.place!.x - b.place!.x);
    return [...titles, ...others];
  }

  private begin(): void {
    if (this.depth === 0) {
      this.shape = newShape();
      this.shapes.push(this.shape);
    }
    this.depth += 1;
    this.isSilent = false;
  }

  private seePlaceholder(type: string): void {
    this.isSilent = SILENT.test(type);
    this.shape.isPlaceholder = true;
    if (this.depth === 1 && /title$/i.test(type) && !/^sub/i.test(type)) this.shape.isTitle = true;
  }

  private endParagraph(): void {
    const text = this.paragraph.trim();
    this.paragraph = '';
    if (text === '') return;
    if (this.cell !== null) this.cell.push(text);
    else this.shape.paragraphs.push(text);
  }
}

const newShape = (): Shape => ({
  paragraphs: [],
  rows: [],
  references: [],
  isTitle: false,
  isPlaceholder: false,
  place: null,
});

const placeOf = (attributes: Attributes): Shape['place'] => {
  const [x, y] = [Number(attribute(attributes, 'x')), Number(attribute(attributes, 'y'))];
  return Number.isFinite(x) && Number.isFinite(y) ? { x, y } : null;
};
