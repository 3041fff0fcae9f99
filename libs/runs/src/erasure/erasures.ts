import { sessionOfStream } from '#domain';
import {
  type ContentKeys,
  type ErasureCheckpoint,
  type EventLog,
  type FileStore,
  Follower,
  type FollowerBatch,
  type FollowerTarget,
  LogUnavailable,
  type RecordedEvent,
} from '#event-log';
import type { Background, Clock, Logger, Random } from '#platform';

/** How far the erasures of the log were carried out, kept beside the keys: an older store has an older place. */
export interface ErasureProgress {
  checkpoint(): Promise<ErasureCheckpoint | null>;
  saveCheckpoint(checkpoint: ErasureCheckpoint): Promise<void>;
}

export interface ErasurePorts {
  readonly log: EventLog;
  readonly keys: ContentKeys;
  readonly files: FileStore;
  readonly progress: ErasureProgress;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
  /** Erasures of other replicas are not carried out any more. */
  readonly onFatal: (error: unknown) => void;
}

/** Events between two checkpoints where nothing is erased. Not positions: on some logs those count bytes. */
const CHECKPOINT_EVERY = 5_000;

/**
 * Carries out what `session_erased` says, in every replica: destroys the key, which takes all copies with it that are in
 * memory, and removes the files. A follower, so a crash in between finishes the job; doing it again changes nothing.
 */
export class Erasures implements FollowerTarget {
  private readonly follower: Follower;
  /** Events since the checkpoint. */
  private unsaved = 0;
  /** How far this process got; others that share the store may be further, but have not seen to our memory. */
  private position: number | null = null;

  constructor(private readonly ports: ErasurePorts) {
    const { onFatal } = ports;
    this.follower = new Follower({ name: 'erasures', prefixes: ['session-'], target: this, onFatal }, ports);
  }

  start(): void {
    this.follower.start();
  }

  stop(): Promise<void> {
    return this.follower.stop();
  }

  async load(): Promise<ErasureCheckpoint | null> {
    const { logId } = this.ports.log;
    if (this.position !== null) return { logId, position: this.position };
    const checkpoint = await this.ports.progress.checkpoint();
    // Of another log, e.g. the one that this was copied from: all of it is done again.
    const isOurs = checkpoint?.logId === logId && !(await this.isBeyondLog(checkpoint));
    return isOurs ? checkpoint : null;
  }

  /** The log is a copy from before: what is erased on it from now on is not what was carried out. */
  private async isBeyondLog({ logId, position }: ErasureCheckpoint): Promise<boolean> {
    const { log, progress, logger } = this.ports;
    if (position <= (await log.head())) return false;
    logger.warn({ position }, 'the log is older than the key store: its erasures are carried out again');
    // A place goes back only by way of another log's.
    await progress.saveCheckpoint({ logId: '', position: 0 });
    await progress.saveCheckpoint({ logId, position: 0 });
    return true;
  }

  async apply({ logId, events, to }: FollowerBatch): Promise<void> {
    let isNews = false;
    for (const event of events) {
      if (event.type !== 'session_erased') continue;
      const { key } = event.data as { readonly key?: string };
      await this.carryOut(sessionOfStream(event.stream) ?? '', key ?? null);
      isNews = true;
    }
    this.position = to;
    this.unsaved += events.length;
    if (!isNews && this.unsaved < CHECKPOINT_EVERY) return;
    await this.ports.progress.saveCheckpoint({ logId, position: to });
    this.unsaved = 0;
  }

  /** When this resolves nothing of the session can be read any more. @throws LogUnavailable */
  async carryOut(session: string, key: string | null): Promise<void> {
    if (session === '') return;
    if (key !== null) await this.ports.keys.destroy(key);
    await this.ports.files.remove(session);
  }

  async park({ stream, type }: RecordedEvent, error: unknown): Promise<void> {
    this.ports.logger.error({ err: error, stream, type }, 'an erasure could not be carried out');
  }

  isTransient(error: unknown): boolean {
    return error instanceof LogUnavailable;
  }
}
