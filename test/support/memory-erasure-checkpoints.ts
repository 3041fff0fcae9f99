import type { ErasureCheckpoint, ErasureKind, ErasureCheckpoints } from '#vault';

/** How far erasures were carried out, in memory. */
export class MemoryErasureCheckpoints implements ErasureCheckpoints {
  private readonly places = new Map<ErasureKind, ErasureCheckpoint>();

  async checkpoint(of: ErasureKind = 'sessions'): Promise<ErasureCheckpoint | null> {
    return this.places.get(of) ?? null;
  }

  async saveCheckpoint(checkpoint: ErasureCheckpoint, of: ErasureKind = 'sessions'): Promise<void> {
    this.places.set(of, checkpoint);
  }
}
