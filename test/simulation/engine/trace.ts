/** What happened, in order: always as a hash, as text only where somebody will read it. */
export class Trace {
  readonly lines: TraceLine[] = [];
  private h1 = 0x811c9dc5;
  private h2 = 0x1000193;

  constructor(private readonly isKept: boolean) {}

  add(time: number, who: string, what: string): void {
    this.mix(who);
    this.mix(what);
    this.h1 = Math.imul(this.h1 ^ (time % 0x7fffffff), 0x01000193);
    if (this.isKept) this.lines.push({ time, who, what });
  }

  /** A remark that only readers of the text need. */
  note(time: number, who: string, what: () => string): void {
    if (this.isKept) this.lines.push({ time, who, what: `  ${what()}` });
  }

  get hash(): string {
    return (this.h1 >>> 0).toString(16).padStart(8, '0') + (this.h2 >>> 0).toString(16).padStart(8, '0');
  }

  private mix(text: string): void {
    let { h1, h2 } = this;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      h1 = Math.imul(h1 ^ unit, 0x01000193);
      h2 = Math.imul(h2 ^ unit, 0x5bd1e995) ^ (h2 >>> 15);
    }
    this.h1 = h1;
    this.h2 = h2;
  }
}

export interface TraceLine {
  readonly time: number;
  readonly who: string;
  readonly what: string;
}
