/** So much of a line tells what it is. */
const MAX_HELD = 256;
/** CommonMark 0.31, 4.5, also in lists and quotes of any depth: what it opens with; its info string stands behind. */
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})/;
/** Before what stands alone in a line: an item of a list, a quote, or code by its indentation. */
const MARKED = /^(?:[ \t]*(?:>.*|[-*+][ \t]+|\d{1,9}[.)][ \t]+)|(?: {4}| {0,3}\t)[ \t]*)$/;

/**
 * Follows a Markdown text that comes in pieces, to tell what is quoted in it. Owns the beginning of the last line and the
 * fence that is open. Inline code is followed to the end of its line, not beyond.
 */
export class MarkdownLine {
  private line = '';
  private backticks = 0;
  private fence: string | null = null;

  add(text: string): void {
    let from = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      this.grow(text.slice(from, at));
      this.endLine();
      from = at + 1;
    }
    this.grow(text.slice(from));
  }

  /** Whether what comes next is in code or a quote, or an item of a list by itself. */
  get isQuoting(): boolean {
    return this.fence !== null || this.backticks % 2 === 1 || MARKED.test(this.line);
  }

  private grow(text: string): void {
    if (this.line.length < MAX_HELD) this.line += text.slice(0, MAX_HELD - this.line.length);
    for (let at = text.indexOf('`'); at >= 0; at = text.indexOf('`', at + 1)) this.backticks += 1;
  }

  private endLine(): void {
    const line = this.line.trimEnd();
    const [fence = '', marks = ''] = FENCE.exec(line) ?? [];
    const info = line.slice(fence.length);
    this.line = '';
    this.backticks = 0;
    if (marks === '') return;
    if (this.fence === null) {
      // Backticks behind backticks are inline code.
      if (marks.startsWith('~') || !info.includes('`')) this.fence = marks;
    } else if (info === '' && marks.startsWith(this.fence)) this.fence = null;
  }
}
