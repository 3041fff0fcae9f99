import type { ActionId } from '#domain';
import { ActionIndex } from '#runs';
import type { SessionWatch } from './session-watch.js';
import { type SimWorld, strikes } from './sim-world.js';

/** The table of actions, as the read models of a real service would have it: sometimes a little late. */
export class SimActionIndex extends ActionIndex {
  private readonly asked = new Map<ActionId, number>();

  constructor(
    private readonly world: SimWorld,
    private readonly watch: SessionWatch,
  ) {
    super();
  }

  note(action: ActionId, revision: number): void {
    this.asked.set(action, revision);
  }

  override askedAt(_: string, action: ActionId): Promise<number | null> {
    return Promise.resolve(this.asked.get(action) ?? null);
  }

  override due(now: number, limit: number): Promise<readonly ActionId[]> {
    if (strikes(this.world, 'indexLate')) return Promise.resolve([]);
    const due: ActionId[] = [];
    for (const [, { current }] of this.watch.sessions())
      for (const { id, expires_at } of current?.actions ?? []) if (expires_at <= now) due.push(id);
    return Promise.resolve(due.slice(0, limit));
  }
}
