import { type PatternTree, treeOf } from './pattern-tree.js';

/** A text of any length: something first, something again and again, something at the end. */
export interface HardText {
  readonly before: string;
  readonly again: string;
  readonly after: string;
  /** One of those that every pattern is held against, up to a megabyte of it. */
  readonly isCommon: boolean;
}

/** What every pattern is held against, as it is and behind what the pattern begins with. */
const COMMON = ['a', ' ', '"', "'", 'a.', ':', '<'];
/** What makes an end that most patterns do not take, so that they go back. */
const ENDS = ['', '\0', '\n!'];
/** Repetitions up to here cost a constant. */
const FEW = 30;
/** Beginnings that a megabyte is put behind: the one that leads furthest. */
const MOST_STARTS = 1;

/** Common texts, as they are and behind each of these, and each of these again and again. */
export function commonTexts(beginnings: readonly string[]): HardText[] {
  const texts = ['', ...beginnings].flatMap((before) => COMMON.map((again) => ({ before, again })));
  const chains = beginnings.map((again) => ({ before: '', again }));
  return [...texts, ...chains].flatMap((text) =>
    ENDS.slice(0, 2).map((after) => ({ ...text, after, isCommon: true })),
  );
}

/** Texts on which a pattern that is slower than linear shows it, made from what it says itself. */
export function hardTextsFor(source: string, flags: string): HardText[] {
  const tree = treeOf(source, flags);
  const beginnings = new Set<string>();
  const loops: { readonly before: string; readonly again: string }[] = [];
  walk(tree, '', (before, pumps) => {
    beginnings.add(before);
    loops.push(...pumps.map((again) => ({ before, again })));
  });
  // What begins again and again is looked through again and again.
  for (const again of [...beginnings, sampleOf(tree)]) loops.push({ before: '', again });
  const own = loops.flatMap((text) => ENDS.map((after) => ({ ...text, after, isCommon: false })));
  const starts = [...beginnings].filter((start) => start !== '').sort((a, b) => b.length - a.length);
  return [...own.filter(({ again }) => again !== ''), ...commonTexts(starts.slice(0, MOST_STARTS))];
}

/** Calls back at each repetition without a small end, with a text that leads there and texts to repeat. */
function walk(
  tree: PatternTree,
  before: string,
  atLoop: (before: string, pumps: readonly string[]) => void,
): void {
  switch (tree.kind) {
    case 'one':
    case 'nothing':
      return;
    case 'row': {
      let led = before;
      for (const part of tree.parts) {
        walk(part, led, atLoop);
        led += sampleOf(part);
      }
      return;
    }
    case 'choice':
      for (const option of tree.options) walk(option, before, atLoop);
      return;
    case 'repeat':
      if (tree.max > FEW) atLoop(before, samplesOf(tree.part));
      walk(tree.part, before, atLoop);
  }
}

/** The shortest text for it, but where something may be left out it is there. */
function sampleOf(tree: PatternTree): string {
  return samplesOf(tree)[0] ?? '';
}

function samplesOf(tree: PatternTree): readonly string[] {
  switch (tree.kind) {
    case 'one':
      return tree.samples;
    case 'nothing':
      return [''];
    case 'row':
      return [tree.parts.map(sampleOf).join('')];
    case 'choice':
      return tree.options.map(sampleOf);
    case 'repeat':
      return samplesOf(tree.part).map((sample) => sample.repeat(Math.max(1, tree.min)));
  }
}

export function textOf({ before, again, after }: HardText, chars: number): string {
  const times = Math.max(1, Math.floor((chars - before.length - after.length) / again.length));
  return before + again.repeat(times) + after;
}
