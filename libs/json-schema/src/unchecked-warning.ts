import { type Draft, warningEvent } from '#domain';

const maxPattern = 200;

/** Tells the caller of patterns that an output was not held against; null: there are none. @param of where they stand */
export function uncheckedWarning(of: string, patterns: readonly string[] = []): Draft | null {
  if (patterns.length === 0) return null;
  const shown = patterns
    .slice(0, 5)
    .map((pattern) => JSON.stringify(pattern.slice(0, maxPattern).toWellFormed()));
  const reason = `Patterns of ${of} were not checked, for that takes too long: ${shown.join(', ')}`;
  return warningEvent({ code: 'unchecked_pattern', reason });
}
