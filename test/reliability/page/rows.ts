/** Something that is made to fail again and again, of the fault table F1 to F22. */
export interface Part {
  /** Also the name of the file of its figures, `docs/reliability/<name>.json`. */
  readonly name: string;
  /** What is made to fail. */
  readonly what: string;
  /** What one of its faults is called, in the plural. */
  readonly unit: string;
  /** The command that repeats it, as long as one likes, and keeps its figures; null: there is none yet. */
  readonly repeat: string | null;
  /** It is a suite of CI, in these files: its tests are counted, not its faults. */
  readonly spec?: string;
}

const part = (name: string, unit: string, what: string, repeat: string | null): Part => ({
  name,
  unit,
  what,
  repeat,
});
const suite = (name: string, what: string, spec: string): Part => ({
  ...part(name, 'tests', what, `npm run test:reliability -- --suite ${name} --page`),
  spec,
});
const reliability = (name: string, unit: string, what: string, options: string): Part =>
  part(name, unit, what, `npm run test:reliability -- ${options} --page`);

/**
 * Every row of the fault table, in its order. A new row: add it here, then give `main.ts` a line with a function that
 * returns a RowReport; what it `measured` is told on the page without more ado. A command of its own calls `keepReport`.
 */
export const PARTS: readonly Part[] = [
  part(
    'F1-seeds',
    'seeds',
    'Any interleaving of three workers: crashes, pauses, lost answers, stale reads',
    'npm run sim -- --seeds 1000000 --page',
  ),
  reliability('F2-boundaries', 'kills', 'The process dies at the boundary of an event', '--boundaries 1000'),
  reliability('F2-always', 'deaths', 'Every process dies after a few appends', '--always 10'),
  reliability('F2-firings', 'kills', 'The process dies at a step of a firing', '--firings 100'),
  reliability(
    'F2-waiting',
    'kills',
    'The process dies while a run waits for somebody, and is decided on',
    '--waiting 1000',
  ),
  reliability('F3-system-calls', 'kills', 'The process dies between two system calls', '--system-calls 1000'),
  reliability(
    'F4-kills',
    'kills',
    'The process dies at random under load, on one data folder',
    '--kills 1000',
  ),
  reliability(
    'F4-replicas',
    'faults',
    'Three replicas die, freeze (F9) and stop at random under load',
    '--replicas 500',
  ),
  reliability(
    'F5-power',
    'crash states',
    'Power loss: sectors that were not synced are lost, torn and garbled',
    '--power 10000',
  ),
  reliability('F6-disk-errors', 'errors', 'A write or a sync fails', '--disk-errors 1000'),
  reliability(
    'F7-disks',
    'full disks',
    'The disk is full in the middle of a run, and is freed',
    '--disks 100',
  ),
  suite(
    'F8-log-server',
    'The log server answers wrongly, late, twice or not at all',
    'test/(contract|faults)/esdb',
  ),
  reliability(
    'F10-database',
    'kills and damages',
    'PostgreSQL dies, its folder is damaged',
    '--database 500',
  ),
  suite('F11-kafka', 'The Kafka broker is away, moves, loses its answer', 'test/programs/kafka'),
  reliability('F12-deliveries', 'kills', 'The process dies at a step of a delivery', '--deliveries 500'),
  part(
    'F12-schedules',
    'seeds',
    'Receivers of callbacks refuse, hang, reset, ask for patience, over days',
    'npm run sim -- --seeds 10000 --parts callbacks --page',
  ),
  reliability('F13-cuts', 'cuts', 'The answer of the model ends at any byte', '--cuts 1'),
  reliability(
    'F14-bad-clients',
    'clients',
    'Clients never read, half-close, send slowly, reset at any byte',
    '--bad-clients 1000',
  ),
  reliability('F15-nonsense', 'requests', 'Requests of nonsense', '--nonsense 1000000'),
  reliability('F15-fuzz', 'requests', 'Requests made from the description of the interface', '--fuzz 100000'),
  reliability('F16-poison', 'texts', 'Texts that programs stumble over, and sizes', '--poison 1000000'),
  reliability(
    'F17-zones',
    'expressions in a zone',
    'Clocks go back and forward, in every time zone',
    '--zones 200',
  ),
  suite('F18-golden', 'Logs of earlier formats are read', 'test/contract/golden-logs'),
  reliability('F19-soak', 'hours', 'Load, kills and dropped connections for hours', '--soak 2'),
  part('F20-mutants', 'mutants', 'A mistake is planted in the product', 'npm run sim -- --mutants --page'),
  reliability(
    'F21-greed',
    'requests',
    'One caller asks for what would stop the service for the others',
    '--greed 100',
  ),
  reliability(
    'F22-mcp-tasks',
    'kills',
    "The process dies while a tool server has a Task of a run's call",
    '--mcp-tasks 1000',
  ),
];

/** @throws Error where there is no such part */
export function partNamed(name: string): Part {
  const found = PARTS.find((one) => one.name === name);
  if (found === undefined)
    throw new Error(`${name} is no row of test/reliability/page/rows.ts: add it there`);
  return found;
}
