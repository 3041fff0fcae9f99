/** A server whose chunks differ in more than their text (a timestamp, padding) is not worth looking at for longer. */
const maxMisses = 8;

/**
 * Most chunks of an answer are the same JSON but for their text. Once one of them has been parsed, a chunk that begins and
 * ends as it did, with a plain JSON string in between, needs no parsing: a third of the CPU of reading an answer.
 */
export class TextFrame {
  private before = '';
  private after = '';
  private isLearnt = false;
  private misses = 0;

  /**
   * The text of a chunk that differs from the learnt one in nothing else; undefined: it must be parsed. The text is made
   * anew: a slice would keep the chunk in memory, and texts are kept as long as their run.
   */
  textOf(data: string): string | undefined {
    if (!this.isLearnt) return undefined;
    const { before, after } = this;
    const end = data.length - after.length;
    if (end > before.length && data.startsWith(before) && data.endsWith(after)) {
      if (isPlain(data.slice(before.length, end)))
        return JSON.parse(data.slice(before.length - 1, end + 1)) as string;
    } else this.isLearnt = ++this.misses < maxMisses;
    return undefined;
  }

  /** @param text what the chunk says, and all that it says */
  learn(data: string, text: string): void {
    if (this.misses >= maxMisses || !isPlain(text)) return;
    const quoted = `"${text}"`;
    const at = data.indexOf(quoted);
    // Twice the same string: it is not clear which of the two is the text.
    if (at < 0 || data.includes(quoted, at + 1)) return;
    this.before = data.slice(0, at + 1);
    this.after = data.slice(at + quoted.length - 1);
    this.isLearnt = true;
  }
}

// eslint-disable-next-line no-control-regex
const special = /["\\\u0000-\u001f]/;

/** Stands between the quotes of JSON as it is: no quote, no escape, no control character. */
const isPlain = (text: string): boolean => !special.test(text);
