import { offsetIn } from './zones.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Clocks are set by less than this. */
const LONGEST_CHANGE = 3 * HOUR;

/**
 * The first moment after `after` at which a wall clock comes to one of its slots, each of which comes once: one that the
 * clock skips comes when it skips it, one that it shows twice comes the first time. Wall times are moments whose UTC
 * fields are what the clock shows.
 * @param timezone as `zoneOf` spells it: every spelling would have offsets of its own
 * @param nextWall the first slot after a wall time, or null
 */
export function nextOnWall(
  timezone: string,
  after: number,
  nextWall: (wall: number) => number | null,
): number | null {
  const around = [after - LONGEST_CHANGE, after, after + LONGEST_CHANGE];
  const offsets = around.map((at) => offsetAt(timezone, at));
  let best: number | null = null;
  let last = Infinity;
  for (
    let wall = nextWall(after + Math.min(...offsets));
    wall !== null && wall < last;
    wall = nextWall(wall)
  ) {
    const at = momentOf(timezone, wall);
    if (at <= after) continue;
    best = Math.min(best ?? at, at);
    // Only where the clocks are set does a later slot come before an earlier one.
    if (!isChangeNear(timezone, best)) return best;
    last = Math.min(last, wall + LONGEST_CHANGE);
  }
  return best;
}

const isChangeNear = (timezone: string, at: number): boolean =>
  offsetAt(timezone, at - LONGEST_CHANGE) !== offsetAt(timezone, at + LONGEST_CHANGE);

function momentOf(timezone: string, wall: number): number {
  const [before, after] = [offsetAt(timezone, wall - DAY), offsetAt(timezone, wall + DAY)];
  const first = wall - before;
  if (before === after || offsetAt(timezone, first) === before) return first;
  const second = wall - after;
  return offsetAt(timezone, second) === after ? second : changeBetween(timezone, second, first);
}

/** The first minute with another offset than that of `from`. */
function changeBetween(timezone: string, from: number, until: number): number {
  const offset = offsetAt(timezone, from);
  let [low, high] = [Math.floor(from / MINUTE), Math.ceil(until / MINUTE)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(timezone, middle * MINUTE) === offset) low = middle;
    else high = middle;
  }
  return high * MINUTE;
}

/** Offsets at the beginnings of UTC days, by zone and day: asking costs, and most days begin and end with the same. */
const dayOffsets = new Map<string, number>();
const DAYS_KEPT = 20_000;

/** How far the zone's clocks are ahead of UTC, in ms; they are set once a day at most. */
function offsetAt(timezone: string, at: number): number {
  const day = Math.floor(at / DAY);
  const offset = dayOffset(timezone, day);
  return offset === dayOffset(timezone, day + 1) ? offset : offsetIn(timezone, at);
}

function dayOffset(timezone: string, day: number): number {
  const key = `${timezone} ${day}`;
  const known = dayOffsets.get(key);
  if (known !== undefined) return known;
  const offset = offsetIn(timezone, day * DAY);
  if (dayOffsets.size >= DAYS_KEPT) dayOffsets.clear();
  dayOffsets.set(key, offset);
  return offset;
}
