import { join } from 'node:path';
import { GAVE_UP, REFUSED, toldIn } from './calls/children.js';
import { FilesLedger } from './calls/files-ledger.js';
import { type History, judgeEnd, judgeHistory } from './calls/history.js';
import { LogLedger, readIds } from './calls/log-ledger.js';
import {
  Bench,
  type Child,
  type Injection,
  callPoints,
  injectionAt,
  injure,
  record,
  spread,
} from './calls/recording.js';
import type { TracedEnd } from '../support/strace.js';
import { Dice } from './dice.js';
import { type RowReport, Verdict } from './verdict.js';

export interface DiskErrorsOptions {
  readonly seed: number;
  /** How many calls of the log fail; half as many of the file store do. */
  readonly errors: number;
}

const WAL_BYTES = 64 * 1024;
const FEWEST = 16;
/** So many appends have a call more than there are errors. */
const APPENDS_AN_ERROR = 0.2;
/** After each error the power may fail, too: at one of the steps that follow. */
const STATES = { states: 60, afterFailure: 60 };

const CALLS: Readonly<Record<Child['kind'], readonly string[]>> = {
  log: ['fsync', 'fdatasync', 'pwrite64', 'ftruncate'],
  files: ['fsync', 'fdatasync', 'write', 'pwrite64'],
};

/**
 * F6: one call after the other fails with EIO, in each thread that gets to it. What was acknowledged is there afterwards,
 * also where the power fails at any time later, and what was refused is not.
 */
export async function diskErrors({ seed, errors }: DiskErrorsOptions): Promise<RowReport> {
  const bench = new Bench();
  const verdict = new Verdict();
  const faults = { log: 0, files: 0 };
  let states = 0;
  try {
    for (const kind of ['log', 'files'] as const) {
      const wanted = kind === 'log' ? errors : Math.ceil(errors / 2);
      const some = (root: string) => childOf(kind, root, Math.max(FEWEST, wanted * APPENDS_AN_ERROR), seed);
      const all = await callPoints(bench, some(bench.makeFolder(kind)), CALLS[kind]);
      for (const [n, point] of spread(all, wanted, seed).entries()) {
        // Every other disk fails on and on, until the next process.
        const inject = injectionAt(point, 'error=EIO') + (n % 2 === 0 ? '+' : '');
        const history = await failing(bench, some, inject, verdict);
        if (history === null) continue;
        faults[kind] += 1;
        const dice = new Dice(seed + faults[kind]);
        states += await judgeHistory(bench, history, STATES, dice, verdict);
        await judgeEnd(history, verdict);
        verdict.acknowledged += history.ledger.acknowledged;
        bench.empty(history.root);
      }
    }
  } finally {
    bench.remove();
  }
  const line = `F6 ${faults.log + faults.files} errors of a disk (${faults.log} of the log, ${faults.files} of files), and ${states} times the power failed later (seed ${seed}): ${verdict.line}`;
  return { faults: faults.log + faults.files, verdict, line };
}

function childOf(kind: Child['kind'], root: string, steps: number, seed: number): Child {
  const data = join(root, 'data');
  return kind === 'files'
    ? { kind, options: { folder: data, files: Math.ceil(steps), seed } }
    : { kind, options: { folder: join(data, 'log'), appends: steps, walBytes: WAL_BYTES, seed } };
}

/** The calls of the log that `inject` names fail, and at a step that follows the power does. */
export async function failLog(inject: Injection): Promise<Verdict> {
  const bench = new Bench();
  const verdict = new Verdict();
  try {
    const history = await failing(bench, (root) => childOf('log', root, FEWEST, 1), inject, verdict);
    if (history === null) throw new Error(`no call for ${inject}`);
    await judgeHistory(bench, history, { states: 500, afterFailure: 100 }, new Dice(1), verdict);
    verdict.acknowledged += history.ledger.acknowledged;
  } finally {
    bench.remove();
  }
  return verdict;
}

/** A process of which a call fails, and one after it that finds a good disk. Null: it did not get to the call. */
async function failing(
  bench: Bench,
  some: (root: string) => Child,
  inject: Injection,
  verdict: Verdict,
): Promise<History | null> {
  const root = bench.makeFolder(inject);
  const child = some(root);
  const { kind } = child;
  const name = `${kind}, ${inject}`;
  // A write of the file store is told from others by its file, which a recording cannot do.
  const isRecorded = !(kind === 'files' && inject.startsWith('write:'));
  const recorded = isRecorded ? await record(bench, child, inject) : null;
  const first = recorded ?? (await injure(bench, child, inject));
  const isHit = 'isHit' in first ? first.isHit : first.steps.some(({ call }) => call.isInjected);
  if (!isHit) return null;
  verdict.require(
    isHonest(kind, first),
    () => `${name}: it ended with ${first.code}: ${first.errors.slice(-500)}`,
  );
  const second = await record(bench, child);
  verdict.require(second.code === 0, () => `${name}: the next one failed: ${second.errors.slice(-500)}`);
  const ledger = kind === 'log' ? new LogLedger(readIds(join(root, 'data', 'log')), true) : new FilesLedger();
  if (recorded !== null) return { name, root, processes: [recorded.steps, second.steps], ledger };
  for (const told of toldIn(first.output + second.output)) ledger.take(told);
  return { name, root, processes: [], ledger };
}

/** It went on, or it said what was wrong. */
function isHonest(kind: Child['kind'], { code, errors }: TracedEnd): boolean {
  if (code === 0 || code === GAVE_UP) return true;
  return kind === 'log' ? code === REFUSED : errors.includes('EIO');
}
