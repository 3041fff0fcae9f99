import { MarkdownLine } from './markdown-line.js';

const names = ['think', 'thinking', 'thought', 'thoughts', 'reasoning', 'reason', 'seed:think'];
/** How models mark their thinking where it comes inside the text; in small letters. */
const TAGS: readonly (readonly [open: string, close: string])[] = [
  ...names.map((name) => [`<${name}>`, `</${name}>`] as const),
  ['[think]', '[/think]'],
  ['◁think▷', '◁/think▷'],
  ['<|start_thinking|>', '<|end_thinking|>'],
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
];
const LONGEST = Math.max(...TAGS.map(([open]) => open.length));
const OPEN = '<think>';
const CLOSE = '</think>';
const EITHER = /<think[\s>]|<\/think>/i;
/** By regular expressions: small letters may be more than the letters were, so places in them are others. */
const CLOSES = new Map(TAGS.map(([, close]) => [close, new RegExp(close.replace(/[|[\]]/g, '\\$&'), 'i')]));
/** White space before the first word, and where a tag may follow, is held back. Nobody needs more of it. */
const maxHeldSpace = 256;
const LINE_END = /^[ \t]{0,200}\r?\n/;

export interface TagListener {
  text(text: string): void;
  thinking(text: string): void;
  /** All that was text so far was thinking: its end came without a beginning, which stood in the prompt. */
  wasThinking(): void;
}

/**
 * Separates reasoning in `<think>`-style tags from the answer, in a stream whose chunks may split a tag. Only tags at
 * the head of the answer count: elsewhere they are quoted text. A closing tag alone ends thinking that the prompt began,
 * where it ends a line, nothing quotes it, no opening one stands before it, and thinking has no field of its own.
 * Owns a possible beginning of a tag.
 */
export class ThinkingTags {
  /** Whether such an answer begins inside the tags, as far as this one shows it. */
  beginsInside: boolean | undefined;
  private state: 'head' | 'thinking' | 'text' = 'head';
  private held = '';
  private close = CLOSE;
  /** Of an answer that is taken to begin inside the tags: all of it, until it is clear whether it does. */
  private assumed: string[] | null;
  private hasClosed = false;
  /** No closing tag counts any more. */
  private isSettled = false;
  private readonly line = new MarkdownLine();
  /** White space at the end of thinking belongs to the tag that may follow. */
  private space = '';
  private hasThought = false;
  private hasSpoken = false;

  /** @param beginsInside earlier answers of the model began inside the tags */
  constructor(
    private readonly listener: TagListener,
    beginsInside = false,
  ) {
    this.assumed = beginsInside ? [] : null;
  }

  add(text: string): void {
    const isPlain = this.state === 'text' && this.held === '' && (this.isSettled || !text.includes('<'));
    if (isPlain) return this.speak(text);
    this.held += text;
    for (let isMore = true; isMore && this.held !== '';) isMore = this.step();
  }

  /** Thinking comes in a field of its own, so what stands in the text is text. */
  settle(): void {
    this.isSettled = true;
    if (this.assumed === null || this.state !== 'head') return;
    this.assumed = null;
    this.beginsInside = false;
  }

  /** Nothing else comes. @param isWhole the answer was not cut */
  end(isWhole: boolean): void {
    const { held, assumed } = this;
    this.held = '';
    switch (this.state) {
      case 'head':
        return this.speak(this.hasClosed ? held.trimStart() : held);
      case 'thinking':
        this.think(held.trimEnd());
        if (assumed === null || !isWhole) return;
        // Nothing else was said, so it was no thinking.
        this.beginsInside = false;
        return this.speak(assumed.join(''));
      case 'text':
        if (held.length < CLOSE.length || this.isSettled) return this.speak(held);
        // Where nothing else was said it was no thinking, either.
        if (isWhole && this.hasSpoken) this.speak(held);
        else this.closeAlone();
    }
  }

  /** Settles what it can of what is held; whether more of it may be settled. */
  private step(): boolean {
    switch (this.state) {
      case 'head':
        return this.readHead();
      case 'thinking':
        return this.readThinking();
      case 'text':
        return this.readText();
    }
  }

  private readHead(): boolean {
    const start = this.held.trimStart();
    if (this.hasClosed) this.held = start;
    const isNear = this.held.length - start.length <= maxHeldSpace;
    const begin = start.slice(0, LONGEST).toLowerCase();
    const tag = isNear ? TAGS.find(([open]) => begin.startsWith(open)) : undefined;
    if (tag !== undefined) {
      this.state = 'thinking';
      this.close = tag[1];
      this.assumed = null;
      this.hasThought = false;
      this.held = start.slice(tag[0].length);
      return true;
    }
    if (isNear && TAGS.some(([open]) => open.startsWith(begin))) return false;
    this.state = this.assumed === null ? 'text' : 'thinking';
    return true;
  }

  private readThinking(): boolean {
    const at = CLOSES.get(this.close)?.exec(this.held)?.index;
    const sure = this.held.slice(0, at ?? this.held.length - partLength(this.held, this.close));
    const thought = sure.trimEnd();
    this.think(thought);
    this.held = this.held.slice(at === undefined ? sure.length : at + this.close.length);
    this.space = at === undefined ? this.space + sure.slice(thought.length) : '';
    if (at === undefined) return false;
    this.state = 'head';
    this.hasClosed = true;
    this.isSettled = true;
    if (this.assumed !== null) this.beginsInside = true;
    this.assumed = null;
    return true;
  }

  private readText(): boolean {
    const tag = this.isSettled ? null : EITHER.exec(this.held);
    if (tag === null) {
      const part = this.isSettled ? 0 : Math.max(partLength(this.held, OPEN), partLength(this.held, CLOSE));
      this.speakFirst(this.held.length - part);
      return false;
    }
    if (tag[0].length < CLOSE.length) {
      this.isSettled = true;
      return true;
    }
    this.speakFirst(tag.index);
    const after = this.held.slice(CLOSE.length);
    const isQuoted = this.line.isQuoting;
    if (!isQuoted && after.length <= maxHeldSpace && after.trim() === '') return false;
    // In the middle of a line it is what is talked of.
    if (!isQuoted && LINE_END.test(after)) this.closeAlone();
    else this.speakFirst(CLOSE.length);
    return true;
  }

  /** The end of thinking whose beginning nobody saw. */
  private closeAlone(): void {
    this.held = this.held.slice(CLOSE.length);
    this.state = 'head';
    this.hasClosed = true;
    this.isSettled = true;
    this.beginsInside = true;
    if (this.hasSpoken) this.listener.wasThinking();
  }

  private think(text: string): void {
    if (text === '') return;
    const said = this.hasThought ? this.space + text : text.trimStart();
    this.space = '';
    if (said === '') return;
    this.hasThought = true;
    this.assumed?.push(said);
    this.listener.thinking(said);
  }

  private speak(text: string): void {
    if (text === '') return;
    this.hasSpoken = true;
    if (!this.isSettled) this.line.add(text);
    this.listener.text(text);
  }

  private speakFirst(length: number): void {
    this.speak(this.held.slice(0, length));
    this.held = this.held.slice(length);
  }
}

/** How much of the end of a text may be the beginning of the tag. */
function partLength(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--)
    if (tag.startsWith(text.slice(-length).toLowerCase())) return length;
  return 0;
}
