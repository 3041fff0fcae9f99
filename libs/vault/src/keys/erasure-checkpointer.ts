import type { Position } from '#domain';
import type { Logger } from '#platform';
import type { EventLog } from '#event-log';
import type { ErasureCheckpoint, ErasureKind } from './key-store.js';

/**
 * Checkpoints of erasures, stored with the keys: a key store restored from a backup has an older checkpoint, so later
 * erasures are applied again.
 */
export interface ErasureCheckpoints {
  checkpoint(of?: ErasureKind): Promise<ErasureCheckpoint | null>;
  saveCheckpoint(checkpoint: ErasureCheckpoint, of?: ErasureKind): Promise<void>;
}

interface ErasureCheckpointerPorts {
  readonly log: Pick<EventLog, 'logId' | 'head'>;
  readonly checkpoints: ErasureCheckpoints;
  readonly logger: Logger;
}

/** Events between checkpoints while nothing is erased. Not positions: on some logs those count bytes. */
const CHECKPOINT_EVERY = 5_000;

/** Checkpoint of a follower of erasures. Owns this process's position; the stored one is shared by all replicas. */
export class ErasureCheckpointer {
  /** Events since the checkpoint. */
  private unsaved = 0;
  /** Of this process: others may be further, but have not cleared this process's caches. */
  private position: Position | null = null;

  constructor(
    private readonly ports: ErasureCheckpointerPorts,
    private readonly kind: ErasureKind,
  ) {}

  async load(): Promise<ErasureCheckpoint | null> {
    const { logId } = this.ports.log;
    if (this.position !== null) return { logId, position: this.position };
    const checkpoint = await this.ports.checkpoints.checkpoint(this.kind);
    // Of another log, e.g. the one that this was copied from: all of it is done again.
    const isOurs = checkpoint?.logId === logId && !(await this.isBeyondLog(checkpoint));
    return isOurs ? checkpoint : null;
  }

  /** @param isNews something was erased */
  async move(to: number, { events, isNews }: { readonly events: number; readonly isNews: boolean }) {
    this.position = to;
    this.unsaved += events;
    if (!isNews && this.unsaved < CHECKPOINT_EVERY) return;
    await this.ports.checkpoints.saveCheckpoint({ logId: this.ports.log.logId, position: to }, this.kind);
    this.unsaved = 0;
  }

  /** The log was restored from a backup older than the checkpoint: its new erasures were not carried out. */
  private async isBeyondLog({ logId, position }: ErasureCheckpoint): Promise<boolean> {
    const { log, checkpoints, logger } = this.ports;
    if (position <= (await log.head())) return false;
    logger.warn({ position }, 'the log is older than the key store: its erasures are carried out again');
    // A place goes back only by way of another log's.
    await checkpoints.saveCheckpoint({ logId: '', position: 0 }, this.kind);
    await checkpoints.saveCheckpoint({ logId, position: 0 }, this.kind);
    return true;
  }
}
