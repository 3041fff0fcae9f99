import { parseArgs } from 'node:util';
import { alwaysCrash } from './always-crash.js';
import { badClients } from './bad-clients.js';
import { cutModel } from './cut-model.js';
import { databaseKills } from './database-kills.js';
import { fullDisk } from './full-disk.js';
import { killAtBoundaries } from './kill-at-boundaries.js';
import { killDeliveries } from './kill-deliveries.js';
import { killFirings } from './kill-firings.js';
import { nonsense } from './nonsense.js';
import { poison } from './poison.js';
import { randomKills } from './random-kills.js';
import { replicaFaults } from './replicas.js';
import { numberOfCommit } from '../support/commit-number.js';
import { type RowReport, say } from './verdict.js';
import { zones } from './zones.js';

const USAGE = `npm run test:reliability -- [row and how often] …
  --boundaries N   F2   kills at event boundaries
  --always N       F2   rounds in which every process dies after a few appends
  --kills N        F4   kills at random, under --streams N (200) clients
  --replicas N     F4, F9  three replicas killed, frozen and stopped at random, under --streams N clients
  --disks N        F7   times the disk is full (root)
  --database N     F10  kills of PostgreSQL, and damaged folders
  --deliveries N   F12  kills at the steps of deliveries
  --firings N      F2   kills at the steps of firings
  --cuts STEP      F13  a model cut at each STEP-th byte
  --bad-clients N  F14  of each kind
  --nonsense N     F15  requests
  --poison N       F16  texts
 --zones N        F17  cron expressions in each IANA zone
  --seed N         the number of the commit`;

const options = {
  boundaries: { type: 'string' },
  always: { type: 'string' },
  kills: { type: 'string' },
  streams: { type: 'string', default: '200' },
  replicas: { type: 'string' },
  disks: { type: 'string' },
  database: { type: 'string' },
  deliveries: { type: 'string' },
  firings: { type: 'string' },
  cuts: { type: 'string' },
  'bad-clients': { type: 'string' },
  nonsense: { type: 'string' },
  poison: { type: 'string' },
  zones: { type: 'string' },
  seed: { type: 'string' },
  help: { type: 'boolean' },
} as const;

const { values } = parseArgs({ options });
const seed = values.seed === undefined ? numberOfCommit() : Number(values.seed);

const rows: readonly (readonly [string | undefined, (n: number) => Promise<RowReport>])[] = [
  [values.boundaries, (n) => killAtBoundaries(n, seed)],
  [values.always, alwaysCrash],
  [
    values.kills,
    (n) => randomKills({ seed, kills: n, streams: Number(values.streams), leastMs: 500, mostMs: 5_000 }),
  ],
  [values.replicas, (faults) => replicaFaults({ seed, faults, streams: Number(values.streams) })],
  [values.disks, fullDisk],
  [values.database, databaseKills],
  [values.deliveries, (n) => killDeliveries(n, seed)],
  [values.firings, (n) => killFirings(n, seed)],
  [values.cuts, cutModel],
  [values['bad-clients'], badClients],
  [values.nonsense, (n) => nonsense(n, seed)],
  [values.poison, (n) => poison(n, seed)],
  [values.zones, (crons) => Promise.resolve(zones({ crons, isEveryZone: true, seed }))],
];

if (values.help === true || rows.every(([n]) => n === undefined)) say(USAGE);
for (const [n, play] of rows) {
  if (n === undefined) continue;
  const { verdict, line } = await play(Number(n));
  say(line);
  for (const problem of verdict.problems) say(`  ${problem}`);
  if (verdict.problems.length > 0) process.exitCode = 1;
}
