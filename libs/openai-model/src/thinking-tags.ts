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
const CLOSE = '</think>';
/** White space before the first word is held back: it may stand before a tag. Nobody needs more of it. */
const maxHeldSpace = 256;

export interface TagListener {
  text(text: string): void;
  thinking(text: string): void;
  /** All that was text so far was thinking: its end came without a beginning, which stood in the prompt. */
  wasThinking(): void;
}

/**
 * Separates reasoning in `<think>`-style tags from the answer, in a stream whose chunks may split a tag. Only tags at
 * the head of the answer count: elsewhere they are quoted text. Owns a possible beginning of a tag.
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
    const isPlain = this.state === 'text' && this.held === '' && (this.hasClosed || !text.includes('<'));
    if (isPlain) return this.speak(text);
    this.held += text;
    for (let isMore = true; isMore && this.held !== '';) isMore = this.step();
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
        if (held.toLowerCase() === CLOSE) this.closeAlone();
        else this.speak(held);
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
    const begin = start.slice(0, LONGEST).toLowerCase();
    const tag = TAGS.find(([open]) => begin.startsWith(open));
    if (tag !== undefined) {
      this.state = 'thinking';
      this.close = tag[1];
      this.assumed = null;
      this.hasThought = false;
      this.held = start.slice(tag[0].length);
      return true;
    }
    const mayBecome =
      start === '' ? this.held.length <= maxHeldSpace : TAGS.some(([open]) => open.startsWith(begin));
    if (mayBecome) return false;
    this.state = this.assumed === null ? 'text' : 'thinking';
    if (this.hasClosed) this.held = start;
    return true;
  }

  private readThinking(): boolean {
    const at = this.held.toLowerCase().indexOf(this.close);
    const isClosed = at >= 0;
    const sure = isClosed ? at : this.held.length - partLength(this.held, this.close);
    const thought = this.held.slice(0, sure).trimEnd();
    this.think(thought);
    // White space at its end is held back: it belongs to the tag that may follow.
    this.held = this.held.slice(isClosed ? at + this.close.length : thought.length);
    if (!isClosed) return false;
    this.state = 'head';
    this.hasClosed = true;
    if (this.assumed !== null) this.beginsInside = true;
    this.assumed = null;
    return true;
  }

  private readText(): boolean {
    const at = this.hasClosed ? -1 : this.held.toLowerCase().indexOf(CLOSE);
    if (at < 0) {
      this.speakFirst(this.held.length - (this.hasClosed ? 0 : partLength(this.held, CLOSE)));
      return false;
    }
    this.speakFirst(at);
    const after = this.held.slice(CLOSE.length);
    if (after === '') return false;
    // In the middle of a line it is what is talked of.
    if (/^\r?\n/.test(after)) this.closeAlone();
    else this.speakFirst(CLOSE.length);
    return true;
  }

  /** The end of thinking whose beginning nobody saw. */
  private closeAlone(): void {
    this.held = this.held.slice(CLOSE.length);
    this.state = 'head';
    this.hasClosed = true;
    this.beginsInside = true;
    if (this.hasSpoken) this.listener.wasThinking();
  }

  private think(text: string): void {
    const said = this.hasThought ? text : text.trimStart();
    if (said === '') return;
    this.hasThought = true;
    this.assumed?.push(said);
    this.listener.thinking(said);
  }

  private speak(text: string): void {
    if (text === '') return;
    this.hasSpoken = true;
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
