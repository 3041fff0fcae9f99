import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { keepReport } from '../reliability/page/figures.js';
import { writePage } from '../reliability/page/write-page.js';
import { Verdict } from '../reliability/verdict.js';
import { type CampaignResult, MAX_FAILURES, campaign, summaryOf } from './campaign.js';
import { Tape } from './engine/tape.js';
import { type KeptTape, keptTapes } from './kept.js';
import { findEveryMutant, findMutants } from './find-mutants.js';
import { type PlayOptions, play } from './play.js';
import { report } from './report.js';
import { shrink } from './shrink.js';
import { MOST_OF_ONE, sideBySide } from './side-by-side.js';
import { FLAWS, type Flaw } from './world/flaws.js';
import { PART_NAMES, type Part, partsOfSeed } from './world/parts.js';

const USAGE = `usage: npm run sim -- [--seed N | --tape FILE | --seeds N | --minutes M] [--from N] [--flaw NAME] [--always-crash] [--shrink] [--first] [--processes N] [--json]
  --seed N      plays one seed and tells what happened
  --tape FILE   plays recorded choices (a JSON array, or a file of test/simulation/seeds) and tells what happened
  --seeds N     plays N seeds, from --from on (default: from the time)
  --minutes M   plays seeds for M minutes
  --shrink      makes the tape of a failure as small as it gets before it is told
  --processes N plays the seeds of --seeds in N processes at once; not with --minutes or --first
  --first       ends with the first seed that fails
  --repeat      plays every seed twice: both must be the same to the last step
  --kept        plays the tapes of test/simulation/seeds
  --parts LIST  what the worlds have besides runs: ${PART_NAMES.join(', ')}, joined by commas; '' for nothing (default: as the seed says)
  --mutants     plants the mistakes of the goals into a copy of the product, and says what finds each
  --every       with --mutants: plants all that there are, not only those of the goals
  --page        keeps the figures of --seeds, --minutes or --mutants, and writes docs/reliability.md
  --forks       looks at forks of every event of every session, not only of a few
  --flaw NAME   plants a mistake: ${Object.keys(FLAWS).join(', ')}`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    tape: { type: 'string' },
    seeds: { type: 'string' },
    minutes: { type: 'string' },
    from: { type: 'string' },
    flaw: { type: 'string' },
    parts: { type: 'string' },
    'always-crash': { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
    processes: { type: 'string', default: '1' },
    repeat: { type: 'boolean', default: false },
    kept: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    every: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
    forks: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const options: PlayOptions = {
  flaw: (values.flaw ?? null) as Flaw | null,
  alwaysCrash: values['always-crash'],
  isEveryFork: values.forks,
  ...(values.parts === undefined ? {} : { parts: partsIn(values.parts) }),
};

function partsIn(list: string): readonly Part[] {
  return PART_NAMES.filter((name) => list.split(',').includes(name));
}

async function tell(tape: Tape, how: Pick<PlayOptions, 'parts' | 'alwaysCrash'>): Promise<void> {
  const world = { ...how, ...options };
  const first = await play(tape, { ...world, isTraced: true });
  if (first.violation === null || !values.shrink) {
    console.log(report(first));
    console.log(first.violation === null ? `\nnothing is broken; hash ${first.hash}` : '');
    process.exitCode = first.violation === null ? 0 : 1;
    return;
  }
  const { choices, plays } = await shrink(first.choices, first.violation.invariant, world);
  console.log(report(await play(Tape.of(choices), { ...world, isTraced: true })));
  console.log(`\nshrunk from ${first.choices.length} choices to ${choices.length} in ${plays} plays:`);
  console.log(JSON.stringify(choices));
  process.exitCode = 1;
}

async function many(): Promise<void> {
  const from = Number(values.from ?? Math.floor(Date.now() / 1000) * 1000);
  const seeds = Number(values.seeds ?? (values.minutes ? Infinity : 1000));
  const processes = Number(values.processes);
  if (!(processes >= 1)) throw new RangeError('--processes takes a positive integer');
  // What ends early ends in one process.
  const isWhole = values.minutes === undefined && !values.first;
  const result =
    isWhole && (processes > 1 || seeds > MOST_OF_ONE)
      ? await sideBySide(processes, { from, seeds }, passedOn())
      : await campaign({
          from,
          seeds,
          minutes: Number(values.minutes ?? Infinity),
          play: options,
          maxFailures: values.first ? 1 : MAX_FAILURES,
          isRepeated: values.repeat,
        });
  finish(result);
  if (values.page) keepCampaign(values.parts === 'callbacks' ? 'F12-schedules' : 'F1-seeds', result);
}

/** What holds for each of several processes, too. */
function passedOn(): string[] {
  const { flaw, parts } = values;
  const texts = Object.entries({ flaw, parts }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${value}`],
  );
  const switches = (['always-crash', 'repeat', 'forks'] as const).filter((name) => values[name]);
  return [...texts, ...switches.map((name) => `--${name}`)];
}

function keepCampaign(part: string, result: CampaignResult): void {
  const { seeds, from, steps, seconds, failures, marks } = result;
  const verdict = new Verdict();
  for (const { seed, invariant, detail } of failures) verdict.note(`${seed}: ${invariant}: ${detail}`);
  const reached = Object.values(marks).reduce((sum, times) => sum + times, 0);
  const more = {
    'steps of simulated worlds': steps.toLocaleString('en-US'),
    'faults and other marks reached in them': `${reached.toLocaleString('en-US')} of ${Object.keys(marks).length} kinds`,
  };
  const options = `--seeds ${seeds} --from ${from}${values.parts === undefined ? '' : ` --parts ${values.parts}`}`;
  const line = `${part} ${seeds} seeds`;
  keepReport(
    part,
    { faults: seeds, verdict, line, measured: { more } },
    seconds,
    `npm run sim -- ${options}`,
  );
  writePage();
}

async function mutants(): Promise<void> {
  const since = performance.now();
  const report = await (values.every ? findEveryMutant : findMutants)(process.cwd());
  console.log(report.line);
  for (const problem of report.verdict.problems) console.log(`  ${problem}`);
  process.exitCode = report.verdict.problems.length > 0 ? 1 : 0;
  if (!values.page || values.every) return;
  keepReport('F20-mutants', report, (performance.now() - since) / 1000, 'npm run sim -- --mutants');
  writePage();
}

async function kept(): Promise<void> {
  const start = performance.now();
  const failures = [];
  let steps = 0;
  const tapes = keptTapes();
  for (const [seed, { story, tape, ...how }] of tapes.entries()) {
    const result = await play(Tape.of(tape), { ...options, ...how });
    steps += result.steps;
    if (result.violation)
      failures.push({ seed, ...result.violation, detail: `${story}: ${result.violation.detail}` });
  }
  const seconds = (performance.now() - start) / 1000;
  finish({ from: 0, seeds: tapes.length, steps, seconds, failures, marks: {} });
}

function finish(result: CampaignResult): void {
  console.log(values.json ? JSON.stringify(result) : summaryOf(result));
  process.exitCode = result.failures.length > 0 ? 1 : 0;
}

function tapeIn(file: string): Omit<KeptTape, 'story'> {
  const parsed = JSON.parse(readFileSync(file, 'utf8')) as readonly number[] | KeptTape;
  return 'tape' in parsed ? parsed : { tape: parsed };
}

async function tellKept({ tape, ...how }: Omit<KeptTape, 'story'>): Promise<void> {
  await tell(Tape.of(tape), how);
}

if (values.help) console.log(USAGE);
else if (values.seed !== undefined)
  await tell(Tape.ofSeed(Number(values.seed)), { parts: partsOfSeed(Number(values.seed)) });
else if (values.tape !== undefined) await tellKept(tapeIn(values.tape));
else if (values.kept) await kept();
else if (values.mutants) await mutants();
else await many();
