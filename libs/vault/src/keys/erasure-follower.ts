import {
  Follower,
  type FollowerBatch,
  type FollowerPorts,
  type FollowerTarget,
  LogUnavailable,
  type RecordedEvent,
} from '#event-log';
import { ErasureCheckpointer, type ErasureCheckpoints } from './erasure-checkpointer.js';
import type { ErasureCheckpoint, ErasureKind } from './key-store.js';

/** Which events erase, and what is done then. */
export interface ErasureRule {
  /** Of the follower. */
  readonly name: string;
  readonly kind: ErasureKind;
  readonly prefixes: readonly string[];
  /** Carries out an erasure, idempotently; false at once: the event is none. Returns whether anything was erased. */
  readonly carryOut: (event: RecordedEvent) => Promise<boolean> | false;
  /** The follower ended without `stop`: erasures by other replicas are no longer carried out here. */
  readonly onFatal: (error: unknown) => void;
}

export interface ErasureFollowerPorts extends FollowerPorts {
  readonly checkpoints: ErasureCheckpoints;
}

/**
 * Carries out erasure events (destroys keys) in every replica, since each caches keys. It resumes after a crash, from
 * a checkpoint in the key store.
 */
export class ErasureFollower implements FollowerTarget {
  private readonly follower: Follower;
  private readonly checkpointer: ErasureCheckpointer;

  constructor(
    private readonly rule: ErasureRule,
    private readonly ports: ErasureFollowerPorts,
  ) {
    const { name, prefixes, onFatal, kind } = rule;
    this.checkpointer = new ErasureCheckpointer(ports, kind);
    this.follower = new Follower({ name, prefixes, target: this, onFatal }, ports);
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
      const carriedOut = this.rule.carryOut(event);
      if (carriedOut !== false && (await carriedOut)) isNews = true;
    }
    await this.checkpointer.move(to, { events: events.length, isNews });
  }

  async park({ stream, type }: RecordedEvent, error: unknown): Promise<void> {
    this.ports.logger.error({ err: error, stream, type }, 'an erasure could not be carried out');
  }

  isTransient(error: unknown): boolean {
    return error instanceof LogUnavailable;
  }
}
