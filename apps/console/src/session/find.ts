import { isFileRef } from '#domain/browser';
import { isPiece } from './lanes.js';
import type { Contents, Found } from './found.js';
import type { LogEvent } from './log-event.js';

/**
 * The events whose texts hold what is looked for, whatever the case. What was streamed in pieces is found across them, and
 * counts to the piece in which it begins.
 */
export function findIn(events: readonly LogEvent[], query: string, contents: Contents = new Map()): Found {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return { matches: [], unsearched: 0 };
  const long = new LongTexts(events, contents);
  const found = new Set(matchesOfBlocks(events, wanted));
  for (const [index, event] of events.entries())
    if ((pieceOf(event) === null && isIn(event, wanted)) || long.isIn(event, wanted)) found.add(index);
  return { matches: [...found].sort((a, b) => a - b), unsearched: long.unread.size };
}

function* matchesOfBlocks(events: readonly LogEvent[], wanted: string): Generator<number> {
  const blocks = new Map<string, Block>();
  for (const [index, event] of events.entries()) {
    const { run = '', type } = event;
    const piece = pieceOf(event);
    const block = blocks.get(run);
    if (piece !== null && block?.type === type) {
      block.add(index, piece);
      continue;
    }
    // A piece goes on until its run does something else.
    if (block !== undefined && (piece !== null || event.run !== undefined)) {
      yield* block.matches(wanted);
      blocks.delete(run);
    }
    if (piece !== null) blocks.set(run, new Block(type, index, piece));
  }
  for (const block of blocks.values()) yield* block.matches(wanted);
}

/** Texts that are too long for the log's stream, or lie in files: one file may be of several events. */
class LongTexts {
  /** What was looked into without its text, each once. */
  readonly unread = new Set<string>();
  private readonly files = new Map<string, string>();

  constructor(
    events: readonly LogEvent[],
    private readonly contents: Contents,
  ) {
    for (const [index, content] of contents) {
      const file = events[index] === undefined ? null : fileOf(events[index]);
      if (file !== null) this.files.set(file, content);
    }
  }

  isIn(event: LogEvent, wanted: string): boolean {
    const file = fileOf(event);
    const isCut = event.data === null && event.line.head !== undefined;
    if (file === null && !isCut) return false;
    const content = this.contents.get(event.id) ?? this.files.get(file ?? '');
    if (content === undefined) this.unread.add(file ?? `event ${event.id}`);
    return content?.toLowerCase().includes(wanted) ?? false;
  }
}

/** The file that an event names. Nobody's text can: its quotes would be escaped. */
const fileOf = ({ line: { text = '' } }: LogEvent): string | null =>
  text.includes('"$file"') ? (/"\$file":"([^"]+)"/.exec(text)?.[1] ?? null) : null;

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
