/** A regular expression as far as texts can be made from it that it finds, or nearly. */
export type PatternTree =
  | { readonly kind: 'one'; readonly samples: readonly string[] }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'row'; readonly parts: readonly PatternTree[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternTree[] }
  | { readonly kind: 'repeat'; readonly part: PatternTree; readonly min: number; readonly max: number };

const NOTHING: PatternTree = { kind: 'nothing' };
/** What a class is asked for: what it takes of these stands for it, at most one of each line. */
const CANDIDATES: readonly (readonly string[])[] = [
  [...Array.from('aAedbcfghijklmnopqrstuvwxyzBCDEFGHIJKLMNOPQRSTUVWXYZ'), '\u0301', 'ß'],
  ['1', '0', '9'],
  [' ', '\n', '\t', '\r'],
  Array.from('.-_/:=+*\'"<>@#,;!?()[]{}|\\^$%&~`'),
  ['\0', '\u0085', '\u2028', '\ud800', '\u{1f600}', '“', '。', '长', '×'],
];

/** @throws Error where something is written that this cannot read: better than to hold less against it */
export function treeOf(source: string, flags: string): PatternTree {
  const reader = new Reader(source, flags);
  const tree = reader.choice();
  if (!reader.isAtEnd) throw new Error(`cannot read ${source} from ${reader.at}`);
  return tree;
}

class Reader {
  at = 0;
  private readonly flags: string;

  constructor(
    private readonly source: string,
    flags: string,
  ) {
    this.flags = flags.replace(/[gy]/g, '');
  }

  get isAtEnd(): boolean {
    return this.at >= this.source.length;
  }

  choice(): PatternTree {
    const options = [this.row()];
    while (this.took('|')) options.push(this.row());
    return options.length === 1 ? options[0]! : { kind: 'choice', options };
  }

  private row(): PatternTree {
    const parts: PatternTree[] = [];
    while (!this.isAtEnd && !this.isNext('|') && !this.isNext(')')) parts.push(this.repeated());
    return { kind: 'row', parts };
  }

  private repeated(): PatternTree {
    const part = this.part();
    const times = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.source.slice(this.at));
    if (times === null) return part;
    this.at += times[0].length;
    const [min, max] = boundsOf(times);
    return { kind: 'repeat', part, min, max };
  }

  private part(): PatternTree {
    const look = this.taken(/^\(\?<?[=!]/);
    const group = look ?? this.taken(/^\((?:\?:|\?<\w+>)?/);
    if (group !== undefined) {
      const inner = this.choice();
      if (!this.took(')')) throw new Error(`no end of a group in ${this.source} at ${this.at}`);
      return look === undefined ? inner : NOTHING;
    }
    if (this.taken(/^(?:[$^]|\\[bB])/) !== undefined) return NOTHING;
    const one = this.taken(
      /^(?:\[(?:[^\]\\]|\\[^])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\[^]|[^])/iu,
    );
    return { kind: 'one', samples: this.samplesOf(one!) };
  }

  private samplesOf(one: string): string[] {
    if (/^[^\\[.]$/u.test(one)) return [one];
    const alone = new RegExp(`^(?:${one})$`, this.flags);
    const written = Array.from(one).filter((char) => alone.test(char));
    const found = [...CANDIDATES, written].flatMap((line) => line.find((char) => alone.test(char)) ?? []);
    const samples = [...new Set([...found, ...written.slice(0, 3)])];
    if (samples.length === 0) samples.push(...firstOf(alone));
    if (samples.length === 0) throw new Error(`no character for ${one} in ${this.source}`);
    return samples;
  }

  private isNext(char: string): boolean {
    return this.source[this.at] === char;
  }

  private took(char: string): boolean {
    if (!this.isNext(char)) return false;
    this.at += 1;
    return true;
  }

  private taken(pattern: RegExp): string | undefined {
    const text = pattern.exec(this.source.slice(this.at))?.[0];
    this.at += text?.length ?? 0;
    return text;
  }
}

function boundsOf([all, from, comma, to]: RegExpExecArray): readonly [number, number] {
  if (all.startsWith('*')) return [0, Infinity];
  if (all.startsWith('+')) return [1, Infinity];
  if (all.startsWith('?')) return [0, 1];
  const min = Number(from);
  if (to !== '') return [min, Number(to)];
  return [min, comma === '' ? min : Infinity];
}

function firstOf(alone: RegExp): string[] {
  for (let code = 0; code < 0x3000; code++) {
    const char = String.fromCodePoint(code);
    if (alone.test(char)) return [char];
  }
  return [];
}
