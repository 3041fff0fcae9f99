import type { StreamName } from '#domain';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Position, Revision } from '../envelope.js';

/** Location of an event. */
export interface EventPlace {
  /** Numeric id of its stream. */
  readonly stream: number;
  readonly revision: Revision;
  readonly position: Position;
}

/** Positions between saves; the most that is scanned again after a kill (about 20 ms). */
export const SAVE_EVERY = 16_384;

/**
 * Index from streams to positions. Owns the table `places`, with a row for each event, written with it.
 * Earlier versions wrote rows late: `log.placed_to` is the position up to which none is missing, and opening
 * the file backfills the rest. It is advanced from time to time only, for each update writes a page more.
 */
export class StreamIndex {
  private savedTo: Position;
  private readonly idOf: StatementSync;
  private readonly last: StatementSync;
  private readonly forwards: StatementSync;
  private readonly backwards: StatementSync;
  private readonly insert: StatementSync;
  private readonly saveTo: StatementSync;

  constructor(db: DatabaseSync) {
    this.idOf = db.prepare('SELECT id AS n FROM streams WHERE name = ?');
    this.last = db.prepare('SELECT coalesce(max(revision), -1) AS n FROM places WHERE stream = ?');
    const places = 'SELECT stream, revision, position FROM places WHERE stream = ? AND revision';
    this.forwards = db.prepare(`${places} > ? ORDER BY revision`);
    this.backwards = db.prepare(`${places} < ? ORDER BY revision DESC`);
    this.insert = db.prepare('INSERT INTO places (stream, revision, position) VALUES (?, ?, ?)');
    this.saveTo = db.prepare('UPDATE log SET placed_to = ?');
    this.savedTo = numberIn(db.prepare('SELECT placed_to AS n FROM log').get()) ?? 0;
  }

  /** Numeric id and last revision; undefined: no such stream. */
  find(stream: StreamName): { readonly id: number; readonly revision: Revision } | undefined {
    const id = numberIn(this.idOf.get(stream));
    return id === undefined ? undefined : { id, revision: numberIn(this.last.get(id)) ?? -1 };
  }

  /** Places after a revision, ascending. */
  after(stream: StreamName, revision: Revision): Iterable<EventPlace> {
    return this.places(this.forwards, stream, revision);
  }

  /** Places before a revision, descending. */
  before(stream: StreamName, revision: Revision): Iterable<EventPlace> {
    return this.places(this.backwards, stream, revision);
  }

  /** Adds the last event of its stream and of the log, in the event's own transaction. */
  add(id: number, revision: Revision, position: Position): void {
    this.insert.run(id, revision, position);
    if (position - this.savedTo >= SAVE_EVERY) this.save(position);
  }

  /** Advances `placed_to` to the head, in a transaction. */
  save(head: Position): void {
    if (head === this.savedTo) return;
    this.saveTo.run(head);
    this.savedTo = head;
  }

  private places(statement: StatementSync, stream: StreamName, revision: Revision): Iterable<EventPlace> {
    const id = numberIn(this.idOf.get(stream));
    if (id === undefined) return [];
    return statement.iterate(id, revision) as unknown as Iterable<EventPlace>;
  }
}

const numberIn = (row: Record<string, unknown> | undefined): number | undefined =>
  row === undefined ? undefined : Number(row['n']);
