/** What a piece of a row's bar stands for. */
export type BarKind = 'queue' | 'pause' | 'thinking' | 'answer' | 'tool' | 'wait' | 'silence' | 'failed';

export interface Bar {
  readonly kind: BarKind;
  /** ms since 1970 */
  readonly start: number;
  /** null: it goes on. */
  readonly end: number | null;
}

export type RowKind =
  'queued' | 'turn' | 'tool' | 'step' | 'taken over' | 'waiting' | 'steered' | 'compacted';

/** What is said of a row besides: words, what it cost in US dollars, or the key that decided. */
export type Note = string | { readonly cost: string } | { readonly decision: string; readonly by: string };

/** A row of a run's waterfall. */
export interface WaterfallRow {
  readonly kind: RowKind;
  /** As its first cell says it: `queued`, `turn 2`, the name of a tool. */
  readonly name: string;
  /** 0: of the run itself; one more for each row that it stands under. */
  readonly depth: number;
  /** Id of the event that it began with. */
  readonly event: number;
  /** ms since 1970 */
  readonly start: number;
  /** null: it goes on. */
  readonly end: number | null;
  readonly bars: readonly Bar[];
  readonly notes: readonly Note[];
  /** A person or a program has to decide, or it failed. */
  readonly tone: 'plain' | 'warn' | 'bad';
  /** Nobody knows when it ended, or whether it did. */
  readonly isUntold: boolean;
}

/** How long a row took, in ms; null: it goes on, or nobody can tell. */
export const tookMs = ({ start, end, isUntold }: WaterfallRow): number | null =>
  end === null || isUntold ? null : end - start;

/** A row while it is folded. Owns its bars; at most the last one is open. */
export class OpenRow {
  readonly children: OpenRow[] = [];
  readonly notes: Note[] = [];
  private readonly bars: { kind: BarKind; start: number; end: number | null }[] = [];
  private end: number | null = null;
  tone: WaterfallRow['tone'] = 'plain';
  isUntold = false;

  constructor(
    readonly kind: RowKind,
    public name: string,
    readonly event: number,
    readonly start: number,
  ) {}

  get isOpen(): boolean {
    return this.end === null;
  }

  get lastBar(): Bar | undefined {
    return this.bars.at(-1);
  }

  /** The moment at which a piece of this kind began first. */
  firstOf(...kinds: readonly BarKind[]): number | null {
    return this.bars.find(({ kind }) => kinds.includes(kind))?.start ?? null;
  }

  /** Ends the piece that is open, and begins one; a piece that goes on in its own kind is one. */
  begin(kind: BarKind, time: number): void {
    if (this.lastBar?.kind === kind && this.lastBar.end === null) return;
    this.pause(time);
    this.bars.push({ kind, start: time, end: null });
  }

  /** Ends the piece that is open; the row goes on. */
  pause(time: number): void {
    const last = this.bars.at(-1);
    if (last !== undefined) last.end ??= time;
  }

  /** The row, and all that stands under it, is over. */
  close(time: number): void {
    if (!this.isOpen) return;
    for (const child of this.children) child.close(time);
    this.pause(time);
    this.end = time;
  }

  note(...notes: readonly Note[]): void {
    this.notes.push(...notes.filter((note) => note !== '' && !this.notes.includes(note)));
  }

  fail(note: string): void {
    this.tone = 'bad';
    this.note(note);
  }

  add(child: OpenRow): OpenRow {
    this.children.push(child);
    return child;
  }

  /** It and those under it, from top to bottom. */
  rows(depth = 0): WaterfallRow[] {
    const { kind, name, event, start, end, notes, tone, isUntold } = this;
    const bars = this.bars.map((bar) => ({ ...bar }));
    const own = { kind, name, depth, event, start, end, bars, notes: [...notes], tone, isUntold };
    return [own, ...this.children.flatMap((child) => child.rows(depth + 1))];
  }
}
