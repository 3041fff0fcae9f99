import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  DeliveryFold,
  NO_SESSION,
  type RecordedSessionEvent,
  type RunState,
  type SessionState,
  type TaskState,
  asDeliveryEvent,
  asSessionEvent,
  asTaskEvent,
  evolveRun,
  evolveSession,
  evolveTask,
  newRun,
  nextAction,
  runOfDeliveryStream,
  sessionOfStream,
  taskOfStream,
} from '#domain';
import type { EventLog, RecordedEvent } from '#event-log';
import type { SealedParts } from '../../apps/server/src/compose/open-keys.js';
import { openIn } from '../reliability/evidence.js';

/**
 * Where logs of earlier formats are kept: a folder for each, of `log.db.gz`, `keys.db.gz`, the `master.key` that was made for
 * it alone, and `folds.json`.
 */
export const GOLDEN = 'test/fixtures/golden';
const MAX_STEPS = 50;
const DATABASES = ['log', 'keys'] as const;
const MASTER_KEY = 'master.key';

/** What a log came to when it was kept: for each stream, what each prefix of it folds to and what comes next, as a hash. */
export interface GoldenFolds {
  readonly events: number;
  /** Of sessions, tasks and deliveries. */
  readonly streams: Readonly<Record<string, readonly string[]>>;
}

