import { join } from 'node:path';
import type { Dice } from '../dice.js';
import type { Verdict } from '../verdict.js';
import { toldIn } from './children.js';
import { LOSSES, type Loss, crashState, hasUnsynced, writeState } from './crash-states.js';
import type { FilesLedger } from './files-ledger.js';
import { LogLedger } from './log-ledger.js';
import type { Bench } from './recording.js';
import { SimulatedDisk } from './simulated-disk.js';
import type { Step } from './trace.js';

/** What some processes, one after the other, did to a folder `data` in a root. */
export interface History {
  readonly name: string;
  readonly root: string;
  /** The calls of each process. */
  readonly processes: readonly (readonly Step[])[];
  /** Empty: it hears what the processes told while they are replayed. */
  readonly ledger: LogLedger | FilesLedger;
}

export interface StatesWanted {
  readonly states: number;
  readonly losses?: readonly Loss[];
  /** Only after the first call that failed, and not longer than for so many steps. */
  readonly afterFailure?: number;
}

/**
 * Judges what a loss of power may have left: about as many states as are wanted, as many after each step.
 * Returns how many there were.
 */
export async function judgeHistory(
  bench: Bench,
  history: History,
  { states, losses = LOSSES, afterFailure }: StatesWanted,
  dice: Dice,
  verdict: Verdict,
): Promise<number> {
  const steps = pointsOf(history, () => true);
  const first = afterFailure === undefined ? 0 : steps - pointsOf(history, (disk) => disk.failures > 0);
  const points = Math.min(steps - first, afterFailure ?? steps);
  const state = bench.path('state');
  let judged = 0;
  let point = 0;
  for (const disk of replay(history)) {
    point += 1;
    if (point <= first || point > first + points) continue;
    for (let due = Math.round((states * (point - first)) / points) - judged; due > 0; due--) {
      const loss = dice.pick(losses);
      writeState(state, crashState(disk, loss, dice));
      await judge(history, state, verdict, `${history.name}, point ${point} of ${steps}, lost: ${loss}`);
      judged += 1;
      // All states are the same one.
      if (!hasUnsynced(disk)) break;
    }
  }
  return judged;
}

/** Judges what lies in the root, which nothing has happened to since. */
export async function judgeEnd(history: History, verdict: Verdict): Promise<void> {
  await judge(history, history.root, verdict, `${history.name}, in the end`);
}

async function judge({ ledger }: History, root: string, verdict: Verdict, where: string): Promise<void> {
  const data = join(root, 'data');
  if (ledger instanceof LogLedger) ledger.judge(join(data, 'log'), verdict, where);
  else await ledger.judge(data, verdict, where);
}

function pointsOf(history: History, isCounted: (disk: SimulatedDisk) => boolean): number {
  let count = 0;
  for (const disk of replay(history, () => {})) if (isCounted(disk)) count += 1;
  return count;
}

/** The disk after each step that changed what a crash may leave, or what was told. */
function* replay(
  { root, processes, ledger }: History,
  hear = (line: string): void => {
    for (const told of toldIn(`${line}\n`)) ledger.take(told);
  },
): Generator<SimulatedDisk> {
  const disk = new SimulatedDisk(root);
  for (const steps of processes) {
    for (const step of steps) {
      const { version } = disk;
      const heard = disk.told.length;
      disk.apply(step);
      disk.told.slice(heard).forEach(hear);
      if (disk.version > version || disk.told.length > heard) yield disk;
    }
    disk.nextProcess();
  }
}
