/** Times as the interface writes them. */

/** @param ms since 1970 */
export const timestamp = (ms: number): string => new Date(ms).toISOString();

export const timestampOrNull = (ms: number | null): string | null => (ms === null ? null : timestamp(ms));
