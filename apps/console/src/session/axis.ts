/** Where events stand on a line from 0 to 1. */
export interface Axis {
  /** Of the event at an index. */
  readonly at: (index: number) => number;
  /** Of a moment, in ms since 1970. */
  readonly atTime: (time: number) => number;
  /** The moment at a place. */
  readonly timeAt: (place: number) => number;
  /** The index of the event that is nearest to a place. */
  readonly nearest: (place: number) => number;
  /** What was left out, as double notches say. */
  readonly gaps: readonly Gap[];
}

export interface Gap {
  /** Places on the axis between which nothing happened. */
  readonly from: number;
  readonly to: number;
  readonly ms: number;
}

export type AxisMode = 'time' | 'events';

const FOLDED_FROM_MS = 30_000;
const FOLDED_SHARE = 0.1;
/** Share of the axis that a folded gap takes, and that all of them take at most. */
const NOTCH = 0.025;
const NOTCHES = 0.4;

/**
 * @param times of all events, in ms since 1970, in their order
 * @param end the axis goes on up to here, where that is later than the last event
 */
export function axisOf(times: readonly number[], mode: AxisMode, end = -Infinity): Axis {
  const rising = risen(times);
  return mode === 'time' ? timeAxis(rising, end) : eventAxis(rising);
}

/** Clocks of several machines differ: an event is no earlier than the one before it. */
function risen(times: readonly number[]): readonly number[] {
  let last = -Infinity;
  return times.map((time) => (last = Math.max(last, time)));
}

function eventAxis(times: readonly number[]): Axis {
  const last = Math.max(times.length - 1, 1);
  const at = (index: number): number => clamp(index / last);
  return {
    at,
    atTime: (time) => {
      const behind = firstAbove(times, time);
      if (behind === 0 || behind >= times.length) return at(behind === 0 ? 0 : times.length - 1);
      const [before, after] = [times[behind - 1] ?? 0, times[behind] ?? 0];
      return at(behind - 1 + (after === before ? 0 : (time - before) / (after - before)));
    },
    timeAt: (place) => times[Math.round(clamp(place) * last)] ?? 0,
    nearest: (place) => Math.min(Math.round(clamp(place) * last), Math.max(times.length - 1, 0)),
    gaps: [],
  };
}

/** A stretch of time between two places. */
interface Stretch {
  readonly since: number;
  readonly until: number;
  readonly from: number;
  readonly to: number;
  readonly isFolded: boolean;
}

function timeAxis(times: readonly number[], end: number): Axis {
  const stretches = stretchesOf(times, end);
  const starts = stretches.map(({ since }) => since);
  const atTime = (time: number): number => {
    const stretch = stretches[Math.max(firstAbove(starts, time) - 1, 0)];
    if (stretch === undefined) return 0;
    const { since, until, from, to } = stretch;
    return until === since ? from : from + (to - from) * clamp((time - since) / (until - since));
  };
  const timeAt = (place: number): number => {
    const stretch = stretches.find(({ to }) => place <= to) ?? stretches.at(-1);
    if (stretch === undefined) return 0;
    const { since, until, from, to } = stretch;
    return to === from ? since : since + (until - since) * clamp((place - from) / (to - from));
  };
  const places = times.map(atTime);
  return {
    at: (index) => places[index] ?? (index < 0 ? 0 : 1),
    atTime,
    timeAt,
    nearest: (place) => nearestTo(places, place),
    gaps: stretches
      .filter(({ isFolded }) => isFolded)
      .map(({ since, until, from, to }) => ({ from, to, ms: until - since })),
  };
}

/** Stretches without a folded gap are one: what is in between is in proportion. */
function stretchesOf(times: readonly number[], end: number): readonly Stretch[] {
  const first = times[0];
  if (first === undefined) return [];
  const marks = end > (times.at(-1) ?? end) ? [...times, end] : times;
  const total = (marks.at(-1) ?? first) - first;
  const folded = foldedGaps(marks, total);
  const kept = total - folded.reduce((sum, at) => sum + (marks[at + 1] ?? 0) - (marks[at] ?? 0), 0);
  const notch = folded.length === 0 ? 0 : Math.min(NOTCH, NOTCHES / folded.length);
  const scale = kept === 0 ? 0 : (1 - notch * folded.length) / kept;
  const stretches: Stretch[] = [];
  let [since, from] = [first, 0];
  const add = (until: number, to: number, isFolded: boolean): void => {
    stretches.push({ since, until, from, to, isFolded });
    [since, from] = [until, to];
  };
  for (const at of folded) {
    const [begin, until] = [marks[at] ?? first, marks[at + 1] ?? first];
    if (begin > since) add(begin, from + (begin - since) * scale, false);
    add(until, from + notch, true);
  }
  if ((marks.at(-1) ?? first) > since || stretches.length === 0) add(marks.at(-1) ?? first, 1, false);
  return stretches;
}

/** Indexes of the events behind which a gap is folded, rising. With each that is folded the others take more of the width. */
function foldedGaps(times: readonly number[], total: number): readonly number[] {
  const gaps = times
    .map((time, at) => ({ at, ms: (times[at + 1] ?? time) - time }))
    .filter(({ ms }) => ms > FOLDED_FROM_MS)
    .sort((a, b) => b.ms - a.ms);
  const folded: number[] = [];
  let rest = total;
  for (const { at, ms } of gaps) {
    if (ms <= rest * FOLDED_SHARE) break;
    folded.push(at);
    rest -= ms;
  }
  return folded.sort((a, b) => a - b);
}

const clamp = (share: number): number => Math.min(Math.max(share, 0), 1);

/** Index of the first value above; the length where there is none. */
function firstAbove(rising: readonly number[], value: number): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rising[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of several in one place the last: it has all of them behind it. */
function nearestTo(places: readonly number[], place: number): number {
  const after = firstAbove(places, place);
  const [before, next] = [places[after - 1], places[after]];
  if (before === undefined) return next === undefined ? 0 : firstAbove(places, next) - 1;
  if (next === undefined) return after - 1;
  return place - before <= next - place ? after - 1 : firstAbove(places, next) - 1;
}
