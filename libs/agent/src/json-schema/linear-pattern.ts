import { RE2JS } from 're2js';
import type { WorkBudget } from './work-budget.js';

/** Characters of a pattern. */
const MAX_PATTERN = 1000;
/** Instructions; `[a-z]{1,300}` has about 600. */
const MAX_PROGRAM = 2500;
/** Matching takes a step for each character and instruction at worst; so many of them are a unit of work. */
const STEPS_PER_UNIT = 500;

/** A pattern of a JSON schema on an engine that needs linear time, whatever the text. */
export class LinearPattern {
  private constructor(
    private readonly source: string,
    private readonly compiled: RE2JS,
    private readonly budget: WorkBudget,
  ) {}

  /** Returns why it is refused as a string. */
  static compile(source: string, budget: WorkBudget): LinearPattern | string {
    if (source.length > MAX_PATTERN) return `is a pattern of more than ${MAX_PATTERN} characters`;
    const fault = ecmaFault(source);
    if (fault !== null) return `is not a regular expression: ${fault}`;
    try {
      const compiled = RE2JS.compile(RE2JS.translateRegExp(translated(source)));
      if (compiled.programSize() > MAX_PROGRAM) return 'is a pattern that repeats too much';
      return new LinearPattern(source, compiled, budget);
    } catch (error) {
      const said = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : '';
      return `is a pattern that needs more than linear time, or a feature that is not supported: ${said}`;
    }
  }

  /** Instructions of its program: what it costs to have it. */
  get size(): number {
    return this.compiled.programSize();
  }

  /** Whether it is found anywhere in the text. @throws TooMuchWork */
  test(text: string): boolean {
    this.budget.spend(Math.ceil((text.length * this.size) / STEPS_PER_UNIT));
    return this.compiled.test(text);
  }

  /** Ajv tells patterns apart by this. */
  toString(): string {
    return this.source;
  }
}

/** JSON Schema's patterns are ECMA-262's, with `u`; most that are written without it in mind are taken, too. */
function ecmaFault(source: string): string | null {
  try {
    void new RegExp(source, 'u');
    return null;
  } catch {
    try {
      void new RegExp(source);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : '';
    }
  }
}

/** What RE2 writes in another way. A back-reference by name would be taken for letters otherwise. */
function translated(source: string): string {
  return source
    .replaceAll(/\\k(?=<)/g, '\\1')
    .replaceAll(/(\\[pP])\{(?:Script|sc|General_Category|gc)=(\w+)\}/g, '$1{$2}');
}
