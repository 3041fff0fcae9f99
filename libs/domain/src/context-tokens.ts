import type { ModelCall } from './money/model-call.js';

/** What a token counts before a model has told. */
const CHARS_OF_TOKEN = 4;
/** No tokenizer makes more of it, or less: a server that says so counts something else. */
const LEAST = 0.1;
const MOST = 16;

/**
 * How many tokens characters are, as each model counted them last. Owns the last counts of each: the same for everybody who
 * has read the same events.
 */
export class TokenScale {
  /** Characters of a token. */
  private readonly counted = new Map<string, number>();

  note({ model, input_tokens: tokens, request_chars: chars = 0, estimated }: ModelCall): void {
    const ratio = chars / tokens;
    if (estimated !== true && ratio >= LEAST && ratio <= MOST) this.counted.set(model, ratio);
  }

  forget(): void {
    this.counted.clear();
  }

  tokensOf(model: string, chars: number): number {
    return Math.ceil(chars / this.charsOfToken(model));
  }

  charsOf(model: string, tokens: number): number {
    return tokens * this.charsOfToken(model);
  }

  private charsOfToken(model: string): number {
    return this.counted.get(model) ?? CHARS_OF_TOKEN;
  }
}
