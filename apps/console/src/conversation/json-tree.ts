/** JSON text as a tree whose leaves are the very characters that stand in it: no number loses a digit. */
export type JsonNode =
  | { readonly kind: 'string' | 'number' | 'word'; readonly raw: string }
  /** Nested too deep, or too much: as it stands. */
  | { readonly kind: 'raw'; readonly raw: string }
  | { readonly kind: 'object' | 'array'; readonly members: readonly JsonMember[] };

export interface JsonMember {
  /** JSON text of the name, with its quotes; null: of an array. */
  readonly key: string | null;
  readonly value: JsonNode;
}

/** Levels that are taken apart; what is deeper is text. */
const MAX_LEVELS = 12;
/** Values that are taken apart: each is an element or two. */
const MAX_VALUES = 120;

/** null: the text is no JSON. */
export function jsonTree(text: string): JsonNode | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  return new Reader(text).value(1);
}

/** A string's own characters; of other values their JSON text. */
export const plainText = (node: JsonNode): string =>
  node.kind === 'string' ? (JSON.parse(node.raw) as string) : rawOf(node);

/** The JSON text of a tree, without white space. */
export function rawOf(node: JsonNode): string {
  if ('raw' in node) return node.raw;
  const [open, close] = node.kind === 'object' ? '{}' : '[]';
  const members = node.members.map(({ key, value }) => (key === null ? '' : `${key}:`) + rawOf(value));
  return `${open}${members.join(',')}${close}`;
}

const STRING = /"(?:[^"\\]|\\.)*"/suy;
const SCALAR = /[^\s,\]}]+/uy;
const SPACE = /\s*/uy;

/** Reads text that is known to be JSON. */
class Reader {
  private at = 0;
  private values = 0;

  constructor(private readonly text: string) {}

  value(level: number): JsonNode {
    this.take(SPACE);
    const first = this.text[this.at];
    this.values += 1;
    if (first === '"') return { kind: 'string', raw: this.take(STRING) };
    if (first !== '{' && first !== '[') {
      const raw = this.take(SCALAR);
      return { kind: /^[-\d]/.test(raw) ? 'number' : 'word', raw };
    }
    if (level > MAX_LEVELS || this.values > MAX_VALUES) return { kind: 'raw', raw: this.skip() };
    return { kind: first === '{' ? 'object' : 'array', members: this.members(level, first === '{') };
  }

  private members(level: number, isObject: boolean): readonly JsonMember[] {
    const members: JsonMember[] = [];
    this.at += 1;
    for (;;) {
      this.take(SPACE);
      const next = this.text[this.at];
      if (next === '}' || next === ']') {
        this.at += 1;
        return members;
      }
      if (next === ',') {
        this.at += 1;
        continue;
      }
      if (this.values > MAX_VALUES)
        return [...members, { key: null, value: { kind: 'raw', raw: this.rest() } }];
      members.push(
        isObject
          ? { key: this.key(), value: this.value(level + 1) }
          : { key: null, value: this.value(level + 1) },
      );
    }
  }

  private key(): string {
    const key = this.take(STRING);
    this.take(SPACE);
    this.at += 1;
    return key;
  }

  /** A value of any depth, as it stands. */
  private skip(): string {
    const from = this.at;
    this.skipTo(0);
    return this.text.slice(from, this.at);
  }

  /** What is left of the members, without the bracket that closes them. */
  private rest(): string {
    const from = this.at;
    this.skipTo(1);
    return this.text.slice(from, this.at - 1);
  }

  /** Behind the bracket that closes the outermost of those that are open. */
  private skipTo(open: number): void {
    let depth = open;
    do {
      const character = this.text[this.at];
      if (character === '"') this.take(STRING);
      else {
        if (character === '{' || character === '[') depth += 1;
        if (character === '}' || character === ']') depth -= 1;
        this.at += 1;
      }
    } while (depth > 0 && this.at < this.text.length);
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }
}
