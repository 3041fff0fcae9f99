import type { ModelPiece } from '#agent';
import { cleanText } from '#platform';

export type Spoken = Exclude<ModelPiece, { kind: 'end' }>;
type MergedPiece = { kind: 'text' | 'thinking'; text: string } | { kind: 'was_thinking' };

/** What was said since it was taken last, merged per kind. Owns the half of an emoji whose other half is still to come. */
export class SpokenPieces {
  private pieces: MergedPiece[] = [];
  private held: { kind: 'text' | 'thinking'; text: string } | undefined;

  add(kind: 'text' | 'thinking', text: string): void {
    const last = this.pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else this.pieces.push({ kind, text });
  }

  /** The text so far was thinking. */
  turn(): void {
    this.pieces.push({ kind: 'was_thinking' });
  }

  /** Without half an emoji at their end: servers cut between tokens, not characters. */
  take(): Spoken[] {
    const { held, pieces } = this;
    if (pieces.length === 0) return [];
    this.pieces = [];
    const first = pieces[0];
    if (held !== undefined && first?.kind === held.kind) first.text = held.text + first.text;
    else if (held !== undefined) pieces.unshift(held);
    const last = pieces.at(-1);
    this.held = undefined;
    if (last !== undefined && last.kind !== 'was_thinking' && /[\ud800-\udbff]$/.test(last.text)) {
      this.held = { kind: last.kind, text: last.text.slice(-1) };
      last.text = last.text.slice(0, -1);
    }
    for (const piece of pieces) if (piece.kind !== 'was_thinking') piece.text = cleanText(piece.text);
    return pieces.filter((piece) => piece.kind === 'was_thinking' || piece.text !== '');
  }

  /** All that is left: nothing else comes. */
  rest(): Spoken[] {
    const pieces = this.take();
    if (this.held !== undefined) pieces.push({ kind: this.held.kind, text: cleanText(this.held.text) });
    return pieces;
  }
}
