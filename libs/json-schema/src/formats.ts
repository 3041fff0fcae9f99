import { Ajv, type Format } from 'ajv';
import addFormats from 'ajv-formats';

/** Longer than any address or URL; some of the formats' own patterns take quadratic time. */
const MAX_FORMATTED = 4096;

/** Formats of binary content, whose length has no bound. */
const ANY_LENGTH = new Set(['byte', 'binary', 'password']);

type Check = Exclude<Format, string>;

/** Those of dates and numbers are objects, and take linear time. */
function bounded(format: Check): Check {
  if (format instanceof RegExp) return (text: string) => text.length <= MAX_FORMATTED && format.test(text);
  if (typeof format === 'function') return (text: string) => text.length <= MAX_FORMATTED && format(text);
  return format;
}

const { formats } = addFormats.default(new Ajv({ meta: false }), { keywords: false });

/** The formats that are checked; others say something to readers only. */
export const FORMATS: Readonly<Ajv['formats']> = Object.fromEntries(
  Object.entries(formats).map(([name, format]) => [
    name,
    format === undefined || ANY_LENGTH.has(name) ? format : bounded(format),
  ]),
);
