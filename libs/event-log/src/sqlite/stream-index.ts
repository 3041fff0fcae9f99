import type { StreamName } from '#domain';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Position, Revision } from '../envelope.js';

/** Where an event stands. */
export interface EventPlace {
  /** Number of its stream. */
  readonly stream: number;
  readonly revision: Revision;
  readonly position: Position;
}

/** In positions: what is looked through again after a kill, some 20 ms at the most. */
export const SAVE_EVERY = 16_384;

/**
 * At which positions the events of a stream stand. Owns the table `places`, which has a row for each event, written with it.
 * An earlier version wrote rows late, and may have been killed before: `log.placed_to` says up to which position none is
 * missing. Whoever opens the file adds those after it, so it follows the head, not with each event, for that is a page more.
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

  /** Its number, and its last revision; undefined: there is no such stream. */
  find(stream: StreamName): { readonly id: number; readonly revision: Revision } | undefined {
    const id = numberIn(this.idOf.get(stream));
    return id === undefined ? undefined : { id, revision: numberIn(this.last.get(id)) ?? -1 };
  }

  /** Of the stream's events after a revision. */
  after(stream: StreamName, revision: Revision): Iterable<EventPlace> {
    return this.places(this.forwards, stream, revision);
  }

  /** Of the stream's events before a revision, the last one first. */
  before(stream: StreamName, revision: Revision): Iterable<EventPlace> {
    return this.places(this.backwards, stream, revision);
  }

  /** In the transaction of the event, which is the last of its stream and of the log. */
  add(id: number, revision: Revision, position: Position): void {
    this.insert.run(id, revision, position);
    if (position - this.savedTo >= SAVE_EVERY) this.save(position);
  }

  /** In a transaction: up to the head no place is missing. */
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
