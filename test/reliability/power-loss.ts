import { join } from 'node:path';
import type { Loss } from './calls/crash-states.js';
import { FilesLedger } from './calls/files-ledger.js';
import { type History, judgeHistory } from './calls/history.js';
import { LogLedger, readIds } from './calls/log-ledger.js';
import { Bench, type Child, type Injection, record } from './calls/recording.js';
import type { Step } from './calls/trace.js';
import { Dice } from './dice.js';
import { type RowReport, Verdict } from './verdict.js';

export interface PowerLossOptions {
  readonly seed: number;
  readonly states: number;
  /** NORMAL must lose events: the row can fail. */
  readonly synchronous?: 'FULL' | 'NORMAL';
}

const STATES_A_HISTORY = 1_000;
const STATES_OF_ONE_LOSS = 250;
const APPENDS = 15;
const FILES = 14;
const WAL_BYTES = 64 * 1024;

/** F5: what a power loss may leave after each system call of a process is opened, read and gone on with. */
export async function powerLoss({ seed, states, synchronous }: PowerLossOptions): Promise<RowReport> {
  const bench = new Bench();
  const verdict = new Verdict();
  const judged = { log: 0, files: 0 };
  try {
    for (let n = 0; judged.log + judged.files < states; n++) {
      const dice = new Dice(seed * 1009 + n);
      const kind = n % 5 === 4 && synchronous !== 'NORMAL' ? 'files' : 'log';
      const kills = Array.from({ length: dice.below(3) }, () => someKill(kind, dice));
      const history = await historyOf(bench, { kind, kills, dice, name: `${kind} ${n}`, synchronous });
      const wanted = { states: Math.min(STATES_A_HISTORY, states - judged.log - judged.files) };
      judged[kind] += await judgeHistory(bench, history, wanted, dice, verdict);
      verdict.acknowledged += history.ledger.acknowledged;
    }
  } finally {
    bench.remove();
  }
  const faults = judged.log + judged.files;
  const line = `F5 ${faults} states after a power loss (${judged.log} of the log, ${judged.files} of files; seed ${seed}): ${verdict.line}`;
  return { faults, verdict, line };
}

/** The power fails at each step of processes of which the first died at a call; what was not synced is lost. */
export async function loseUnsynced(
  kind: Child['kind'],
  kill: Injection | null,
  loss: Loss,
): Promise<Verdict> {
  const bench = new Bench();
  const verdict = new Verdict();
  try {
    const dice = new Dice(7);
    const kills = kill === null ? [] : [kill];
    const name = `${kind}, ${kill ?? 'unharmed'}`;
    const history = await historyOf(bench, { kind, kills, dice, name, isOneScope: true });
    const wanted = { states: STATES_OF_ONE_LOSS, losses: [loss] };
    await judgeHistory(bench, history, wanted, dice, verdict);
    verdict.acknowledged += history.ledger.acknowledged;
  } finally {
    bench.remove();
  }
  return verdict;
}

interface Script {
  readonly kind: Child['kind'];
  readonly kills: readonly Injection[];
  readonly dice: Dice;
  readonly name: string;
  readonly synchronous?: 'FULL' | 'NORMAL' | undefined;
  readonly isOneScope?: boolean;
}

/** Processes each on the folder that the last one has left: some that are killed, and one that comes to its end. */
async function historyOf(bench: Bench, script: Script): Promise<History> {
  const { kind, kills, dice, name, synchronous, isOneScope = false } = script;
  const root = bench.makeFolder(`history ${name}`);
  const child = (): Child => {
    const seed = dice.below(1e9);
    if (kind === 'files')
      return { kind, options: { folder: join(root, 'data'), files: FILES, seed, isOneScope } };
    const folder = join(root, 'data', 'log');
    const options = { folder, appends: APPENDS, walBytes: WAL_BYTES, seed };
    return { kind, options: { ...options, synchronous: synchronous ?? 'FULL' } };
  };
  const processes: (readonly Step[])[] = [];
  for (const kill of kills) processes.push((await record(bench, child(), kill)).steps);
  const last = await record(bench, child());
  if (last.code !== 0) throw new Error(`${name}: ${last.errors}${last.output.slice(-300)}`);
  processes.push(last.steps);
  const ledger = kind === 'log' ? new LogLedger(readIds(join(root, 'data', 'log'))) : new FilesLedger();
  return { name, root, processes, ledger };
}

/** Calls of a child, and how many of each there are at the least. */
const CALLS: Readonly<Record<Child['kind'], readonly (readonly [string, number])[]>> = {
  log: [
    ['pwrite64', 65],
    ['pwrite64', 65],
    ['fsync', 20],
  ],
  files: [
    ['fsync', 20],
    ['rename', 6],
    ['link', 6],
    ['mkdir', 6],
  ],
};

function someKill(kind: Child['kind'], dice: Dice): Injection {
  const [call, most] = dice.pick(CALLS[kind]);
  return `${call}:signal=SIGKILL:when=${1 + dice.below(most)}`;
}
