import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TracedEnd, runTraced } from '../../support/strace.js';
import { type FilesChildOptions, type LogChildOptions, draftName } from './children.js';
import { type Step, TRACED, stepsIn } from './trace.js';

const MOST_BYTES = 4 * 1024 * 1024;

/** A folder in memory where there is one: nothing here needs a disk. */
export class Bench {
  readonly folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'annals-calls-'));

  path(name: string): string {
    return join(this.folder, name);
  }

  makeFolder(name: string): string {
    mkdirSync(this.path(name));
    return this.path(name);
  }

  remove(): void {
    this.empty(this.folder);
  }

  /** Removes what is in the way, or not needed any more. */
  empty(path: string): void {
    rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

export interface Recorded extends TracedEnd {
  readonly steps: readonly Step[];
}

export type Child =
  | { readonly kind: 'log'; readonly options: LogChildOptions }
  | { readonly kind: 'files'; readonly options: FilesChildOptions };

/** Where a child is made to fail: strace's own words, e.g. `fsync:error=EIO:when=3`. Each thread counts by itself. */
export type Injection = string;

export const injectionAt = ({ call, when }: CallPoint, fault: string): Injection =>
  `${call}:${fault}:when=${when}`;

/** A call of a child's thread: the how many-th of its name. */
export interface CallPoint {
  readonly call: string;
  readonly when: number;
}

/** Runs a child and writes down all that it does to a disk. */
export async function record(bench: Bench, child: Child, inject?: Injection): Promise<Recorded> {
  const file = bench.path('trace');
  // The filter in the kernel makes it quick; a signal cannot be sent from there.
  const isQuick = inject?.includes('signal=') !== true;
  const flags = ['-o', file, '-xx', '-s', String(MOST_BYTES), '-e', 'signal=none'];
  if (isQuick) flags.push('--seccomp-bpf');
  flags.push('-e', `trace=${TRACED.map((name) => `?${name}`).join(',')}`);
  if (inject !== undefined) flags.push('-e', `inject=${inject}`);
  const end = await run(child, flags);
  return { ...end, steps: stepsIn(readFileSync(file, 'latin1')) };
}

export interface Injured extends TracedEnd {
  /** Whether it got to the call. */
  readonly isHit: boolean;
}

/** Runs a child of which a call that concerns its files fails. */
export async function injure(bench: Bench, child: Child, inject: Injection): Promise<Injured> {
  const [name = ''] = inject.split(':');
  const file = bench.path('calls');
  const end = await run(child, [
    '-o',
    file,
    ...filesOf(child),
    '-e',
    `trace=${name}`,
    '-e',
    `inject=${inject}`,
  ]);
  const isHit = end.signal === 'SIGKILL' || readFileSync(file, 'latin1').includes('(INJECTED)');
  return { ...end, isHit };
}

/** Runs a child that nothing happens to. */
export const runUnharmed = (child: Child): Promise<TracedEnd> =>
  run(child, ['-o', '/dev/null', '-e', 'trace=none']);

/** All calls of these names that a child makes upon its files, in the order of their names. */
export async function callPoints(bench: Bench, child: Child, names: readonly string[]): Promise<CallPoint[]> {
  const file = bench.path('calls');
  const trace = `trace=${names.map((name) => `?${name}`).join(',')}`;
  const end = await run(child, ['-o', file, ...filesOf(child), '-e', trace]);
  if (end.code !== 0) throw new Error(`an unharmed child failed: ${end.errors}`);
  const lines = readFileSync(file, 'latin1').split('\n');
  return names.flatMap((call) => {
    const threads = lines.map((line) => /^(\d+) +(\w+)\(/.exec(line)).filter((found) => found?.[2] === call);
    const counts = Map.groupBy(threads, (found) => found?.[1]);
    const most = Math.max(0, ...[...counts.values()].map(({ length }) => length));
    return Array.from({ length: most }, (_, n) => ({ call, when: n + 1 }));
  });
}

/** So many of the points, at even distances; all where there are not so many. */
export function spread<T>(points: readonly T[], wanted: number, seed: number): T[] {
  if (wanted >= points.length) return [...points];
  const step = points.length / wanted;
  const offset = seed % Math.ceil(step);
  return Array.from({ length: wanted }, (_, n) => points[Math.floor(n * step + offset) % points.length]!);
}

const run = ({ kind, options }: Child, flags: readonly string[]): Promise<TracedEnd> =>
  runTraced(flags, `test/reliability/calls/${kind}-child.js`, [JSON.stringify(options)]);

/** Counts only calls upon these: a thread wakes another one by a write, too. */
function filesOf({ kind, options }: Child): string[] {
  const within = (names: readonly string[]): string[] => names.map((name) => join(options.folder, name));
  if (kind === 'log') {
    const names = ['log.db', 'log.db-wal', 'log.db-journal', 'log.pid', 'reserve.tmp', 'reserve', 'wal.tmp'];
    return [options.folder, ...within(names)].flatMap((path) => ['-P', path]);
  }
  const drafts = Array.from({ length: options.files * 3 }, (_, n) => `files/.drafts/${draftName(n)}`);
  const scopes = Array.from({ length: options.files + 5 }, (_, n) => [`files/s${n}`, `files/n${n}`]).flat();
  const names = ['files', 'files/.drafts', ...drafts, ...drafts.map((draft) => `${draft}.kept`), ...scopes];
  return [options.folder, ...within(names)].flatMap((path) => ['-P', path]);
}
