/**
 * The same text in memory of its own. V8 makes of a slice a view that keeps the whole text alive: a short piece that is
 * kept beyond the long text that it is from is copied.
 */
export const ownCopy = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');
