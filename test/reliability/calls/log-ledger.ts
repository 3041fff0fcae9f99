import { mkdirSync } from 'node:fs';
import { type StoredEvent, decodeRows } from '../../../libs/event-log/src/codec.js';
import { type OpenDatabase, openDatabase } from '../../../libs/event-log/src/sqlite/database.js';
import { LogReader } from '../../../libs/event-log/src/sqlite/log-reader.js';
import { LogWriter } from '../../../libs/event-log/src/sqlite/log-writer.js';
import { StreamIndex } from '../../../libs/event-log/src/sqlite/stream-index.js';
import { NO_STREAM } from '../../../libs/event-log/src/thread/append-request.js';
import { ThreadKeys } from '../../../libs/event-log/src/thread/thread-keys.js';
import type { Verdict } from '../verdict.js';
import type { Told } from './children.js';

const NO_FAULTS = { walBytes: 1024 * 1024, faults: {} };
const PAGE = 500;

interface Tried {
  readonly stream: string;
  readonly revision: number;
}

/** What has been told of a log, and whether a folder holds it. Reads what the log's own thread would. */
export class LogLedger {
  private readonly tried = new Map<string, Tried>();
  private readonly stored = new Set<string>();
  private readonly refused = new Set<string>();

  /**
   * @param whole ids in the order of the log that came of it in the end, where that is known
   * @param mayBeNone a disk that fails at the very first start may leave no log, of which nobody was told anything
   */
  constructor(
    private readonly whole?: readonly string[],
    private readonly mayBeNone = false,
  ) {}

  get acknowledged(): number {
    return this.stored.size;
  }

  take(told: Told): void {
    if (told.kind === 'tried')
      for (const [n, id] of told.ids.entries())
        this.tried.set(id, { stream: told.stream, revision: told.first + n });
    else if (told.kind === 'stored') for (const id of told.ids) this.stored.add(id);
    else if (told.kind === 'refused') for (const id of told.ids) this.refused.add(id);
  }

  /** Opens the log of a folder, reads it, goes on with it and closes it. */
  judge(folder: string, verdict: Verdict, where: string): void {
    let opened: OpenDatabase | undefined;
    try {
      mkdirSync(folder, { recursive: true });
      opened = openDatabase({ folder, ...NO_FAULTS });
      const index = new StreamIndex(opened.db);
      const reader = new LogReader(opened.db, index, new ThreadKeys());
      const events = eventsOf(reader);
      this.judgeEvents(events, verdict, where);
      judgeStreams(reader, events, verdict, where);
      const [check] = opened.db.prepare('PRAGMA integrity_check').all();
      verdict.require(check?.['integrity_check'] === 'ok', () => `${where}: ${JSON.stringify(check)}`);
      goOn(opened, index);
    } catch (error) {
      if (opened === undefined && this.stored.size === 0 && this.mayBeNone) return;
      verdict.lost += opened === undefined ? this.stored.size : 0;
      verdict.note(`${where}: ${String(error)}`);
    } finally {
      opened?.db.close();
    }
  }

  judgeEvents(events: readonly StoredEvent[], verdict: Verdict, where: string): void {
    const found = new Set<string>();
    const revisions = new Map<string, number>();
    for (const [n, { id, stream, revision, position, data }] of events.entries()) {
      const at = `${where}, position ${position}`;
      if (found.has(id)) {
        verdict.doubled += 1;
        verdict.note(`${at}: an event is there twice`);
      }
      found.add(id);
      const tried = this.tried.get(id);
      const isInOrder = position === n + 1 && revision === (revisions.get(stream) ?? -1) + 1;
      revisions.set(stream, revision);
      const isAsWritten = tried?.stream === stream && tried.revision === revision;
      if (!isInOrder || !isAsWritten || (this.whole !== undefined && this.whole[n] !== id)) {
        verdict.reordered += 1;
        verdict.note(`${at}: this is not the event that was written there`);
      }
      verdict.require(/^x*$/.test((data as { text: string }).text), () => `${at}: its text was changed`);
      verdict.require(!this.refused.has(id), () => `${at}: an event that was refused is there`);
    }
    const lost = [...this.stored].filter((id) => !found.has(id)).length;
    verdict.lost += lost;
    if (lost > 0) verdict.note(`${where}: ${lost} of ${this.stored.size} acknowledged events are lost`);
  }
}

export function readIds(folder: string): string[] {
  const opened = openDatabase({ folder, ...NO_FAULTS });
  try {
    const reader = new LogReader(opened.db, new StreamIndex(opened.db), new ThreadKeys());
    return eventsOf(reader).map(({ id }) => id);
  } finally {
    opened.db.close();
  }
}

function eventsOf(reader: LogReader): StoredEvent[] {
  const events: StoredEvent[] = [];
  for (let after = 0; ;) {
    const asked = { read: 0, after, limit: PAGE, prefixes: [], isRaw: false };
    const page = reader.readAll({ kind: 'all', ...asked });
    if (page.rows.length === 0) return events;
    events.push(...decodeRows(page));
    after = page.position;
  }
}

/** Read by itself, a stream holds its events of the whole log. */
function judgeStreams(reader: LogReader, all: readonly StoredEvent[], verdict: Verdict, where: string) {
  for (const [stream, events] of Map.groupBy(all, (event) => event.stream)) {
    const ids: string[] = [];
    for (let after: number | null = null; ;) {
      const asked = { read: 0, stream, after, backwards: false, limit: PAGE };
      const { rows } = reader.readStream({ kind: 'stream', isRaw: false, ...asked });
      const page = decodeRows({ rows });
      if (page.length === 0) break;
      ids.push(...page.map(({ id }) => id));
      after = page.at(-1)!.revision;
    }
    const isSame = ids.join() === events.map(({ id }) => id).join();
    verdict.require(isSame, () => `${where}: stream ${stream} is not what the log says`);
  }
}

function goOn({ db, head }: OpenDatabase, index: StreamIndex): void {
  const meta = JSON.stringify({ schemaVersion: 1, project: 'calls', actor: 'judge' });
  const fields = ['judge', NO_STREAM, 1, 'an id', 'judged', 0, '{}', meta, ''];
  const [first] = new LogWriter(db, head, index, new ThreadKeys()).write([fields]);
  if (first !== 0) throw new Error('the log does not go on');
}
