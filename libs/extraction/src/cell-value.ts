import { format, getFormatDateInfo, getFormatFromId, isDateFormat } from 'numfmt';

/** Built-in formats that each program shows in its own language; so their dates are written as ISO 8601 has them. */
const DATES = new Set([14, 27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 57, 58]);
const DATES_WITH_TIME = new Set([22]);
/** Long date and time as the system has them. */
const SYSTEM_DATE = /\[\$-f800\]/i;
const SYSTEM_TIME = /\[\$-f400\]/i;
const ISO_DATE = 'yyyy-mm-dd';
const ISO_TIME = 'yyyy-mm-dd hh:mm';
/** Days from 1900's first to 1904's. */
const DAYS_1904 = 1462;
const MAX_FORMAT = 255;

export interface NumberFormat {
  readonly id: number;
  /** null: the built-in one of the id. */
  readonly code: string | null;
}

/** What all sheets of a workbook share. */
export interface Workbook {
  readonly strings: readonly string[];
  /** By the number of a cell's style. */
  readonly formats: readonly NumberFormat[];
  /** Days are counted from 1904, as on the Macintosh. */
  readonly is1904: boolean;
}

/** A number as the program shows it. What a format hides or cannot show is shown as it is stored. */
export function shownNumber(stored: string, { id, code }: NumberFormat, is1904: boolean): string {
  const value = Number(stored);
  if (stored.trim() === '' || !Number.isFinite(value)) return stored;
  const pattern = patternOf(id, code);
  if (pattern === null || /^(?:general|@)$/i.test(pattern)) return plain(value);
  try {
    const isDate = isDateFormat(pattern);
    // A duration counts from nowhere.
    const isMoment = isDate && !/\[(?:h+|m+|s+)\]/i.test(pattern);
    const shown = format(pattern, isMoment && is1904 ? value + DAYS_1904 : value, FORMATS).trim();
    if (shown === '' || /^#+$/.test(shown)) return plain(value);
    return isMoment && hidesCentury(pattern)
      ? `${shown} (${format(ISO_DATE, is1904 ? value + DAYS_1904 : value)})`
      : shown;
  } catch {
    return plain(value);
  }
}

const FORMATS = { nbsp: false } as const;

function patternOf(id: number, code: string | null): string | null {
  if (code === null && DATES.has(id)) return ISO_DATE;
  if (code === null && DATES_WITH_TIME.has(id)) return ISO_TIME;
  const pattern = code ?? getFormatFromId(id);
  if (pattern === null || pattern.length > MAX_FORMAT) return null;
  if (SYSTEM_DATE.test(pattern)) return ISO_DATE;
  return SYSTEM_TIME.test(pattern) ? 'hh:mm:ss' : pattern;
}

/** `3/4/27` is a day of several years and months. */
function hidesCentury(pattern: string): boolean {
  const { year, month, day } = getFormatDateInfo(pattern);
  if (!year || !month || !day) return false;
  return !/y{3}|e/i.test(pattern.replace(/"[^"]*"|\[[^\][]*\]|\\./g, ''));
}

/** All digits that are meant: 0.1 + 0.2 is stored with seventeen, and has fifteen. */
const plain = (value: number): string => String(Number(value.toPrecision(15)));
