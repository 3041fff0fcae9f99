import { Tape } from './engine/tape.js';
import { type PlayOptions, play } from './play.js';
import { partsOfSeed } from './world/parts.js';

export interface CampaignOptions {
  readonly from: number;
  readonly seeds: number;
  readonly minutes: number;
  readonly play: PlayOptions;
  /** Ends the campaign once so many seeds have failed. */
  readonly maxFailures?: number;
  /** Plays each seed twice: what differs is a failure. */
  readonly isRepeated?: boolean;
}

export interface Failure {
  readonly seed: number;
  readonly invariant: string;
  readonly detail: string;
}

export interface CampaignResult {
  readonly from: number;
  readonly seeds: number;
  readonly steps: number;
  readonly seconds: number;
  readonly failures: readonly Failure[];
  readonly marks: Readonly<Record<string, number>>;
}

export const MAX_FAILURES = 200;

/** Plays seed after seed, for as long as it may, and counts. */
export async function campaign(options: CampaignOptions): Promise<CampaignResult> {
  const { from, minutes, maxFailures = MAX_FAILURES } = options;
  const start = performance.now();
  const secondsSo = () => (performance.now() - start) / 1000;
  const failures: Failure[] = [];
  const marks: Record<string, number> = {};
  let seeds = 0;
  let steps = 0;
  for (; seeds < options.seeds && secondsSo() < minutes * 60 && failures.length < maxFailures; seeds++) {
    const seed = from + seeds;
    const world = { parts: partsOfSeed(seed), ...options.play };
    const result = await play(Tape.ofSeed(seed), world);
    steps += result.steps;
    for (const [mark, times] of result.marks.counts) marks[mark] = (marks[mark] ?? 0) + times;
    if (result.violation !== null) failures.push({ seed, ...result.violation });
    else if (options.isRepeated === true) {
      const { hash } = await play(Tape.of(result.choices), world);
      const again = await play(Tape.ofSeed(seed), world);
      const hashes = new Set([result.hash, hash, again.hash]);
      if (hashes.size > 1)
        failures.push({ seed, invariant: 'the same seed is the same trace', detail: [...hashes].join(' ') });
    }
  }
  return { from, seeds, steps, seconds: secondsSo(), failures, marks };
}

/** A few lines for people. */
export function summaryOf({ from, seeds, steps, seconds, failures, marks }: CampaignResult): string {
  const rate = `${Math.round(seeds / seconds)} seeds/s, ${Math.round(steps / seeds)} steps a seed`;
  const byInvariant = Map.groupBy(failures, (failure) => failure.invariant);
  return [
    `${seeds} seeds from ${from} in ${seconds.toFixed(1)} s (${rate}), ${failures.length} failed`,
    ...[...byInvariant].map(([invariant, found]) => {
      const [first] = found;
      const others = found.map((failure) => failure.seed).slice(0, 8);
      return `  ${invariant}: ${found.length} seeds (${others.join(' ')}), e.g. ${first?.detail.slice(0, 700)}`;
    }),
    Object.entries(marks)
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([mark, times]) => `${mark} ${times}`)
      .join(', '),
  ].join('\n');
}
