import { LinearPattern } from './linear-pattern.js';

/** The interface that Ajv expects of a regular expression. */
export interface Pattern {
  test(text: string): boolean;
  toString(): string;
}

/** Instructions of all patterns of a schema that are run in linear time; what is beyond costs too much memory. */
const MAX_PROGRAMS = 10_000;

/**
 * The patterns of one schema. Those with look-around or back-references need JavaScript's engine, which may take
 * exponential time: validation has a time limit, and may skip them.
 */
export class Patterns {
  private readonly known = new Map<string, Pattern>();
  private programs = 0;
  /** Those that take more than linear time. */
  readonly costly: string[] = [];
  /** While true, the costly ones are found in every text. */
  isWithoutCostly = false;

  /** null: it stands for itself. Otherwise what is wrong with it. */
  add(source: string): string | null {
    if (this.known.has(source)) return null;
    const linear = LinearPattern.compile(source);
    const ours = ecmaPattern(source);
    if (linear !== null && this.programs + linear.size <= MAX_PROGRAMS) {
      this.programs += linear.size;
      this.known.set(source, linear);
      return null;
    }
    if (typeof ours === 'string') return `is not a regular expression: ${ours}`;
    this.costly.push(source);
    this.known.set(source, {
      test: (text) => this.isWithoutCostly || ours.test(text),
      toString: () => source,
    });
    return null;
  }

  /** @throws Error where it is none */
  get(source: string): Pattern {
    const fault = this.add(source);
    if (fault !== null) throw new Error(`${source.slice(0, 100)} ${fault}`);
    return this.known.get(source)!;
  }
}

/** JSON Schema's patterns are ECMA-262's, with `u`; most that are written without it in mind are taken, too. Or why not. */
function ecmaPattern(source: string): RegExp | string {
  try {
    return new RegExp(source, 'u');
  } catch {
    try {
      return new RegExp(source);
    } catch (error) {
      return error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : '';
    }
  }
}
