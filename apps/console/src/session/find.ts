import { isFileRef } from '#domain/browser';
import { isPiece } from './lanes.js';
import type { LogEvent } from './log-event.js';

/**
 * Indexes of the events whose texts hold what is looked for, whatever the case, rising and each once. What was streamed in
 * pieces is found across them, and counts to the piece in which it begins.
 */
export function findIn(events: readonly LogEvent[], query: string): readonly number[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return [];
  const found = new Set<number>();
  const blocks = new Map<string, Block>();
  for (const [index, event] of events.entries()) {
    const { run = '', type } = event;
    const piece = pieceOf(event);
    const block = blocks.get(run);
    if (piece === null) {
      if (event.run !== undefined && block !== undefined) {
        for (const at of block.matches(wanted)) found.add(at);
        blocks.delete(run);
      }
      if (isIn(event, wanted)) found.add(index);
    } else if (block?.type === type) block.add(index, piece);
    else {
      if (block !== undefined) for (const at of block.matches(wanted)) found.add(at);
      blocks.set(run, new Block(type, index, piece));
    }
  }
  for (const block of blocks.values()) for (const at of block.matches(wanted)) found.add(at);
  return [...found].sort((a, b) => a - b);
}

function pieceOf({ known, type }: LogEvent): string | null {
  if (!isPiece(type) || known === null) return null;
  const { content } = known.data as { readonly content?: unknown };
  return typeof content === 'string' ? content : null;
}

/** Pieces of one text. */
class Block {
  private readonly starts: number[] = [0];
  private readonly indexes: number[];
  private text: string;

  constructor(
    readonly type: string,
    index: number,
    piece: string,
  ) {
    this.indexes = [index];
    this.text = piece.toLowerCase();
  }

  add(index: number, piece: string): void {
    this.starts.push(this.text.length);
    this.indexes.push(index);
    this.text += piece.toLowerCase();
  }

  *matches(wanted: string): Generator<number> {
    let piece = 0;
    for (let at = this.text.indexOf(wanted); at >= 0; at = this.text.indexOf(wanted, at + 1)) {
      while ((this.starts[piece + 1] ?? Infinity) <= at) piece += 1;
      yield this.indexes[piece] ?? 0;
    }
  }
}

const isIn = ({ type, data, line }: LogEvent, wanted: string): boolean =>
  type.includes(wanted) ||
  (data === null ? (line.head ?? '').toLowerCase().includes(wanted) : holds(data, wanted));

/** Texts and numbers that stand in a value, however deep; JSON in a text is read as its text. */
function holds(value: unknown, wanted: string, depth = 0): boolean {
  if (typeof value === 'string') {
    if (value.toLowerCase().includes(wanted)) return true;
    return /^[[{]/.test(value) && value.includes('\\') && holdsJson(value, wanted, depth);
  }
  if (typeof value === 'number') return String(value).includes(wanted);
  if (typeof value !== 'object' || value === null || depth > 8) return false;
  if (isFileRef(value)) return false;
  return Object.values(value).some((part) => holds(part, wanted, depth + 1));
}

function holdsJson(text: string, wanted: string, depth: number): boolean {
  try {
    return holds(JSON.parse(text) as unknown, wanted, depth + 1);
  } catch {
    return false;
  }
}
