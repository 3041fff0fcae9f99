/**
 * How long the texts of a request may be, in characters: Unicode code points, as JSON Schema counts them (RFC 8259, 7), so
 * that the description says what is checked. What is kept for long, compared, or parsed has a limit by what it is;
 * MAX_BODY_KB holds all of a body together.
 */
export const LENGTHS = {
  /** Names, ids, names of keys and projects, time zones. */
  name: 200,
  /** By which a caller says something of a run, and sums up what was spent. */
  metadataKey: 64,
  description: 10_000,
  /** Of SQL, and of words that are searched for. */
  query: 20_000,
  rule: 4_000,
  /** Messages and system prompts: what MAX_BODY_KB lets through by default. */
  message: 2_097_152,
  /** A date or a cron expression. */
  schedule: 512,
  url: 8_192,
  /** What is sent in a header; servers take about as much in all. */
  token: 16_384,
  /** Of `next_cursor`, which is a time and an id. */
  cursor: 1_000,
} as const;

/** Whether a text has at most so many code points. Only where it is near the limit are they counted. */
export function isAtMost(most: number, text: string): boolean {
  if (text.length <= most) return true;
  if (text.length > most * 2) return false;
  let count = 0;
  for (const _ of text) if (++count > most) return false;
  return true;
}
