import type { ModelPiece } from '#agent';

export type FinishReason = Extract<ModelPiece, { kind: 'end' }>['finishReason'];

/** What servers put there while the answer goes on. */
const NOT_YET = /^(null|none|nil|undefined|unspecified|finish_reason_unspecified|in_progress)?$/i;
/** The answer broke off on the server's side: it is not whole, and asking again may help. */
const BROKEN =
  /^(error|abort(ed)?|network_error|insufficient_system_resources?|malformed_function_call|cancell?ed)$/i;
const LENGTH =
  /^(length|max_?(output_|completion_|new_)?tokens|model_length|max_length|incomplete|(model_)?context_(window|length)(_exceeded)?)$/i;
const FILTERED = /filter|^(safety|recitation|sensitive|blocklist|prohibited_content|spii|refusal)$/i;

/** The word that ends an answer, where it does. */
export function finishWord(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined;
  const word = given.trim();
  return NOT_YET.test(word) ? undefined : word;
}

export const isBrokenOff = (word: string): boolean => BROKEN.test(word);

export function finishReasonOf(word: string | undefined, hasCalls: boolean): FinishReason {
  if (word !== undefined && LENGTH.test(word)) return 'length';
  if (word !== undefined && FILTERED.test(word)) return 'content_filter';
  return hasCalls ? 'tool_calls' : 'stop';
}
