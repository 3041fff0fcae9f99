import { type Finding, printable } from './findings.js';
import type { Level, Verdict } from './verdict.js';

const MEANINGS: Readonly<Record<Level, string>> = {
  chain: 'the events hang together, and the file does not contradict itself',
  signed: 'a key of the policy has signed that the stream is this and ends here',
  receipted: 'a receipt that you kept says the same',
  witnessed: "the policy's quorum has cosigned: nobody is shown another tree",
  complete: 'a monitor among those that cosigned has read every leaf',
};
const LEVELS = Object.keys(MEANINGS) as readonly Level[];

/** The verdict for a reader. Says the same as its JSON, and what no file can prove. */
export const textOf = (verdict: Verdict): string =>
  `${[
    headOf(verdict),
    ...meaningsOf(verdict).map(([level, meaning]) => `  ${level}: ${meaning}`),
    '',
    ...factsOf(verdict).map(([name, value]) => name.padEnd(14) + value),
    ...listOf('failures', verdict.failures),
    ...listOf('warnings', verdict.warnings),
    '',
    'never proved',
    ...neverProved(verdict).map((line) => `  ${line}`),
  ].join('\n')}\n`;

/** The first line. */
export function headOf({ verdict, level, failures: [first], exit }: Verdict): string {
  if (verdict === 'verified') return `verified: ${level}${exit === 3 ? ', with warnings' : ''}`;
  return first === undefined ? verdict : `${verdict}: ${findingOf(first)}`;
}

/** What the levels that it has reached mean, the lowest first. */
export function meaningsOf({ level, receipts }: Verdict): readonly (readonly [Level, string])[] {
  if (level === null) return [];
  const reached = LEVELS.slice(0, LEVELS.indexOf(level) + 1);
  return reached.filter((name) => name !== 'receipted' || receipts > 0).map((name) => [name, MEANINGS[name]]);
}

/** In one line. */
export const findingOf = ({ code, revision, message }: Finding): string =>
  `${code}${revision === null ? '' : ` at revision ${revision}`}: ${message}`;

/** What the file says, as far as it is known: names and values. */
export function factsOf(verdict: Verdict): readonly (readonly [name: string, value: string])[] {
  const { stream, session, events, sealed, disclosed, erased, runs, from, to, origin, size } = verdict;
  const { witnessed_at: at, witnesses, receipts } = verdict;
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    ['stream', stream],
    ['session', session],
    ['events', `${events}, of which ${sealed} are sealed`],
    ['disclosed', disclosed],
    ['erased', erased === null ? null : erased ? 'yes' : 'no'],
    ['runs', `${runs.ended} ended, ${runs.open} open`],
    ['from', from === null ? null : `${from} (by the clocks that wrote)`],
    ['to', to === null ? null : `${to} (by the clocks that wrote)`],
    ['origin', origin],
    ['size', size === 0 ? null : `${size} leaves`],
    ['witnessed at', at],
    ['witnesses', witnesses.length === 0 ? 'none' : witnesses.join(', ')],
    ['receipts', receipts === 0 ? 'none' : `${receipts} say the same`],
  ];
  return facts.map(([name, value]) => [name, printable(value ?? 'not known')]);
}

const listOf = (title: string, findings: readonly Finding[]): readonly string[] =>
  findings.length === 0 ? [] : ['', title, ...findings.map((finding) => `  ${findingOf(finding)}`)];

/** What no file can prove, whatever the verdict. */
export const neverProved = (verdict: Verdict): readonly string[] => {
  const isLevel = verdict.level !== null;
  const since = sinceWhen(isLevel ? verdict.witnessed_at : null, isLevel ? verdict.receipts : 0);
  return [
    'that the model was right, or that a tool told the truth',
    'that nothing happened outside of what was written down',
    `what was changed before the first checkpoint or receipt${since}`,
    'that a clock was right when it wrote',
  ];
};

function sinceWhen(at: string | null, receipts: number): string {
  if (at !== null) return ` (the checkpoint of this file was there at ${at})`;
  if (receipts > 0) return ' (here: before the receipts that you kept)';
  return ' (nobody but the one who made this file says when that was)';
}
