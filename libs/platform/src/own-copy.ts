/**
 * Copies a string. V8 makes of a slice a view that keeps the whole string alive, so a short part that
 * outlives its long source is copied.
 */
export const ownCopy = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');
