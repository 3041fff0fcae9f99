import { commonTexts, hardTextsFor } from './hard-texts.js';
import { firstSlow, type Work } from './trial.js';
import { functionsOnText } from './works.js';

/** What is tried: a pattern, or a function by its name. */
export type Trial = { readonly source: string; readonly flags: string } | { readonly name: string };

export interface Outcome {
  /** null: on nothing. */
  readonly slowOn: string | null;
}

process.on('message', (trial: Trial) => {
  process.send!({ slowOn: outcomeOf(trial) } satisfies Outcome);
});

function outcomeOf(trial: Trial): string | null {
  if (!('name' in trial))
    return firstSlow(useOf(new RegExp(trial.source, trial.flags)), hardTextsFor(trial.source, trial.flags));
  const { work, beginnings, isShort } = functionsOnText[trial.name]!;
  const texts = commonTexts(beginnings);
  return firstSlow(work, isShort ? texts.map((text) => ({ ...text, isCommon: false })) : texts);
}

/** A pattern as code uses it: all that it finds, or the first. */
const useOf =
  (pattern: RegExp): Work =>
  (text) => {
    pattern.lastIndex = 0;
    return pattern.global ? text.replace(pattern, '').length : pattern.test(text);
  };
