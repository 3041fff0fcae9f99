import { median } from '../support/median.js';
import type { Verdict } from './verdict.js';

/** What a process was seen to hold. */
export interface Sample {
  /** Which process it was, from 0. */
  readonly life: number;
  /** Milliseconds since it was ready. */
  readonly ageMs: number;
  /** Bytes that are left when all garbage is gone. */
  readonly held: number;
  /** Bytes of memory, garbage included. */
  readonly resident: number;
  /** Open files and connections. */
  readonly files: number;
}

const MEGABYTE = 1024 * 1024;

interface Quantity {
  readonly of: 'held' | 'resident' | 'files';
  readonly name: string;
  /** What the medians of two windows may differ by although nothing leaks: several times what was seen under a steady load. */
  readonly slack: number;
  readonly told: (amount: number) => string;
}

/** What a process may be larger by than before, in resident bytes, garbage that it has not come to yet included. */
export const MOST_GROWTH = 400 * MEGABYTE;

export const megabytes = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB`;

export const QUANTITIES: readonly Quantity[] = [
  { of: 'held', name: 'memory held', slack: 16 * MEGABYTE, told: megabytes },
  { of: 'resident', name: 'resident memory', slack: 192 * MEGABYTE, told: megabytes },
  { of: 'files', name: 'open files', slack: 100, told: (files) => String(Math.round(files)) },
];

/** How a quantity went. */
export interface Course {
  /** Median of the first window of all lives, of the last, and the most ever. */
  readonly early: number;
  readonly late: number;
  readonly most: number;
  /** From the early to the late window of a life: of the lives in the middle. */
  readonly within: number;
  /** From the first lives to the last, at the same age. */
  readonly across: number;
  /** Lives of which both windows were seen. */
  readonly lives: number;
  readonly isFlat: boolean;
}

/**
 * Whether a quantity stays flat. A life is `lifeMs` long; its first quarter warms up; the second is the early window, the
 * last the late one. It grows where
 * 1. the late window's median is over the early one's by more than the slack in the median of the lives, and by half of it
 *    in each: a leak fills every life, a burst of load or a late collection fills one;
 * 2. or the late windows of the second half of the lives are over those of the first half by more than the slack: then a
 *    process holds the more the longer the log is.
 * Noise moves single samples; it would have to move most samples of one window, and of none but the later ones.
 */
export function courseOf(
  samples: readonly Sample[],
  { of, slack }: Pick<Quantity, 'of' | 'slack'>,
  lifeMs: number,
): Course {
  const windowOf = (life: readonly Sample[], from: number, to: number): number[] =>
    life.filter(({ ageMs }) => ageMs >= from * lifeMs && ageMs < to * lifeMs).map((sample) => sample[of]);
  const lives = [...Map.groupBy(samples, ({ life }) => life).values()]
    .map((life) => ({ early: windowOf(life, 0.25, 0.5), late: windowOf(life, 0.75, Infinity) }))
    .filter(({ early, late }) => early.length > 0 && late.length > 0);
  const steps = lives.map(({ early, late }) => median(late) - median(early));
  const ends = lives.map(({ late }) => median(late));
  const half = Math.floor(ends.length / 2);
  const across = half === 0 ? 0 : median(ends.slice(-half)) - median(ends.slice(0, half));
  const within = median(steps);
  const grows = within > slack && Math.min(...steps) > slack / 2;
  return {
    early: median(lives.flatMap(({ early }) => early)),
    late: median(lives.flatMap(({ late }) => late)),
    most: Math.max(0, ...samples.map((sample) => sample[of])),
    within,
    across,
    lives: lives.length,
    isFlat: !grows && across <= slack,
  };
}

/** Notes what grows, and tells how everything went: by its name, `31.2 MB, in the end 31.9 MB; …`. */
export function judgeGrowth(
  samples: readonly Sample[],
  lifeMs: number,
  verdict: Verdict,
): Readonly<Record<string, string>> {
  const courses: Record<string, string> = {};
  for (const quantity of QUANTITIES) {
    const { name, told, slack } = quantity;
    const { early, late, most, within, across, lives, isFlat } = courseOf(samples, quantity, lifeMs);
    const course = `median ${told(early)} early in a life, ${told(late)} late, ${told(most)} at most; from life to life ${told(across)} more`;
    courses[name] = course;
    verdict.require(lives > 0, () => `${name}: no life was long enough to be judged`);
    verdict.require(
      isFlat,
      () => `${name} grows: ${told(within)} in a life (slack ${told(slack)}); ${course}`,
    );
  }
  return courses;
}
