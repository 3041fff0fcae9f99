import type { CheckoutState } from './checkout.js';
import type { Figures, Spread } from './figures.js';
import type { Part } from './rows.js';
import type { Stories } from './stories.js';

export interface PageContents {
  readonly parts: readonly Part[];
  readonly figures: readonly Figures[];
  readonly checkout: CheckoutState;
  readonly stories: Stories;
  /** ISO 8601 */
  readonly date: string;
}

/** `docs/reliability.md`, made of what was kept of the runs. A part that was not run at this commit is said to be so. */
export function pageOf(contents: PageContents): string {
  const current = contents.figures.filter(({ product }) => product === contents.checkout.product);
  return [
    '# What it survives, in figures',
    head(contents),
    '## What was lost',
    zeros(contents, current),
    '## How long it takes to come back',
    times(current),
    '## Memory, and what else was measured',
    others(current),
    '## Whether the tests can fail',
    mutants(current),
    '## Worlds of the simulation that failed once',
    seeds(contents.stories),
    '## What was found on the way',
    found(contents.stories),
    '## Do it again',
    commands(contents.parts),
  ].join('\n\n');
}

const head = ({ checkout, date }: PageContents): string =>
  `Made by \`npm run test:reliability -- --page\` on ${date.slice(0, 16).replace('T', ' ')} UTC, at commit \`${checkout.commit}\`. ` +
  'Each row is one command that anyone can repeat. The checkers read only the log, what the clients were sent, and the books ' +
  'that the fake models, tools and receivers keep. A row counts for this commit while `apps`, `libs` and the locked packages ' +
  'are what they were when it ran, and runs of the same product add up; where they are not, its figures are not given. CI runs short forms of them, but for ' +
  'the soak, on every commit and keeps no figures.';

function zeros({ parts, figures }: PageContents, current: readonly Figures[]): string {
  const rows = parts.map((part) => {
    const name = [rowOf(part.name), part.what];
    const now = current.find((one) => one.part === part.name);
    const ever = figures.find((one) => one.part === part.name);
    if (now !== undefined) return [...name, ...cells(part, now), atOf(now)];
    const last = ever === undefined ? '' : `; last at \`${ever.commit}\`: ${counted(part, ever)}`;
    return [...name, `not run at this commit${last}`, '', '', '', '', ''];
  });
  const header = [
    '',
    'what is made to fail',
    'how often',
    'events shown',
    'lost',
    'doubled, re-ordered',
    'other problems',
    'at',
  ];
  return `${table(header, rows)}\n\n${totals(parts, current)}`;
}

const cells = (part: Part, one: Figures): string[] => [
  counted(part, one),
  ...(one.acknowledged === 0
    ? ['–', '–', '–']
    : [many(one.acknowledged), many(one.lost), `${many(one.doubled)}, ${many(one.reordered)}`]),
  one.problems.length === 0 ? '0' : `**${one.problems.length}**: ${one.problems[0]}`,
];

/** `1,000 kills (3,200 over all runs)` */
const counted = ({ unit }: Part, { faults, earlier, ever }: Figures): string =>
  `${many(faults)} ${unit}${earlier === undefined ? '' : ` in ${earlier.length + 1} runs`}${ever.faults > faults ? ` (${many(ever.faults)} over ${ever.runs} runs, ${many(ever.problems)} problems)` : ''}`;

const atOf = ({ commit, date }: Figures): string => `\`${commit}\` ${date.slice(0, 10)}`;

function totals(parts: readonly Part[], current: readonly Figures[]): string {
  const sum = (of: (one: Figures) => number): string =>
    many(current.reduce((total, one) => total + of(one), 0));
  const isRun = ({ name }: Part): boolean => current.some(({ part }) => part === name);
  const kinds = Map.groupBy(parts.filter(isRun), ({ unit }) => unit);
  const faults = [...kinds].map(([unit, ofUnit]) => {
    const names = new Set(ofUnit.map(({ name }) => name));
    const count = current.filter(({ part }) => names.has(part)).reduce((total, one) => total + one.faults, 0);
    return `${many(count)} ${unit}`;
  });
  const shown = sum((one) => one.acknowledged);
  return (
    `All rows of this commit: ${shown} events shown, ${sum((one) => one.lost)} lost, ${sum((one) => one.doubled)} doubled, ` +
    `${sum((one) => one.reordered)} re-ordered, ${sum((one) => one.problems.length)} other problems, under ` +
    `${faults.join(', ') || 'no faults'}. ${parts.filter(isRun).length} of ${parts.length} rows were run.`
  );
}

function times(current: readonly Figures[]): string {
  const rows = current
    .filter(({ ready, gaps }) => ready !== null || gaps !== null)
    .map(({ part, ready, gaps }) => [part, ...spreadCells(ready), ...spreadCells(gaps)]);
  const header = [
    '',
    'starts',
    'ready again: median',
    'worst',
    'clients cut off',
    'saw nothing: median',
    'worst',
  ];
  return rows.length === 0
    ? 'Not measured at this commit.'
    : `Ready again: from the start of the process until \`/readyz\` says so. A client that comes back after a cut asks with the last id that it has. Where a row adds up several runs, a median is that of the slowest.\n\n${table(header, rows)}`;
}

const spreadCells = (spread: Spread | null): string[] =>
  spread === null ? ['–', '–', '–'] : [many(spread.times), seconds(spread.median), seconds(spread.worst)];

function others(current: readonly Figures[]): string {
  const rows = current
    .filter(({ part }) => part !== 'F20-mutants')
    .flatMap(({ part, more, earlier }) =>
      Object.entries(more).map(([what, value]) => [
        part,
        earlier === undefined ? what : `${what}, in the last run`,
        value,
      ]),
    );
  return rows.length === 0 ? 'Not measured at this commit.' : table(['', 'what', 'came to'], rows);
}

function mutants(current: readonly Figures[]): string {
  const figures = current.find(({ part }) => part === 'F20-mutants');
  if (figures === undefined) return 'Not run at this commit.';
  const { more, faults, problems } = figures;
  const rows = Object.entries(more);
  return `${faults - problems.length} of ${faults} mistakes that are planted are found.\n\n${table(['what is planted', 'found by'], rows)}`;
}

const seeds = ({ tapes }: Stories): string =>
  tapes.length === 0
    ? 'None.'
    : `Each is kept as a tape in \`test/simulation/seeds\`, as small as it could be made, and played on every commit.\n\n${table(
        ['tape', 'what went wrong', 'played again with its fix taken out'],
        tapes.map(({ name, story, isMutant }) => [
          `\`${name}\``,
          story,
          isMutant ? `mutant \`${name}\`` : '–',
        ]),
      )}`;

const found = ({ bugs }: Stories): string =>
  bugs.length === 0
    ? 'Nothing besides.'
    : table(
        ['what went wrong', 'found by', 'mended in', 'its test'],
        bugs.map(({ what, by, mended, test }) => [what, by, `\`${mended}\``, `\`${test}\``]),
      );

const commands = (parts: readonly Part[]): string =>
  table(
    ['', 'command'],
    parts.map(({ name, repeat }) => [name, repeat === null ? 'none yet' : `\`${repeat}\``]),
  );

const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.map(plain).join(' | ')} |`).join('\n');

/** Fit for one cell. */
const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 400);
const rowOf = (name: string): string => name.split('-')[0] ?? name;
const many = (count: number): string => count.toLocaleString('en-US');
const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
