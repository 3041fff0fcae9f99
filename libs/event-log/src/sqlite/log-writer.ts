import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { sealData, type Field } from '../codec.js';
import { ANY, APPEND_FIELDS, EVENT_FIELDS, NO_STREAM, STREAM_EXISTS } from './protocol.js';

interface Head {
  readonly id: number;
  revision: number;
}

const CACHED_HEADS = 50_000;

/**
 * Writes appends, many to a transaction. Owns the cache of stream heads and the next position.
 * 1. Each append of a transaction is stored as a whole or conflicts, whatever becomes of the others.
 * 2. After any error nothing here is true any more: the thread must end.
 */
export class LogWriter {
  private readonly heads = new Map<string, Head>();
  private readonly begin: StatementSync;
  private readonly commit: StatementSync;
  private readonly insertStream: StatementSync;
  private readonly insertEvent: StatementSync;
  private readonly findStream: StatementSync;
  private readonly findEvents: StatementSync;
  private head: number;

  constructor(db: DatabaseSync, head: number) {
    this.head = head;
    this.begin = db.prepare('BEGIN IMMEDIATE');
    this.commit = db.prepare('COMMIT');
    this.insertStream = db.prepare('INSERT INTO streams (name) VALUES (?)');
    this.insertEvent = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
    this.findStream = db.prepare(
      `SELECT id, (SELECT coalesce(max(revision), -1) FROM events WHERE stream = streams.id) AS revision
       FROM streams WHERE name = ?`,
    );
    this.findEvents = db.prepare(
      'SELECT id, position FROM events WHERE stream = ? AND revision > ? ORDER BY revision LIMIT ?',
    );
  }

  /** Stores what it can of the appends in one transaction. Two numbers an append, as the protocol says. */
  write(batches: readonly (readonly Field[])[]): number[] {
    const outcomes: number[] = [];
    this.begin.run();
    for (const fields of batches)
      for (let at = 0; at < fields.length;) {
        const count = fields[at + 2] as number;
        this.append(fields, at, count, outcomes);
        at += APPEND_FIELDS + count * EVENT_FIELDS;
      }
    this.commit.run();
    return outcomes;
  }

  private append(fields: readonly Field[], at: number, count: number, outcomes: number[]): void {
    const stream = fields[at] as string;
    const expected = fields[at + 1] as number;
    const head = this.headOf(stream);
    const actual = head === undefined ? -1 : head.revision;
    if (isAsExpected(expected, actual)) {
      outcomes.push(actual + 1, this.insert(head ?? this.open(stream), fields, at + APPEND_FIELDS, count));
      return;
    }
    const repeated = head !== undefined && expected < actual && expected >= NO_STREAM;
    const position = repeated ? this.positionOfRepeat(head, expected, fields, at + APPEND_FIELDS, count) : 0;
    if (position > 0) outcomes.push(expected + 1, position);
    else outcomes.push(-1, actual);
  }

  private insert(head: Head, fields: readonly Field[], at: number, count: number): number {
    const { insertEvent } = this;
    let meta = '';
    for (let i = at; i < at + count * EVENT_FIELDS; i += EVENT_FIELDS) {
      meta = (fields[i + 4] as string) || meta;
      head.revision += 1;
      this.head += 1;
      insertEvent.run(
        this.head,
        head.id,
        head.revision,
        fields[i]!,
        fields[i + 1]!,
        fields[i + 2]!,
        sealData(fields[i + 3] as string),
        meta,
      );
    }
    return this.head;
  }

  /** Position of the last event if exactly these ids stand after `expected`, 0 if not. */
  private positionOfRepeat(
    head: Head,
    expected: number,
    fields: readonly Field[],
    at: number,
    count: number,
  ): number {
    const rows = this.findEvents.all(head.id, expected, count);
    const same = rows.length === count && rows.every((row, i) => row['id'] === fields[at + i * EVENT_FIELDS]);
    return same ? Number(rows.at(-1)?.['position']) : 0;
  }

  private headOf(stream: string): Head | undefined {
    const cached = this.heads.get(stream);
    if (cached !== undefined) return cached;
    const row = this.findStream.get(stream);
    return row && this.keep(stream, { id: Number(row['id']), revision: Number(row['revision']) });
  }

  private open(stream: string): Head {
    const { lastInsertRowid } = this.insertStream.run(stream);
    return this.keep(stream, { id: Number(lastInsertRowid), revision: -1 });
  }

  private keep(stream: string, head: Head): Head {
    if (this.heads.size >= CACHED_HEADS) {
      let surplus = CACHED_HEADS / 10;
      for (const oldest of this.heads.keys()) {
        if (surplus-- <= 0) break;
        this.heads.delete(oldest);
      }
    }
    this.heads.set(stream, head);
    return head;
  }
}

function isAsExpected(expected: number, actual: number): boolean {
  if (expected === ANY) return true;
  if (expected === STREAM_EXISTS) return actual >= 0;
  return expected === actual;
}
