const UNITS: Readonly<Record<string, number>> = { min: 60_000, h: 3_600_000, d: 86_400_000 };
const BACK = /^-?\s*(\d{1,5})\s*(min|h|d)(?:\s+ago)?$/;
const STATED =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?))?\s*(Z|UTC|[+-]\d{2}:\d{2})?$/i;

/**
 * A point in time that was typed: "2026-11-26", "2026-11-26 14:08", with seconds, "T" and an offset where there is one, or how
 * long ago: "24 h", "30 min ago".
 * @param now milliseconds since 1970
 * @param utc what has no offset is in UTC, not local
 * @returns milliseconds since 1970; null: it is none
 */
export function instantOf(text: string, now: number, utc: boolean): number | null {
  const typed = text.trim();
  const [, amount, unit = ''] = BACK.exec(typed) ?? [];
  if (amount !== undefined) return now - Number(amount) * (UNITS[unit] ?? 0);
  const [, day, time = '00:00', offset = utc ? 'Z' : ''] = STATED.exec(typed) ?? [];
  if (day === undefined) return null;
  const at = Date.parse(`${day}T${time}${/^(?:z|utc)$/i.test(offset) ? 'Z' : offset}`);
  return Number.isNaN(at) ? null : at;
}

/** Milliseconds since 1970 as a field shows them, "2026-11-26 14:08", and as they are read back. */
export function typedOf(ms: number, utc: boolean): string {
  const at = new Date(utc ? ms : ms - new Date(ms).getTimezoneOffset() * 60_000);
  if (Number.isNaN(at.getTime())) return '';
  const text = at.toISOString().replace('T', ' ').slice(0, 19);
  return text.replace(/:00$/, '').replace(/ 00:00$/, '');
}
