import { formatDollars, parseDollars } from '#domain';

/** Numbers as the tables hold them, written as the interface writes them. */

export const timestamp = (ms: string): string => new Date(Number(ms)).toISOString();

export const timestampOrNull = (ms: string | null): string | null => (ms === null ? null : timestamp(ms));

/** Without the zeros that numeric(38, 12) fills up with. */
export const dollars = (numeric: string): string => formatDollars(parseDollars(numeric));
