import { parseArgs } from 'node:util';
import { alwaysCrash } from './always-crash.js';
import { badClients } from './bad-clients.js';
import { cutModel } from './cut-model.js';
import { databaseKills } from './database-kills.js';
import { diskErrors } from './disk-errors.js';
import { fullDisk } from './full-disk.js';
import { fuzz } from './fuzz.js';
import { greed } from './greed.js';
import { killAtBoundaries } from './kill-at-boundaries.js';
import { killAtCalls } from './kill-at-calls.js';
import { killDeliveries } from './kill-deliveries.js';
import { killFirings } from './kill-firings.js';
import { killTasks } from './kill-tasks.js';
import { killWaiting } from './kill-waiting.js';
import { nonsense } from './nonsense.js';
import { keepReport } from './page/figures.js';
import { runSuite } from './page/suite.js';
import { PAGE, writePage } from './page/write-page.js';
import { poison } from './poison.js';
import { powerLoss } from './power-loss.js';
import { randomKills } from './random-kills.js';
import { replicaFaults } from './replicas.js';
import { soak } from './soak.js';
import { numberOfCommit } from '../support/commit-number.js';
import { type RowReport, say } from './verdict.js';
import { zones } from './zones.js';

const USAGE = `npm run test:reliability -- [row and how often] …
  --boundaries N   F2   kills at event boundaries
  --always N       F2   rounds in which every process dies after a few appends
  --firings N      F2   kills at the steps of firings
  --waiting N      F2   kills of runs that wait, and are decided on
  --system-calls N F3   deaths between two system calls (strace), spread over those of --appends N (1000) appends
  --kills N        F4   kills at random, under --streams N (200) clients
  --replicas N     F4, F9  three replicas killed, frozen and stopped at random, under --streams N clients
  --power N        F5   states that a loss of power may leave (strace)
  --disk-errors N  F6   writes and syncs that fail (strace)
  --disks N        F7   times the disk is full (root)
  --database N     F10  kills of PostgreSQL, and damaged folders
  --deliveries N   F12  kills at the steps of deliveries
  --cuts STEP      F13  a model cut at each STEP-th byte
  --bad-clients N  F14  of each kind
  --nonsense N     F15  requests
  --fuzz N         F15  requests made from the description of the interface
  --poison N       F16  texts
  --zones N        F17  cron expressions in each IANA zone
  --soak HOURS     F19  of load and dropped connections (0.05: 3 minutes), under --streams N clients, killed each --life S (180)
  --greed N        F21  of each kind of request that would stop the service for others
  --mcp-tasks N    F22  kills of runs with a Task at a tool server
  --leak BYTES     what the service is made to keep of each request in --fuzz and --soak, which they must find
  --suite NAME     a suite of CI that stands for a row of the page
  --seed N         the number of the commit
  --page           keeps the figures, and writes docs/reliability.md from all that are kept; without rows it only writes`;

const options = {
  boundaries: { type: 'string' },
  always: { type: 'string' },
  firings: { type: 'string' },
  waiting: { type: 'string' },
  'system-calls': { type: 'string' },
  appends: { type: 'string', default: '1000' },
  kills: { type: 'string' },
  streams: { type: 'string', default: '200' },
  replicas: { type: 'string' },
  power: { type: 'string' },
  'disk-errors': { type: 'string' },
  disks: { type: 'string' },
  database: { type: 'string' },
  deliveries: { type: 'string' },
  cuts: { type: 'string' },
  'bad-clients': { type: 'string' },
  nonsense: { type: 'string' },
  fuzz: { type: 'string' },
  poison: { type: 'string' },
  zones: { type: 'string' },
  soak: { type: 'string' },
  greed: { type: 'string' },
  'mcp-tasks': { type: 'string' },
  life: { type: 'string', default: '180' },
  leak: { type: 'string' },
  suite: { type: 'string' },
  seed: { type: 'string' },
  page: { type: 'boolean', default: false },
  help: { type: 'boolean' },
} as const;

const { values } = parseArgs({ options });
const seed = values.seed === undefined ? numberOfCommit() : Number(values.seed);
const streams = Number(values.streams);
const appends = Number(values.appends);
const lifeMs = Number(values.life) * 1_000;
const leak = values.leak === undefined ? {} : { leak: { bytes: Number(values.leak) } };

type Option = Exclude<
  keyof typeof options,
  'streams' | 'appends' | 'life' | 'leak' | 'suite' | 'seed' | 'page' | 'help'
>;

/** The option, its name on the page (page/rows.ts), and what it does. What it returns is all that the page needs. */
const rows: readonly (readonly [Option, string, (n: number) => Promise<RowReport>])[] = [
  ['boundaries', 'F2-boundaries', (n) => killAtBoundaries(n, seed)],
  ['always', 'F2-always', alwaysCrash],
  ['firings', 'F2-firings', (n) => killFirings(n, seed)],
  ['waiting', 'F2-waiting', (n) => killWaiting(n, seed)],
  ['system-calls', 'F3-system-calls', (n) => killAtCalls({ seed, kills: n, appends })],
  ['kills', 'F4-kills', (n) => randomKills({ seed, kills: n, streams, leastMs: 500, mostMs: 5_000 })],
  ['replicas', 'F4-replicas', (faults) => replicaFaults({ seed, faults, streams })],
  ['power', 'F5-power', (states) => powerLoss({ seed, states })],
  ['disk-errors', 'F6-disk-errors', (errors) => diskErrors({ seed, errors })],
  ['disks', 'F7-disks', fullDisk],
  ['database', 'F10-database', databaseKills],
  ['deliveries', 'F12-deliveries', (n) => killDeliveries(n, seed)],
  ['cuts', 'F13-cuts', cutModel],
  ['bad-clients', 'F14-bad-clients', badClients],
  ['nonsense', 'F15-nonsense', (n) => nonsense(n, seed)],
  ['fuzz', 'F15-fuzz', (requests) => fuzz({ requests, seed, ...leak })],
  ['poison', 'F16-poison', (n) => poison(n, seed)],
  ['zones', 'F17-zones', (crons) => Promise.resolve(zones({ crons, isEveryZone: true, seed }))],
  ['soak', 'F19-soak', (hours) => soak({ seed, hours, streams, lifeMs, ...leak })],
  ['greed', 'F21-greed', greed],
  ['mcp-tasks', 'F22-mcp-tasks', (n) => killTasks(n, seed)],
];

async function carryOut(name: string, told: string, play: () => Promise<RowReport>): Promise<void> {
  const since = performance.now();
  const report = await play();
  const seconds = (performance.now() - since) / 1000;
  say(report.line);
  for (const problem of report.verdict.problems) say(`  ${problem}`);
  if (report.verdict.problems.length > 0) process.exitCode = 1;
  if (values.page) keepReport(name, report, seconds, `npm run test:reliability -- ${told}`);
}

const wanted = rows.filter(([option]) => values[option] !== undefined);
if (values.help === true || (wanted.length === 0 && values.suite === undefined && !values.page)) say(USAGE);
for (const [option, name, play] of wanted) {
  const n = String(values[option]);
  await carryOut(name, `--${option} ${n} --seed ${seed}`, () => play(Number(n)));
}
const { suite } = values;
if (suite !== undefined) await carryOut(suite, `--suite ${suite}`, () => runSuite(suite));
if (values.page) {
  writePage();
  say(`${PAGE} is written`);
}
