import { Tape } from './engine/tape.js';
import { type PlayOptions, play } from './play.js';

/**
 * The smallest tape that is found to break the same invariant: chunks are cut out, then set to 0, in ever smaller sizes,
 * for as long as that helps. Works on the choices, knows nothing of the program.
 */
export async function shrink(
  choices: readonly number[],
  invariant: string,
  options: PlayOptions,
  maxPlays = 1_500,
): Promise<{ choices: number[]; plays: number }> {
  const search = new Search(
    choices,
    async (candidate) => {
      const { violation } = await play(Tape.of(candidate), options);
      return violation?.invariant === invariant;
    },
    maxPlays,
  );
  while (search.hasPlaysLeft) {
    const before = search.best;
    for (const change of [setToZero, cutOut, setToZero, halve]) await search.improve(change);
    if (search.best === before) break;
  }
  return { choices: search.best, plays: search.plays };
}

type Change = (choices: readonly number[], start: number, size: number) => number[] | null;

class Search {
  best: number[];
  plays = 0;

  constructor(
    choices: readonly number[],
    private readonly fails: (candidate: readonly number[]) => Promise<boolean>,
    private readonly maxPlays: number,
  ) {
    this.best = withoutTail(choices);
  }

  get hasPlaysLeft(): boolean {
    return this.plays < this.maxPlays;
  }

  /** Tries the change on chunks of the tape, large ones first, each from the end to the start. */
  async improve(change: Change): Promise<void> {
    const largest = change === halve ? 1 : this.best.length >> 1;
    for (let size = Math.max(1, largest); size >= 1; size >>= 1) {
      for (let start = this.best.length - size; start > -size; start -= size) {
        if (!this.hasPlaysLeft) return;
        const candidate = change(this.best, Math.max(0, start), size);
        if (candidate === null) continue;
        this.plays++;
        if (await this.fails(candidate)) this.best = withoutTail(candidate);
      }
    }
  }
}

const cutOut = (choices: readonly number[], start: number, size: number): number[] =>
  choices.toSpliced(start, size);

function setToZero(choices: readonly number[], start: number, size: number): number[] | null {
  if (choices.slice(start, start + size).every((choice) => choice === 0)) return null;
  return choices.map((choice, i) => (i >= start && i < start + size ? 0 : choice));
}

/** One number after the other, smaller. */
function halve(choices: readonly number[], start: number): number[] | null {
  const choice = choices[start] ?? 0;
  return choice < 2 ? null : choices.with(start, choice >> 1);
}

/** What is missing reads as 0. */
function withoutTail(choices: readonly number[]): number[] {
  const end = choices.findLastIndex((choice) => choice !== 0) + 1;
  return choices.slice(0, end);
}
