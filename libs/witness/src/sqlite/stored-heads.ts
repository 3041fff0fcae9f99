import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Head, bucketOf } from '#proof';
import type { Heads } from '../held.js';

type Row = ReturnType<StatementSync['all']>[number];

/** The heads of one log: those that are kept, and before them those that are staged. */
export class StoredHeads implements Heads {
  private readonly staged: StatementSync;
  private readonly kept: StatementSync;
  private readonly stage: StatementSync;
  private readonly keptWithin: StatementSync;
  private readonly stagedWithin: StatementSync;
  private hasStaged = false;

  constructor(
    private readonly db: DatabaseSync,
    private readonly log: number,
  ) {
    this.staged = db.prepare('SELECT revision, link FROM temp.staged WHERE log = ? AND tag = ?');
    this.kept = db.prepare('SELECT revision, link FROM main.heads WHERE log = ? AND tag = ?');
    this.stage = db.prepare('INSERT OR REPLACE INTO temp.staged VALUES (?, ?, ?, ?)');
    const within = 'SELECT tag, revision, link FROM $ WHERE log = ? AND tag >= ? AND tag <= ? ORDER BY tag';
    this.keptWithin = db.prepare(within.replace('$', 'main.heads'));
    this.stagedWithin = db.prepare(within.replace('$', 'temp.staged'));
  }

  get(tag: Uint8Array): Head | null {
    const row = (this.hasStaged ? this.staged.get(this.log, tag) : undefined) ?? this.kept.get(this.log, tag);
    return row === undefined ? null : { ...headOf(row), tag };
  }

  set({ tag, revision, link }: Head): void {
    this.stage.run(this.log, tag, revision, link);
    this.hasStaged = true;
  }

  drop(): void {
    if (this.hasStaged) this.db.prepare('DELETE FROM temp.staged WHERE log = ?').run(this.log);
    this.hasStaged = false;
  }

  *buckets(): Iterable<number> {
    const query = 'SELECT DISTINCT substr(tag, 1, 2) AS beginning FROM main.heads WHERE log = ?';
    for (const row of this.db.prepare(query).iterate(this.log))
      yield bucketOf(row['beginning'] as Uint8Array);
  }

  inBucket(bucket: number): readonly Head[] {
    const [first, last] = [new Uint8Array(32), new Uint8Array(32).fill(255)];
    for (const bound of [first, last]) bound.set([bucket >> 8, bucket & 255]);
    const kept = this.keptWithin.all(this.log, first, last).map(headOf);
    if (!this.hasStaged) return kept;
    const staged = this.stagedWithin.all(this.log, first, last).map(headOf);
    const heads = new Map([...kept, ...staged].map((head) => [Buffer.from(head.tag).toString('hex'), head]));
    return [...heads.values()];
  }

  /** Inside of a transaction: what is staged is kept. */
  keepStaged(): void {
    if (!this.hasStaged) return;
    this.db
      .prepare('INSERT OR REPLACE INTO main.heads SELECT * FROM temp.staged WHERE log = ?')
      .run(this.log);
  }
}

const headOf = (row: Row): Head => ({
  tag: row['tag'] as Uint8Array,
  revision: Number(row['revision']),
  link: row['link'] as Uint8Array,
});
