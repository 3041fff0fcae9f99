/** A stretch of text as the extraction finds it: a paragraph, a table's row, a heading. */
export interface Block {
  readonly text: string;
  /** 1, 2, 3 …; null where the format has no pages. Slides and sheets count as pages. */
  readonly page: number | null;
  readonly isHeading?: boolean;
}

/** A piece of a document that is found and shown as one. */
export interface Passage {
  readonly text: string;
  readonly page: number | null;
  /** That it stands under, or begins with. */
  readonly heading: string;
  /** Of its first character in the document's text. */
  readonly position: number;
}

/** Characters. A passage ends at the first block after the lower bound, and before the upper one. */
const FULL = 700;
const LONGEST = 1400;
/** What is longer is cut, whatever it is; it would take the room of the text. */
const LONGEST_HEADING = 200;

/** Splits a document's blocks into passages (chunks for search), one document long. Owns the unfinished passage. */
export class PassageMaker {
  private parts: string[] = [];
  private length = 0;
  private hasBody = false;
  private page: number | null = null;
  private heading = '';
  private nextHeading = '';
  private start = 0;
  private seen = 0;
  private ready: Passage[] = [];

  add(block: Block): void {
    const text = block.text.trim();
    if (text === '') return;
    const isNew = block.page !== this.page || (block.isHeading && this.hasBody);
    if (isNew || this.length + text.length > LONGEST) this.finish();
    if (block.isHeading) this.nextHeading = text.slice(0, LONGEST_HEADING);
    // A heading right below another one belongs to the same passage.
    if (block.isHeading && this.parts.length > 0) this.heading += ` ${this.nextHeading}`;
    for (const piece of piecesOf(text)) {
      if (this.parts.length === 0) {
        this.page = block.page;
        this.start = this.seen;
        this.heading = this.nextHeading;
      }
      this.parts.push(piece);
      this.length += piece.length + 1;
      this.seen += piece.length + 1;
      this.hasBody ||= block.isHeading !== true;
      if (this.length >= FULL) this.finish();
    }
  }

  /** The passages that are complete. */
  take(): Passage[] {
    const { ready } = this;
    this.ready = [];
    return ready;
  }

  /** No more blocks come. */
  finish(): void {
    if (this.parts.length === 0) return;
    const { page, heading, start } = this;
    this.ready.push({ text: this.parts.join('\n'), page, heading, position: start });
    this.parts = [];
    this.length = 0;
    this.hasBody = false;
  }
}

/** A block in pieces of at most LONGEST characters, cut behind a sentence or a word where there is one. */
function* piecesOf(text: string): Generator<string> {
  let rest = text;
  while (rest.length > LONGEST) {
    const window = rest.slice(0, LONGEST);
    const at = lastEnd(window, /[.!?。！？]["')\]]?\s/g) ?? lastEnd(window, /\s/g) ?? wholeCharacters(window);
    yield rest.slice(0, at).trimEnd();
    rest = rest.slice(at).trimStart();
  }
  if (rest !== '') yield rest;
}

/** Behind the last match in the second half, or null. */
function lastEnd(window: string, pattern: RegExp): number | null {
  let end: number | null = null;
  pattern.lastIndex = LONGEST / 2;
  for (let match = pattern.exec(window); match !== null; match = pattern.exec(window))
    end = pattern.lastIndex;
  return end;
}

/** Not between the halves of a surrogate pair. */
const wholeCharacters = (window: string): number => {
  const last = window.charCodeAt(window.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? window.length - 1 : window.length;
};
