import type { Format } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';

/** Longer than any address or URL; some of the formats' own patterns take quadratic time. */
const MAX_FORMATTED = 4096;

/** Formats of binary content, whose length has no bound. */
const ANY_LENGTH = new Set(['byte', 'binary', 'password']);

/** Those of dates and numbers are objects, and take linear time. */
function bounded(format: Format): Format {
  if (format instanceof RegExp) return (text: string) => text.length <= MAX_FORMATTED && format.test(text);
  if (typeof format === 'function') return (text: string) => text.length <= MAX_FORMATTED && format(text);
  return format;
}

/** The formats that are checked; others say something to readers only. */
export const FORMATS: Readonly<Record<string, Format>> = Object.fromEntries(
  Object.entries(fullFormats).map(([name, format]) => [
    name,
    ANY_LENGTH.has(name) ? format : bounded(format),
  ]),
);
