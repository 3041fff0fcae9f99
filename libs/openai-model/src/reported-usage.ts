import type { Usage } from '#agent';
import type { Choice, Chunk } from './answer-chunk.js';
import { isObject } from './merged-value.js';

/** A larger count is none. */
const MAX_COUNT = 1_000_000_000;
/** Counts that are kept of one call, and characters of a name: together less than 1 KB of JSON. */
const MAX_NAMES = 24;
const NAME = /^[a-z][a-z0-9_]{0,31}$/i;
const MAX_REPORTED_CHARS = 1_024;

/** By which names servers tell of a count: the first that is there counts. */
const INPUT = ['prompt_tokens', 'input_tokens'];
const OUTPUT = ['completion_tokens', 'output_tokens'];
const CACHED = [
  'prompt_tokens_details.cached_tokens',
  'input_tokens_details.cached_tokens',
  'cache_read_input_tokens',
  'prompt_cache_hit_tokens',
  'cached_tokens',
];
const CACHE_WRITE = [
  'cache_creation_input_tokens',
  'prompt_tokens_details.cache_write_tokens',
  'prompt_tokens_details.cache_creation_tokens',
  'input_tokens_details.cache_write_tokens',
  'input_tokens_details.cache_creation_tokens',
];
const REASONING = [
  'completion_tokens_details.reasoning_tokens',
  'output_tokens_details.reasoning_tokens',
  'reasoning_tokens',
];

/** What was asked and said, in tokens, where the server does not count. */
export interface Estimate {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The counts of one call, as its server names them. Owns what was told so far: of what is told again the last holds. */
export class ReportedUsage {
  private readonly counts = new Map<string, number>();

  /** Returns whether the chunk tells of input and output. */
  take(chunk: Chunk, choice: Choice | undefined): boolean {
    const { x_groq: groq, message } = chunk as { readonly x_groq?: unknown; readonly message?: unknown };
    let isWhole = false;
    for (const holder of [message, groq, choice, chunk]) {
      const usage = isObject(holder) ? holder['usage'] : undefined;
      if (!isObject(usage)) continue;
      this.note(usage, '');
      isWhole ||= INPUT.some((name) => isCount(usage[name])) && OUTPUT.some((name) => isCount(usage[name]));
    }
    return isWhole;
  }

  get isEmpty(): boolean {
    return this.counts.size === 0;
  }

  /** The counts by the names that are usual here, each part within its whole. */
  usage(estimate: Estimate): Usage {
    const told = { input: this.first(INPUT), output: this.first(OUTPUT) };
    const cached = this.first(CACHED);
    const written = this.first(CACHE_WRITE);
    const reasoning = this.first(REASONING);
    let input = told.input ?? estimate.inputTokens;
    let output = told.output ?? estimate.outputTokens;
    // Some servers count what was cached beside the rest, and others what was thought.
    const parts = (cached ?? 0) + (written ?? 0);
    if (parts > input) input += parts;
    if (reasoning !== undefined && reasoning > output) output += reasoning;
    // Some tell of it in the total alone.
    output = Math.max(output, (this.counts.get('total_tokens') ?? 0) - input);
    return {
      inputTokens: input,
      outputTokens: output,
      ...(cached === undefined ? {} : { cachedInputTokens: cached }),
      ...(written === undefined ? {} : { cacheWriteTokens: written }),
      ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
      estimated: told.input === undefined || told.output === undefined,
      reported: this.reported,
    };
  }

  private get reported(): Readonly<Record<string, number>> {
    const kept: Record<string, number> = {};
    let chars = 2;
    for (const [name, count] of this.counts) {
      chars += JSON.stringify(name).length + String(count).length + 2;
      if (chars > MAX_REPORTED_CHARS) break;
      kept[name] = count;
    }
    return kept;
  }

  private note(usage: Readonly<Record<string, unknown>>, prefix: string): void {
    for (const [name, value] of Object.entries(usage)) {
      if (!NAME.test(name)) continue;
      if (isCount(value)) this.keep(prefix + name, value);
      else if (prefix === '' && isObject(value)) this.note(value, `${name}.`);
    }
  }

  private keep(name: string, count: number): void {
    if (this.counts.has(name) || this.counts.size < MAX_NAMES) this.counts.set(name, count);
  }

  private first(names: readonly string[]): number | undefined {
    return names.map((name) => this.counts.get(name)).find((count) => count !== undefined);
  }
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT;
