import type { FollowerBatch, FollowerTarget } from '#event-log';
import type { Owner } from '../engine/scheduler.js';
import { type SimWorld, latency } from './sim-world.js';

/** A table and its checkpoint, in one database that all workers of a world share. */
export class ProjectedTable {
  checkpoint: { logId: string; position: number } | null = null;
  /** Positions of the events that were made into rows, in the order in which that was done. */
  readonly rows: number[] = [];
}

/** One worker's way to the table: rows and checkpoint in one transaction, guarded against rivals. */
export class SimProjection implements FollowerTarget {
  constructor(
    private readonly table: ProjectedTable,
    private readonly world: SimWorld,
    private readonly owner: Owner,
  ) {}

  load(): Promise<{ logId: string; position: number } | null> {
    return this.ask('checkpoint read', () => this.table.checkpoint);
  }

  apply({ logId, events, from, to }: FollowerBatch): Promise<void> {
    return this.ask(`rows ${from} to ${to}`, () => {
      const { table, world } = this;
      if ((table.checkpoint?.position ?? 0) !== from) throw new Error('a rival has moved the checkpoint');
      table.checkpoint = { logId, position: to };
      if (world.flaw === 'two_transactions' && world.tape.chance(100)) throw new Error('no connection');
      for (const event of events) table.rows.push(event.position);
    });
  }

  isTransient(): boolean {
    return true;
  }

  private ask<T>(label: string, work: () => T): Promise<T> {
    return askDatabase(this.world, this.owner, label, work);
  }
}

/** Asks the database that all workers share, once: it may refuse, or its answer may be lost. */
export function askDatabase<T>(world: SimWorld, owner: Owner, label: string, work: () => T): Promise<T> {
  const { scheduler, tape, weather } = world;
  return new Promise((resolve, reject) => {
    scheduler.after(owner, latency(world), label, () => {
      const fault = tape.pick('done', [
        ['refused', weather.databaseRefused],
        ['answer lost', weather.databaseAnswerLost],
      ]);
      if (fault !== 'done') world.marks.hit(`database ${fault}`);
      try {
        if (fault === 'refused') throw new Error('no connection');
        const result = work();
        if (fault === 'answer lost') throw new Error('the connection broke');
        scheduler.after(owner, 0, `${label} done`, () => resolve(result));
      } catch (error) {
        scheduler.after(owner, 0, `${label} failed`, () => reject(error));
      }
    });
  });
}
