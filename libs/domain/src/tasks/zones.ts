const MINUTE = 60_000;

/** Letters, digits and what joins them: the names of the time zone database, and no look-alikes. */
const NAME = /^[a-z][a-z0-9_+/-]{0,63}$/i;

/**
 * What tells the time in a zone, by its name in small letters: to Intl all spellings of a name are one, and each formatter
 * holds 50 KB that V8 does not count. So there are as many as there are zones, about 600, and of these the oldest goes.
 */
const formats = new Map<string, Intl.DateTimeFormat>();
const KEPT = 200;

/** The one spelling of a zone's name; null: there is no such zone. An offset is none, though Intl takes it. */
export function zoneOf(timezone: string): string | null {
  if (!NAME.test(timezone)) return null;
  const zone = timezone.toLowerCase();
  if (formats.has(zone)) return zone;
  try {
    make(zone);
    return zone;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** How far the zone's clocks are ahead of UTC, in ms, to the minute, as clocks are. @throws RangeError */
export function offsetIn(zone: string, at: number): number {
  const minute = Math.floor(at / MINUTE) * MINUTE;
  // 03/29/2026, 02:59
  const [month = 0, day = 0, year = 0, hour = 0, minutes = 0] = (formats.get(zone) ?? make(zone))
    .format(minute)
    .split(/\D+/)
    .map(Number);
  return Date.UTC(year, month - 1, day, hour, minutes) - minute;
}

function make(zone: string): Intl.DateTimeFormat {
  const two = '2-digit';
  const fields = { year: 'numeric', month: two, day: two, hour: two, minute: two } as const;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...fields });
  if (formats.size >= KEPT) formats.delete(formats.keys().next().value ?? '');
  formats.set(zone, format);
  return format;
}
