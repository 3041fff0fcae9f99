import type { StreamName } from '#domain';
import type { Position, RecordedEvent, Revision } from './envelope.js';
import {
  type Batch,
  EventLog,
  type HashBatch,
  type LogHealth,
  type ReadAllOptions,
  type ReadOptions,
} from './event-log.js';

/** Decorator base: delegates everything but `append` to an inner log. */
export abstract class PassingLog extends EventLog {
  constructor(protected readonly log: EventLog) {
    super();
  }

  override get logId(): string {
    return this.log.logId;
  }

  override get exclusive(): boolean {
    return this.log.exclusive;
  }

  override readStream(stream: StreamName, options?: ReadOptions): AsyncIterable<readonly RecordedEvent[]> {
    return this.log.readStream(stream, options);
  }

  override readAll(options?: ReadAllOptions): AsyncIterable<Batch> {
    return this.log.readAll(options);
  }

  override readHashes(after: Position): AsyncIterable<HashBatch> {
    return this.log.readHashes(after);
  }

  override subscribeStream(
    stream: StreamName,
    options: { after?: Revision; signal: AbortSignal },
  ): AsyncIterable<readonly RecordedEvent[]> {
    return this.log.subscribeStream(stream, options);
  }

  override subscribeAll(options: {
    after?: Position;
    prefixes?: readonly string[];
    signal: AbortSignal;
  }): AsyncIterable<Batch> {
    return this.log.subscribeAll(options);
  }

  override head(): Promise<Position> {
    return this.log.head();
  }

  override health(): Promise<LogHealth> {
    return this.log.health();
  }

  override close(): Promise<void> {
    return this.log.close();
  }
}
