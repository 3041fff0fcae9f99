import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a service that was killed left running in the data folder. */
export interface Predecessor {
  readonly postmaster: number | null;
  /** Its other processes: a busy backend outlives its postmaster, and keeps the next one from starting. */
  readonly others: readonly number[];
}

/** How long it may take to shut down in order, then at once, before it is killed. */
const ORDERLY_MS = 1_000;
const IMMEDIATE_MS = 500;
const LOOK_MS = 5;

/** The processes that work in the folder; null: there are none. */
export function findPredecessor(folder: string): Predecessor | null {
  const stated = statedPid(folder);
  const working = pidsIn(folder);
  if (working === null)
    return stated !== null && isPostmaster(stated) ? { postmaster: stated, others: [] } : null;
  if (working.length === 0) return null;
  const postmaster = stated !== null && working.includes(stated) ? stated : null;
  return { postmaster, others: working.filter((pid) => pid !== postmaster) };
}

/** Ends them, politely at first; resolves when they are gone. Says by which signal. */
export async function endPredecessor(found: Predecessor, folder: string): Promise<NodeJS.Signals> {
  if (found.postmaster !== null) {
    signal(found.postmaster, 'SIGINT');
    if (await isGone(folder, ORDERLY_MS)) return 'SIGINT';
  }
  for (const pid of pidsOf(findPredecessor(folder))) signal(pid, 'SIGQUIT');
  if (await isGone(folder, IMMEDIATE_MS)) return 'SIGQUIT';
  for (const pid of pidsOf(findPredecessor(folder))) signal(pid, 'SIGKILL');
  await isGone(folder, IMMEDIATE_MS);
  return 'SIGKILL';
}

const pidsOf = (found: Predecessor | null): readonly number[] =>
  found === null ? [] : [...(found.postmaster === null ? [] : [found.postmaster]), ...found.others];

async function isGone(folder: string, ms: number): Promise<boolean> {
  for (let waited = 0; waited < ms; waited += LOOK_MS) {
    if (findPredecessor(folder) === null) return true;
    await sleep(LOOK_MS);
  }
  return findPredecessor(folder) === null;
}

function statedPid(folder: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(join(folder, 'postmaster.pid'), 'utf8'), 10);
    return pid > 1 ? pid : null;
  } catch {
    return null;
  }
}

/** PostgreSQL's processes always work in its folder; null where /proc is missing. A shell of the operator's may, too. */
function pidsIn(folder: string): number[] | null {
  let entries: string[];
  try {
    entries = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return null;
  }
  const real = realpathSync(folder);
  return entries.filter((pid) => workingFolder(pid) === real && isPostgres(pid)).map(Number);
}

function workingFolder(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

/** Its main process has the program's path, the others a title like `postgres: checkpointer`. */
function isPostgres(pid: string): boolean {
  try {
    const [command = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return /(?:^|\/)postgres(?:$|:)/.test(command);
  } catch {
    return false;
  }
}

/** Where there is no /proc; the pid may belong to somebody else by now. */
const isPostmaster = (pid: number): boolean =>
  spawnSync('ps', ['-p', String(pid), '-o', 'command=']).stdout?.includes('postgres') ?? false;

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself.
  }
}
