import { TaskIndex, type TaskSnapshot } from '#runs';
import type { Owner } from '../engine/scheduler.js';
import { type SimWorld, latency, strikes } from './sim-world.js';
import type { TaskWatch } from './task-watch.js';

/** Where one worker looks tasks up: a database that may fail, or name too many. */
export class SimTaskIndex extends TaskIndex {
  constructor(
    private readonly world: SimWorld,
    private readonly owner: Owner,
    private readonly watch: TaskWatch,
  ) {
    super();
  }

  override scheduled(): Promise<TaskSnapshot> {
    const { store, tape } = this.world;
    return this.ask('tasks', () => {
      const isLate = strikes(this.world, 'indexLate');
      const tasks = [...this.watch.states.values()].flatMap(({ definition, nextAt, revision }) =>
        nextAt === null || (!isLate && this.watch.isErased(definition.task))
          ? []
          : [{ task: definition.task, nextAt, revision }],
      );
      // It may know more than the position says.
      return {
        tasks,
        position: Math.max(0, store.head - (isLate ? tape.choose(20) : 0)),
      };
    });
  }

  override unmade() {
    return this.ask('requests without their tasks', () => this.watch.unmade());
  }

  override unstarted(before: number): Promise<readonly string[]> {
    return this.ask('firings without their runs', () =>
      strikes(this.world, 'indexLate') ? [...this.watch.states.keys()] : this.watch.unstarted(before),
    );
  }

  private ask<T>(label: string, look: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.world.scheduler.after(this.owner, latency(this.world), `look up ${label}`, () => {
        if (strikes(this.world, 'indexRefused')) reject(new Error('no connection'));
        else resolve(look());
      });
    });
  }
}
