import { sessionOfStream, type SessionId } from '#domain';
import {
  type ContentKeys,
  type EventLog,
  Follower,
  type FollowerBatch,
  type FollowerTarget,
  LogUnavailable,
  type RecordedEvent,
} from '#event-log';
import { type ErasureCheckpoint, ErasureCheckpointer, type ErasureCheckpoints, type FileStore } from '#vault';
import type { Background, Clock, Logger, Random } from '#platform';

export interface ErasurePorts {
  readonly log: EventLog;
  readonly keys: ContentKeys;
  readonly files: FileStore;
  readonly checkpoints: ErasureCheckpoints;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
  /** Erasures of other replicas are not carried out any more. */
  readonly onFatal: (error: unknown) => void;
}

/**
 * Carries out what `session_erased` says, in every replica: destroys the key, which takes all copies with it that are in
 * memory, and removes the files. A follower, so a crash in between finishes the job; doing it again changes nothing.
 */
export class Erasures implements FollowerTarget {
  private readonly follower: Follower;
  private readonly checkpointer: ErasureCheckpointer;

  constructor(private readonly ports: ErasurePorts) {
    const { onFatal } = ports;
    this.checkpointer = new ErasureCheckpointer(ports, 'sessions');
    this.follower = new Follower({ name: 'erasures', prefixes: ['session-'], target: this, onFatal }, ports);
  }

  start(): void {
    this.follower.start();
  }

  stop(): Promise<void> {
    return this.follower.stop();
  }

  load(): Promise<ErasureCheckpoint | null> {
    return this.checkpointer.load();
  }

  async apply({ events, to }: FollowerBatch): Promise<void> {
    let isNews = false;
    for (const event of events) {
      if (event.type !== 'session_erased') continue;
      const { key } = event.data as { readonly key?: string };
      await this.carryOut(sessionOfStream(event.stream) ?? '', key ?? null);
      isNews = true;
    }
    await this.checkpointer.move(to, { events: events.length, isNews });
  }

  /** When this resolves nothing of the session can be read any more. @throws LogUnavailable */
  async carryOut(session: SessionId, key: string | null): Promise<void> {
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
