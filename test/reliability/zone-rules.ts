const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A moment at which a zone's clocks are set. Offsets are in ms east of UTC. */
export interface Transition {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** What the clocks of a zone do between two moments. */
export interface ZoneRule {
  /** Of the zones with this rule, the first. */
  readonly zone: string;
  /** At the first moment. */
  readonly offset: number;
  readonly transitions: readonly Transition[];
}

/** The rules of all IANA zones between the moments, found by asking `Intl`; zones that do the same are one rule. */
export function zoneRules(from: number, until: number, isEveryZone = false): ZoneRule[] {
  const rules = new Map<string, ZoneRule>();
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const rule = ruleOf(zone, from, until);
    const key = isEveryZone ? zone : JSON.stringify([rule.offset, rule.transitions]);
    if (!rules.has(key)) rules.set(key, rule);
  }
  return [...rules.values()];
}

function ruleOf(zone: string, from: number, until: number): ZoneRule {
  const offsetAt = offsetsOf(zone);
  const transitions: Transition[] = [];
  const offset = offsetAt(from);
  let before = offset;
  // Clocks that are set for less than a fortnight are not known of any zone.
  for (let at = from; at < until; at += 14 * DAY) {
    const after = offsetAt(Math.min(at + 14 * DAY, until));
    if (after === before) continue;
    transitions.push({ at: bisect(offsetAt, at, Math.min(at + 14 * DAY, until), before), before, after });
    before = after;
  }
  return { zone, offset, transitions };
}

/** The first minute with another offset. */
function bisect(offsetAt: (at: number) => number, from: number, until: number, before: number): number {
  let [low, high] = [from / MINUTE, until / MINUTE];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * MINUTE) === before) low = middle;
    else high = middle;
  }
  return high * MINUTE;
}

function offsetsOf(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  return (at) => {
    // 29/03/2026, 03:00
    const [, day, month, year, hour, minute] =
      /(\d+)\/(\d+)\/(\d+), (\d+):(\d+)/.exec(format.format(at)) ?? [];
    return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute)) - at;
  };
}

/** What the wall clock shows, as a moment of UTC: its UTC fields are the wall's. */
export function wallAt({ offset, transitions }: ZoneRule, at: number): number {
  return at + (transitions.findLast((transition) => transition.at <= at)?.after ?? offset);
}
