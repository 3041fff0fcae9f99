import { RE2JS } from 're2js';

/** Characters of a pattern. */
const MAX_PATTERN = 1000;
/** Instructions; `[a-z]{1,300}` has about 600. */
const MAX_PROGRAM = 2500;

/** A `pattern` of a JSON schema on a linear-time engine (RE2), safe from catastrophic backtracking. */
export class LinearPattern {
  private constructor(
    private readonly source: string,
    private readonly compiled: RE2JS,
  ) {}

  /** null: the engine does not support it, or only with too much memory. */
  static compile(source: string): LinearPattern | null {
    if (source.length > MAX_PATTERN) return null;
    try {
      const compiled = RE2JS.compile(RE2JS.translateRegExp(translated(source)));
      return compiled.programSize() > MAX_PROGRAM ? null : new LinearPattern(source, compiled);
    } catch {
      return null;
    }
  }

  /** Instructions of its program: what it costs to have it. */
  get size(): number {
    return this.compiled.programSize();
  }

  /** Whether it is found anywhere in the text. */
  test(text: string): boolean {
    return this.compiled.test(text);
  }

  /** Ajv tells patterns apart by this. */
  toString(): string {
    return this.source;
  }
}

/** What RE2 writes in another way. A back-reference by name would be taken for letters otherwise; `\Z` is Python's. */
function translated(source: string): string {
  return source
    .replaceAll(/\\k(?=<)/g, '\\1')
    .replaceAll('\\Z', '\\z')
    .replaceAll(/(\\[pP])\{(?:Script|sc|General_Category|gc)=(\w+)\}/g, '$1{$2}');
}
