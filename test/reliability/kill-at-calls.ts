import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { toldIn } from './calls/children.js';
import { FilesLedger } from './calls/files-ledger.js';
import { judgeEnd } from './calls/history.js';
import { LogLedger } from './calls/log-ledger.js';
import {
  Bench,
  type CallPoint,
  type Child,
  callPoints,
  injectionAt,
  injure,
  runUnharmed,
  spread,
} from './calls/recording.js';
import { type RowReport, Verdict } from './verdict.js';

export interface KillAtCallsOptions {
  readonly seed: number;
  readonly kills: number;
  /** Of each process, unless it dies before. */
  readonly appends: number;
  /** Appends that are acknowledged before they are stored must be found: the row can fail. */
  readonly isHasty?: boolean;
}

const WAL_BYTES = 64 * 1024;
/** Of four deaths one is in the file store. */
const SHARE_OF_FILES = 0.25;
/** So many processes die one after the other on one folder. */
const DEATHS_A_FOLDER = 8;

const CALLS: Readonly<Record<Child['kind'], readonly string[]>> = {
  log: ['pwrite64', 'fsync', 'fdatasync', 'write', 'ftruncate', 'unlink', 'rename'],
  files: ['write', 'fsync', 'rename', 'link', 'mkdir', 'unlink', 'rmdir'],
};

/** F3: the process dies before the n-th call by which it changes its files, and the next one opens what it has left. */
export async function killAtCalls(options: KillAtCallsOptions): Promise<RowReport> {
  const bench = new Bench();
  const verdict = new Verdict();
  const kills = { log: 0, files: 0 };
  try {
    const ofFiles = options.isHasty === true ? 0 : Math.floor(options.kills * SHARE_OF_FILES);
    const log = await killAll(bench, 'log', options.kills - ofFiles, options, verdict);
    const files = ofFiles === 0 ? 0 : await killAll(bench, 'files', ofFiles, options, verdict);
    kills.log = log;
    kills.files = files;
  } finally {
    bench.remove();
  }
  const line = `F3 ${kills.log + kills.files} deaths between two system calls (${kills.log} of the log, ${kills.files} of files; seed ${options.seed}): ${verdict.line}`;
  return { faults: kills.log + kills.files, verdict, line };
}

/** How many processes died. */
async function killAll(
  bench: Bench,
  kind: Child['kind'],
  wanted: number,
  options: KillAtCallsOptions,
  verdict: Verdict,
): Promise<number> {
  const unharmed = childOf(kind, bench.makeFolder(`${kind} unharmed`), options, 0);
  const all = await callPoints(bench, unharmed, CALLS[kind]);
  let kills = 0;
  // More than there are calls: another round, at the same calls of processes that find another folder.
  for (let round = 0; kills < wanted && all.length > 0; round++) {
    const points = spread(all, wanted - kills, options.seed + round);
    for (let n = 0; n < points.length; n += DEATHS_A_FOLDER) {
      const name = `${kind} ${round}.${n}`;
      kills += await killInTurn(bench, name, kind, points.slice(n, n + DEATHS_A_FOLDER), options, verdict);
    }
  }
  return kills;
}

async function killInTurn(
  bench: Bench,
  name: string,
  kind: Child['kind'],
  points: readonly CallPoint[],
  options: KillAtCallsOptions,
  verdict: Verdict,
): Promise<number> {
  const root = bench.makeFolder(name);
  const ledger = kind === 'log' ? new LogLedger() : new FilesLedger();
  const history = { name, root, processes: [], ledger };
  let kills = 0;
  for (const [n, point] of points.entries()) {
    const inject = injectionAt(point, 'signal=SIGKILL');
    const { isHit, output, code, errors } = await injure(bench, childOf(kind, root, options, n + 1), inject);
    kills += isHit ? 1 : 0;
    verdict.require(
      isHit || code === 0,
      () => `${name}, ${inject}: ended with ${code}: ${errors.slice(-500)}`,
    );
    for (const told of toldIn(output)) ledger.take(told);
    const copy = bench.path('copy');
    cpSync(root, copy, { recursive: true });
    await judgeEnd({ ...history, root: copy, name: `${name}, ${inject}` }, verdict);
    bench.empty(copy);
  }
  const last = await runUnharmed(childOf(kind, root, options, 0));
  verdict.require(last.code === 0, () => `${name}: the last one failed: ${last.errors.slice(-500)}`);
  for (const told of toldIn(last.output)) ledger.take(told);
  await judgeEnd(history, verdict);
  verdict.acknowledged += ledger.acknowledged;
  bench.empty(root);
  return kills;
}

function childOf(kind: Child['kind'], root: string, options: KillAtCallsOptions, n: number): Child {
  const data = join(root, 'data');
  const seed = options.seed + n;
  const { appends, isHasty = false } = options;
  return kind === 'files'
    ? { kind, options: { folder: data, files: Math.ceil(appends / 2), seed } }
    : { kind, options: { folder: join(data, 'log'), appends, walBytes: WAL_BYTES, seed, isHasty } };
}
