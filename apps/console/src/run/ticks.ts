import type { Axis } from '../session/axis.js';

export interface Tick {
  /** ms after the beginning. */
  readonly ms: number;
  /** From 0 to 1. */
  readonly at: number;
}

/** Steps that people count time in, in ms. */
const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000, 172_800_000, 604_800_000,
];
const MOST = 6;
/** Share of the axis that a tick's words take. */
const APART = 0.14;

/** Where the axis says how much time has passed: round figures, none in what is folded, and each with room for its words. */
export function ticksOf(axis: Axis, start: number, end: number): readonly Tick[] {
  const folded = axis.gaps.reduce((sum, { ms }) => sum + ms, 0);
  const step = STEPS.find((ms) => (end - start - folded) / ms <= MOST) ?? STEPS.at(-1) ?? 1;
  const ticks: Tick[] = [{ ms: 0, at: 0 }];
  for (const ms of marksOf(axis, start, end, step)) {
    const at = axis.atTime(start + ms);
    const isFolded = axis.gaps.some(({ from, to }) => at > from && at < to);
    if (!isFolded && at - (ticks.at(-1)?.at ?? 0) >= APART && at <= 1 - APART / 2) ticks.push({ ms, at });
  }
  return ticks;
}

/** A folded gap may be many steps long: they are leapt over. */
function* marksOf(axis: Axis, start: number, end: number, step: number): Generator<number> {
  for (let ms = step; start + ms <= end;) {
    yield ms;
    const at = axis.atTime(start + ms);
    const gap = axis.gaps.find(({ from, to }) => at >= from && at < to);
    ms += gap === undefined ? step : Math.max(step, Math.floor(gap.ms / step) * step);
  }
}
