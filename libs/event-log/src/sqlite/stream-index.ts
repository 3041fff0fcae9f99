import type { StreamName } from '#domain';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Position, Revision } from '../envelope.js';

/** The newest events of one stream, without a gap: those whose places are not in the table yet. */
interface Recent {
  readonly id: number;
  readonly first: Revision;
  readonly positions: Position[];
}

/** Where an event stands. */
export interface EventPlace {
  /** Number of its stream. */
  readonly stream: number;
  readonly revision: Revision;
  readonly position: Position;
}

/** In positions. With more, more is read again after a kill; with less, fewer of one stream come onto a page together. */
const MAX_SPAN = 16_384;
/** Of one stream, about a page. */
const MAX_OF_ONE = 256;
/** In positions, for each time is a page more in its transaction. */
const SAVE_EVERY = 1_024;

/**
 * At which positions the events of a stream stand. Owns the table `places`, and what is not in it yet: an entry that is
 * written with its event changes a page of its own for nearly every event, more than half of what a commit wrote. So
 * entries wait here and go into the table a stream at a time, in a transaction that comes anyway.
 * 1. The table has the place of every event up to `log.placed_to`, and of each stream's events before its recent ones.
 *    Whoever opens the file finds the others in the events after `placed_to`.
 * 2. The recent streams stand in the order of their first recent event.
 */
export class StreamIndex {
  private readonly recent = new Map<string, Recent>();
  /** Streams that have as many as one may have. */
  private full: string[] = [];
  private head: Position;
  private savedTo: Position;
  private readonly idOf: StatementSync;
  private readonly last: StatementSync;
  private readonly forwards: StatementSync;
  private readonly backwards: StatementSync;
  private readonly insert: StatementSync;
  private readonly save: StatementSync;

  constructor(db: DatabaseSync) {
    this.idOf = db.prepare('SELECT id AS n FROM streams WHERE name = ?');
    this.last = db.prepare('SELECT coalesce(max(revision), -1) AS n FROM places WHERE stream = ?');
    const places = 'SELECT stream, revision, position FROM places WHERE stream = ? AND revision';
    this.forwards = db.prepare(`${places} > ? ORDER BY revision`);
    this.backwards = db.prepare(`${places} < ? ORDER BY revision DESC`);
    this.insert = db.prepare('INSERT INTO places (stream, revision, position) VALUES (?, ?, ?)');
    this.save = db.prepare('UPDATE log SET placed_to = ?');
    this.savedTo = numberIn(db.prepare('SELECT placed_to AS n FROM log').get());
    this.head = this.savedTo;
    this.load(db);
  }

  /** Its number, and its last revision; undefined: there is no such stream. */
  find(stream: StreamName): { readonly id: number; readonly revision: Revision } | undefined {
    const recent = this.recent.get(stream);
    if (recent !== undefined) return { id: recent.id, revision: recent.first + recent.positions.length - 1 };
    const row = this.idOf.get(stream);
    if (row === undefined) return undefined;
    const id = numberIn(row);
    return { id, revision: numberIn(this.last.get(id)) };
  }

  /** Of the stream's events after a revision. */
  *after(stream: StreamName, revision: Revision): Iterable<EventPlace> {
    const recent = this.recent.get(stream);
    if (recent === undefined || revision + 1 < recent.first)
      yield* placesIn(this.forwards.iterate(this.idIn(recent, stream), revision));
    if (recent === undefined) return;
    for (let i = Math.max(0, revision + 1 - recent.first); i < recent.positions.length; i++)
      yield placeIn(recent, i);
  }

  /** Of the stream's events before a revision, the last one first. */
  *before(stream: StreamName, revision: Revision): Iterable<EventPlace> {
    const recent = this.recent.get(stream);
    if (recent !== undefined)
      for (let i = Math.min(revision - recent.first, recent.positions.length) - 1; i >= 0; i--)
        yield placeIn(recent, i);
    const from = Math.min(revision, recent?.first ?? revision);
    yield* placesIn(this.backwards.iterate(this.idIn(recent, stream), from));
  }

  /** The next event of the stream, and of the log. */
  add(stream: StreamName, id: number, revision: Revision, position: Position): void {
    const recent = this.recent.get(stream);
    if (recent === undefined) this.recent.set(stream, { id, first: revision, positions: [position] });
    else if (recent.positions.push(position) === MAX_OF_ONE) this.full.push(stream);
    this.head = position;
  }

  /**
   * In a transaction: puts into the table the places of streams that have many, or an old one.
   * @param span what is older than so many positions goes
   * @param most about as many go, the rest by the next call
   * @returns whether none is left
   */
  place(span = MAX_SPAN, most = Infinity): boolean {
    for (const stream of this.full.splice(0)) this.placeOne(stream, this.recent.get(stream)!);
    let count = 0;
    for (const [stream, recent] of this.recent) {
      if (this.head - recent.positions[0]! < span || count >= most) break;
      count += recent.positions.length;
      this.placeOne(stream, recent);
    }
    this.saveProgress();
    return this.recent.size === 0;
  }

  /** Invariant 2: nothing before the oldest stream's first is left. */
  private saveProgress(): void {
    const [oldest] = this.recent.values();
    const placedTo = oldest === undefined ? this.head : oldest.positions[0]! - 1;
    if (placedTo < this.savedTo + (oldest === undefined ? 1 : SAVE_EVERY)) return;
    this.save.run(placedTo);
    this.savedTo = placedTo;
  }

  private placeOne(stream: StreamName, { id, first, positions }: Recent): void {
    this.recent.delete(stream);
    for (const [i, position] of positions.entries()) this.insert.run(id, first + i, position);
    // A table that the Map has outgrown may still hold it: see Bag, which this thread would load much else for.
    positions.length = 0;
  }

  /** Invariant 1. */
  private load(db: DatabaseSync): void {
    const events = db.prepare(
      `SELECT name, stream, revision, position FROM events CROSS JOIN streams ON streams.id = stream
       WHERE position > ? ORDER BY position`,
    );
    for (const row of events.iterate(this.savedTo)) {
      const { name, stream, revision, position } = row as {
        name: string;
        stream: number;
        revision: Revision;
        position: Position;
      };
      if (this.recent.get(name) !== undefined || revision > numberIn(this.last.get(stream)))
        this.add(name, stream, revision, position);
      this.head = position;
    }
  }

  /** -1, which no stream has, where there is none. */
  private idIn(recent: Recent | undefined, stream: StreamName): number {
    return recent?.id ?? numberIn(this.idOf.get(stream) ?? { n: -1 });
  }
}

const numberIn = (row: Record<string, unknown> | undefined): number => Number(row?.['n']);

const placeIn = ({ id, first, positions }: Recent, i: number): EventPlace => ({
  stream: id,
  revision: first + i,
  position: positions[i]!,
});

const placesIn = (rows: Iterable<Record<string, unknown>>) => rows as unknown as Iterable<EventPlace>;