/** The names of the logs that are kept. */
export function goldenNames(): string[] {
  try {
    return readdirSync(GOLDEN).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Keeps the log of a data folder in which nothing runs, with its keys, and what it folds to today. WALs must be empty. */
export async function keepGolden(dataDir: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const name of DATABASES) {
    const file = readFileSync(join(dataDir, name, `${name}.db`));
    writeFileSync(join(folder, `${name}.db.gz`), gzipSync(file, { level: 9 }));
  }
  copyFileSync(join(dataDir, MASTER_KEY), join(folder, MASTER_KEY));
  const { folds } = await readGolden(folder, () => undefined);
  writeFileSync(join(folder, 'folds.json'), `${JSON.stringify(folds, null, 1)}\n`);
}

/** Unpacks what was kept as the data folder that it was. */
export function unpackGolden(folder: string, dataDir: string): void {
  for (const name of DATABASES) {
    mkdirSync(join(dataDir, name), { recursive: true });
    writeFileSync(join(dataDir, name, `${name}.db`), gunzipSync(readFileSync(join(folder, `${name}.db.gz`))));
  }
  copyFileSync(join(folder, MASTER_KEY), join(dataDir, MASTER_KEY));
}

/** What the log folds to with the program of today. @param look is given the log and its keys, which are copies */
export async function readGolden<T>(
  folder: string,
  look: (parts: SealedParts) => T | Promise<T>,
): Promise<{ readonly folds: GoldenFolds; readonly seen: Awaited<T> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'annals-golden-'));
  try {
    unpackGolden(folder, dataDir);
    return await readFolds(dataDir, look);
  } finally {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

/** The same of a data folder. */
export async function readFolds<T>(
  dataDir: string,
  look: (parts: SealedParts) => T | Promise<T>,
): Promise<{ readonly folds: GoldenFolds; readonly seen: Awaited<T> }> {
  const parts = await openIn(dataDir);
  try {
    return { folds: await foldsOf(parts.log), seen: await look(parts) };
  } finally {
    await parts.close();
  }
}

/** What each prefix of a stream means. */
interface StreamFold {
  readonly prefixes: readonly string[];
  push(event: RecordedEvent): void;
}

async function foldsOf(log: EventLog): Promise<GoldenFolds> {
  const streams = new Map<string, StreamFold>();
  let count = 0;
  for await (const { events } of log.readAll())
    for (const event of events) {
      count += 1;
      const fold = streams.get(event.stream) ?? foldFor(event.stream);
      if (fold === null) continue;
      streams.set(event.stream, fold);
      fold.push(event);
    }
  const told = [...streams].map(([stream, { prefixes }]) => [stream, prefixes] as const);
  return { events: count, streams: Object.fromEntries(told) };
}

function foldFor(stream: string): StreamFold | null {
  if (sessionOfStream(stream) !== null) return new SessionFold();
  if (taskOfStream(stream) !== null) return new TaskFold();
  return runOfDeliveryStream(stream) === null ? null : new DeliveriesFold();
}

/** What each prefix of a session's stream means: its state, its runs, and what each run would do next. */
class SessionFold implements StreamFold {
  readonly prefixes: string[] = [];
  private session: SessionState = NO_SESSION;
  private readonly runs = new Map<string, RunState>();

  push(recorded: RecordedEvent): void {
    const event = asSessionEvent(recorded);
    // Of what is erased nothing but its place is left.
    if (!recorded.isErased) this.evolve(event, recorded.meta.run);
    const next = [...this.runs].map(([run, state]) => [run, asKept(state), nextAction(state, MAX_STEPS)]);
    this.prefixes.push(hashOf([sessionAsKept(this.session), next]));
  }

  private evolve(event: RecordedSessionEvent, run: string | undefined): void {
    this.session = evolveSession(this.session, event);
    const known = run === undefined ? undefined : this.runs.get(run);
    if (run !== undefined && event.type === 'run_requested') this.runs.set(run, known ?? begun(event.data));
    else if (run !== undefined && known !== undefined) this.runs.set(run, evolveRun(known, event));
  }
}

class TaskFold implements StreamFold {
  readonly prefixes: string[] = [];
  private task: TaskState | null = null;

  push(recorded: RecordedEvent): void {
    if (!recorded.isErased) this.task = evolveTask(this.task, asTaskEvent(recorded));
    this.prefixes.push(hashOf(this.task));
  }
}

class DeliveriesFold implements StreamFold {
  readonly prefixes: string[] = [];
  private readonly fold = new DeliveryFold();

  push(recorded: RecordedEvent): void {
    const event = recorded.isErased ? null : asDeliveryEvent(recorded);
    if (event !== null) this.fold.push(event);
    const { next, passed, tries, isStopped, isComplete, resends } = this.fold;
    // When it was sent last was not folded when the first log was kept.
    const records = Array.from({ length: next }, (_, i) => {
      const { lastAt: _at, ...record } = this.fold.record(i + 1);
      return record;
    });
    this.prefixes.push(hashOf([next, passed, tries, isStopped, isComplete, resends, records]));
  }
}

/** Without what states hold besides since the first log was kept: the events of that log say nothing of it. */
function asKept({ warnings, ...all }: RunState): object {
  const { asked: _, openActions: __, decisions: ___, steered: ____, ...state } = all;
  const { hasNews: _n, hasTurn: _t, isAskingForStep: _s, isChoiceOpen: _c, ...told } = state;
  const kept = Object.fromEntries(Object.entries(told).flatMap(sumsAsKept));
  return warnings.length === 0 ? kept : { ...kept, warnings };
}

/** Sums stood beside the rest. */
function sumsAsKept([name, value]: readonly [string, unknown]): (readonly [string, unknown])[] {
  if (name !== 'spent') return [[name, value]];
  const { inputTokens, outputTokens, cost } = value as RunState['spent'];
  return Object.entries({ inputTokens, outputTokens, cost });
}

function sessionAsKept({ current, ...session }: SessionState): object {
  const { project, broken: _, forks: _forks, openCalls: _open, ...rest } = session;
  if (current === null) return { project, current, ...rest };
  const { run, requested, worker, epoch, claimed, isCancelRequested } = current;
  return { project, current: { run, requested, worker, epoch, claimed, isCancelRequested }, ...rest };
}

/** Of the configuration only what is kept in the event itself: what lies in a file is not there. */
const begun = ({ mode, model, message }: Pick<RunState, 'mode' | 'model' | 'message'>): RunState =>
  newRun({ mode, model, message, config: {} });

const hashOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part)))
    .digest('base64url')
    .slice(0, 16);
