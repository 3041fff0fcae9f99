import type { PassageBatch, Reading } from '#extraction';

/** A file that nothing stands in the way of, for an extractor. */
export const readingOf = (
  bytes: Uint8Array,
  take: (batch: PassageBatch) => Promise<void> = async () => undefined,
  project = 'p',
): Reading => ({
  file: { bytes: bytes.length, read: async () => new Uint8Array(bytes) },
  project,
  begin: async () => null,
  take,
  signal: new AbortController().signal,
});
