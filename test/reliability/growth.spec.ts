import { describe, expect, it } from '@jest/globals';
import { Dice } from './dice.js';
import { type Sample, courseOf, judgeGrowth } from './growth.js';
import { Verdict } from './verdict.js';

const LIFE_MS = 60_000;
const EVERY_MS = LIFE_MS / 40;
const MEGABYTE = 1024 * 1024;

/** Samples of lives in which something is held, given the age from 0 to 1 and the life. */
function samplesOf(lives: number, heldOf: (age: number, life: number) => number): Sample[] {
  return Array.from({ length: lives }, (_, life) =>
    Array.from({ length: LIFE_MS / EVERY_MS }, (_, n) => {
      const ageMs = (n + 1) * EVERY_MS;
      const held = heldOf(ageMs / LIFE_MS, life) * MEGABYTE;
      return { life, ageMs, held, resident: 3 * held, files: 100 };
    }),
  ).flat();
}

const isFlat = (samples: readonly Sample[]): boolean =>
  courseOf(samples, { of: 'held', slack: 12 * MEGABYTE }, LIFE_MS).isFlat;

describe('growth', () => {
  it('is not seen in noise, in peaks, nor in caches that fill while a process warms up', () => {
    for (let seed = 0; seed < 2_000; seed++) {
      const dice = new Dice(seed);
      const lives = 1 + dice.below(6);
      const noise = (): number => dice.below(16) + (dice.chance(5) ? 200 : 0);
      expect([seed, isFlat(samplesOf(lives, (age) => 50 + Math.min(age, 0.25) * 200 + noise()))]).toEqual([
        seed,
        true,
      ]);
    }
  });

  it('is seen where each process gathers something, under the same noise', () => {
    for (let seed = 0; seed < 2_000; seed++) {
      const dice = new Dice(seed);
      const lives = 1 + dice.below(6);
      expect([seed, isFlat(samplesOf(lives, (age) => 50 + age * 60 + dice.below(16)))]).toEqual([
        seed,
        false,
      ]);
    }
  });

  it('is seen where a process holds the more the more is on the log', () => {
    for (const lives of [2, 3, 12, 41])
      expect([lives, isFlat(samplesOf(lives, (_, life) => 50 + (life * 40) / (lives - 1)))]).toEqual([
        lives,
        false,
      ]);
  });

  it('of open files is seen, too', () => {
    const verdict = new Verdict();
    const leaking = samplesOf(3, () => 50).map((sample) => ({ ...sample, files: 100 + sample.ageMs / 200 }));
    judgeGrowth(leaking, LIFE_MS, verdict);
    expect(verdict.problems).toEqual([expect.stringMatching(/^open files grows: 150 in a life/)]);
  });

  it('is not taken to be none where nothing was measured', () => {
    const verdict = new Verdict();
    judgeGrowth(
      samplesOf(2, () => 50).filter(({ ageMs }) => ageMs < LIFE_MS / 2),
      LIFE_MS,
      verdict,
    );
    expect(verdict.problems).toHaveLength(3);
  });
});
