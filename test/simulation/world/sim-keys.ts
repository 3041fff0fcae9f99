import { ContentKeys, type KnownKey, LogUnavailable } from '#event-log';
import { type ErasureCheckpoint, type ErasureCheckpoints } from '#vault';
import type { Owner } from '../engine/scheduler.js';
import { type SimWorld, latency, strikes } from './sim-world.js';

/** How far the erasures of a log were carried out, in the key store that all workers of a world share. */
export interface KeptProgress {
  checkpoint: ErasureCheckpoint | null;
}

/** One worker's way to the keys that all share. What it has once asked for is at hand; to destroy one takes time, and may fail. */
export class SimKeys extends ContentKeys {
  private readonly shared: ContentKeys;

  constructor(
    private readonly world: SimWorld,
    private readonly owner: Owner,
  ) {
    super();
    this.shared = world.store.keys;
    this.shared.onDestroyed((id) => owner.isAlive && this.tellDestroyed(id));
  }

  override peek(id: string): KnownKey | undefined {
    return this.shared.peek(id);
  }

  override load(ids: Iterable<string>): Promise<void> {
    return this.shared.load(ids);
  }

  override draw(): Promise<string> {
    return this.shared.draw();
  }

  override destroy(id: string): Promise<void> {
    return askKeyStore(this.world, this.owner, 'key destroyed', () => void this.shared.destroy(id));
  }

  override placeBelow(id: string, parent: string): Promise<void> {
    return this.shared.placeBelow(id, parent);
  }

  override destroyTree(id: string): Promise<void> {
    return askKeyStore(this.world, this.owner, 'keys destroyed', () => void this.shared.destroyTree(id));
  }
}

/** One worker's way to the progress that all share. */
export class SimProgress implements ErasureCheckpoints {
  constructor(
    private readonly kept: KeptProgress,
    private readonly world: SimWorld,
    private readonly owner: Owner,
  ) {}

  checkpoint(): Promise<ErasureCheckpoint | null> {
    return askKeyStore(this.world, this.owner, 'progress read', () => this.kept.checkpoint);
  }

  saveCheckpoint({ logId, position }: ErasureCheckpoint): Promise<void> {
    return askKeyStore(this.world, this.owner, 'progress saved', () => {
      const { kept } = this;
      const before = kept.checkpoint?.logId === logId ? kept.checkpoint.position : 0;
      kept.checkpoint = { logId, position: Math.max(before, position) };
    });
  }
}

/** Asks it once: it may refuse, or its answer may be lost. */
export function askKeyStore<T>(world: SimWorld, owner: Owner, label: string, work: () => T): Promise<T> {
  const { scheduler } = world;
  return new Promise((resolve, reject) => {
    scheduler.after(owner, latency(world), label, () => {
      const isRefused = strikes(world, 'keysRefused');
      const result = isRefused ? null : { value: work() };
      const isLost = isRefused || strikes(world, 'keysAnswerLost');
      scheduler.after(owner, latency(world), `${label} answered`, () => {
        if (result === null || isLost) reject(new LogUnavailable('the key store does not answer'));
        else resolve(result.value);
      });
    });
  });
}
