import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  NO_SESSION,
  type RunState,
  type SessionState,
  asSessionEvent,
  evolveRun,
  evolveSession,
  newRun,
  nextAction,
  sessionOfStream,
} from '#domain';
import { ContentKey, ContentKeys, type KnownKey, type RecordedEvent, SqliteEventLog } from '#event-log';
import { SilentLogger } from '#platform';
import { openIn } from '../reliability/evidence.js';

/** Where logs of earlier formats are kept: a folder for each, of `log.db.gz`, `keys.json` (ids and bytes, base64) and `folds.json`. */
export const GOLDEN = 'test/fixtures/golden';
const MAX_STEPS = 50;

/** What a log came to when it was kept: for each session, what each prefix of it folds to and what comes next, as a hash. */
export interface GoldenFolds {
  readonly events: number;
  readonly sessions: Readonly<Record<string, readonly string[]>>;
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

/** Keeps the log of a data folder in which nothing runs, and what it folds to today. Its WAL must be empty. */
export async function keepGolden(dataDir: string, folder: string): Promise<void> {
  const keys = await keysOf(dataDir);
  const file = readFileSync(join(dataDir, 'log', 'log.db'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'keys.json'), `${JSON.stringify(keys, null, 1)}\n`);
  writeFileSync(join(folder, 'log.db.gz'), gzipSync(file, { level: 9 }));
  const { folds } = await readGolden(folder, () => undefined);
  writeFileSync(join(folder, 'folds.json'), `${JSON.stringify(folds, null, 1)}\n`);
}

/** What the log folds to with the program of today. @param look is given the log, which is a copy */
export async function readGolden<T>(
  folder: string,
  look: (log: SqliteEventLog) => T | Promise<T>,
): Promise<{ readonly folds: GoldenFolds; readonly seen: Awaited<T> }> {
  const copy = mkdtempSync(join(tmpdir(), 'annals-golden-'));
  try {
    writeFileSync(join(copy, 'log.db'), gunzipSync(readFileSync(join(folder, 'log.db.gz'))));
    const keys = new KeptKeys(
      JSON.parse(readFileSync(join(folder, 'keys.json'), 'utf8')) as Readonly<Record<string, string>>,
    );
    const log = await SqliteEventLog.open({
      folder: copy,
      logger: new SilentLogger(),
      reserveBytes: 0,
      keys,
    });
    try {
      return { folds: await foldsOf(log), seen: await look(log) };
    } finally {
      await log.close();
    }
  } finally {
    rmSync(copy, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

/** The keys that the events of a log name. */
async function keysOf(dataDir: string): Promise<Record<string, string>> {
  const { log, vault, close } = await openIn(dataDir);
  try {
    const keys: Record<string, string> = {};
    for await (const { events } of log.readAll())
      for (const { meta } of events) {
        if (meta.keyId === undefined || keys[meta.keyId] !== undefined) continue;
        const key = await vault.get(meta.keyId);
        if (key !== 'destroyed') keys[meta.keyId] = key.bytes.toString('base64');
      }
    return keys;
  } finally {
    await close();
  }
}

/** Keys that were kept with a log. */
class KeptKeys extends ContentKeys {
  private readonly known: ReadonlyMap<string, ContentKey>;

  constructor(keys: Readonly<Record<string, string>>) {
    super();
    this.known = new Map(
      Object.entries(keys).map(([id, bytes]) => [id, new ContentKey(id, Buffer.from(bytes, 'base64'))]),
    );
  }

  /** One that was not kept was destroyed. */
  override peek(id: string): KnownKey {
    return this.known.get(id) ?? 'destroyed';
  }

  override async load(): Promise<void> {}

  override draw(): Promise<string> {
    throw new Error('nothing is sealed for a log that was kept');
  }

  override destroy(): Promise<void> {
    throw new Error('nothing is erased from a log that was kept');
  }
}

async function foldsOf(log: SqliteEventLog): Promise<GoldenFolds> {
  const sessions = new Map<string, SessionFold>();
  let count = 0;
  for await (const { events } of log.readAll())
    for (const event of events) {
      count += 1;
      const session = sessionOfStream(event.stream);
      if (session === null) continue;
      const fold = sessions.get(session) ?? new SessionFold();
      sessions.set(session, fold);
      fold.push(event);
    }
  const told = [...sessions].map(([session, { prefixes }]) => [session, prefixes] as const);
  return { events: count, sessions: Object.fromEntries(told) };
}

/** What each prefix of a session's stream means: its state, its runs, and what each run would do next. */
class SessionFold {
  readonly prefixes: string[] = [];
  private session: SessionState = NO_SESSION;
  private readonly runs = new Map<string, RunState>();

  push(recorded: RecordedEvent): void {
    const event = asSessionEvent(recorded);
    this.session = evolveSession(this.session, event);
    const { run } = recorded.meta;
    const known = run === undefined ? undefined : this.runs.get(run);
    if (run !== undefined && event.type === 'run_requested') this.runs.set(run, known ?? begun(event.data));
    else if (run !== undefined && known !== undefined) this.runs.set(run, evolveRun(known, event));
    const next = [...this.runs].map(([run, state]) => [run, state, nextAction(state, MAX_STEPS)]);
    this.prefixes.push(hashOf([this.session, next]));
  }
}

/** Of the configuration only what is kept in the event itself: what lies in a file is not there. */
const begun = ({ mode, model, message }: Pick<RunState, 'mode' | 'model' | 'message'>): RunState =>
  newRun({ mode, model, message, config: {} });

const hashOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part)))
    .digest('base64url')
    .slice(0, 16);
