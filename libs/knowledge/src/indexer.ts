import { DATASTORE_PREFIX, DOCUMENT_PREFIX, Problem } from '#domain';
import type { EventLog, FollowerBatch, FollowerTarget, RecordedEvent } from '#event-log';
import type { UploadStore } from '#vault';
import type { Clock, Logger } from '#platform';
import { type Checkpoint, CheckpointMoved } from '#postgres';
import type { AbandonedUploads } from './abandoned-uploads.js';
import { scopeOf } from './index-document.js';
import { isOfSystem, isOutage } from './outage.js';
import type { DocumentOutcomes } from './outcomes.js';
import type { KnowledgeRows, UnreadUpload } from './postgres/knowledge-rows.js';
import { TextLost } from './postgres/passage-rows.js';
import type { GoneTexts } from './postgres/gone-texts.js';
import { isVacuumDue, vacuum } from './postgres/vacuum.js';
import type { KnowledgeDatabase } from './ports.js';
import type { KnowledgeStreams } from './streams.js';
import { ReadingStopped, type TextReader } from './text-reader.js';

export const INDEXED_PREFIXES = [DATASTORE_PREFIX, DOCUMENT_PREFIX] as const;

interface IndexerPorts {
  readonly log: EventLog;
  readonly database: KnowledgeDatabase;
  readonly rows: KnowledgeRows;
  readonly gone: GoneTexts;
  readonly reader: TextReader;
  readonly outcomes: DocumentOutcomes;
  readonly streams: KnowledgeStreams;
  readonly uploads: UploadStore;
  readonly abandoned: AbandonedUploads;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Makes the tables where they are missing. */
  readonly migrate: () => Promise<void>;
}

const LOOK_MS = 5_000;
const VACUUM_PAUSE_MS = 2_000;
/** For what a deletion leaves, before it is answered: the rest of a large one is removed behind it, between readings. */
const REMOVE_MS = 1_000;
/** More than are read at the same time, so that their readers need not wait for us. */
const AT_ONCE = 20;

/**
 * Projection of the streams of datastores and documents: maintains their rows, removes what was deleted, and extracts
 * documents whose passages are missing, after a crash or when the tables were lost.
 */
export class Indexer implements FollowerTarget {
  private readonly stopping = new AbortController();
  private readonly reading = new Set<Promise<boolean>>();
  private isVacuumDue = false;

  constructor(private readonly ports: IndexerPorts) {}

  async load(): Promise<Checkpoint | null> {
    await this.ports.migrate();
    return this.ports.rows.loadCheckpoint();
  }

  async apply(batch: FollowerBatch): Promise<void> {
    const isDeletion = await this.ports.rows.apply(batch, (uploads) => this.removeFiles(uploads));
    this.isVacuumDue ||= isDeletion;
    if (isDeletion) await this.removeGone(REMOVE_MS).catch(() => undefined);
  }

  /** Our own events always fit; one that does not must not stop the others. */
  async park({ stream, type }: RecordedEvent, error: unknown): Promise<void> {
    this.ports.logger.error({ err: error, stream, type }, 'an event of a datastore cannot be applied');
  }

  isTransient(error: unknown): boolean {
    // A file that cannot be removed is removed when its events are applied again.
    return error instanceof CheckpointMoved || isOutage(error) || isOfSystem(error);
  }

  /** Reads what nobody reads, until stop. */
  async run(caughtUp: () => Promise<void>): Promise<void> {
    const { clock, logger } = this.ports;
    const { signal } = this.stopping;
    let isFresh = true;
    while (!signal.aborted) {
      try {
        await caughtUp();
        if (isFresh) await this.cleanUp();
        isFresh = false;
        await this.readAll();
        await this.removeGone(LOOK_MS);
        await this.vacuum();
      } catch (error) {
        if (!signal.aborted) logger.warn({ err: error }, 'documents wait to be read');
        // The tables may have been lost while nothing else asked for them.
        if (isUnavailable(error)) await this.ports.migrate().catch(() => undefined);
      }
      const pauseMs = this.isVacuumDue ? VACUUM_PAUSE_MS : LOOK_MS;
      await clock.sleep(pauseMs, signal).catch(() => undefined);
    }
  }

  stop(): void {
    this.stopping.abort();
    this.ports.reader.stopAll();
  }

  private async removeFiles(gone: readonly string[]): Promise<void> {
    for (const upload of gone) {
      this.ports.reader.stop(upload);
      await this.ports.uploads.remove(scopeOf(upload));
    }
  }

  /** What is not removed in this time is removed in the next round. */
  private async removeGone(forMs: number): Promise<void> {
    const { gone, clock } = this.ports;
    const patience = clock.deadline(forMs, this.stopping.signal);
    try {
      if (await gone.removeAll(patience.signal)) this.isVacuumDue = true;
    } finally {
      patience[Symbol.dispose]();
    }
  }

  /** What a process that died has left. */
  private async cleanUp(): Promise<void> {
    const { log, rows, abandoned, database } = this.ports;
    this.isVacuumDue ||= await isVacuumDue(database);
    await (log.exclusive ? rows.forgetReaders() : rows.removeAbandoned());
    await abandoned.sweep(this.stopping.signal);
  }

  /** Begins to read what nobody reads, and goes on while it is done within a moment. */
  private async readAll(): Promise<void> {
    const { rows, reader, clock } = this.ports;
    const { signal } = this.stopping;
    for (let isBrisk = true; isBrisk && !signal.aborted;) {
      const unread = await rows.unread(AT_ONCE);
      const fresh = unread.filter(({ upload }) => !reader.isReading(upload));
      for (const upload of fresh.slice(0, AT_ONCE - this.reading.size)) this.begin(upload);
      if (this.reading.size === 0) return;
      const done = Promise.all(this.reading).then((found) => found.some((wasRead) => wasRead));
      isBrisk = await Promise.race([done, clock.sleep(LOOK_MS, signal).then(() => false)]);
    }
  }

  private begin(upload: UnreadUpload): void {
    const reading = this.read(upload).finally(() => this.reading.delete(reading));
    this.reading.add(reading);
  }

  /** Returns whether it was. */
  private async read({ document: id, upload, datastore, project }: UnreadUpload): Promise<boolean> {
    const { reader, outcomes, uploads, streams, logger } = this.ports;
    try {
      const { document } = await streams.document(id);
      // The rows follow the log: what has just failed still waits there.
      if (document?.upload !== upload || document.status === 'failed') return false;
      const { bytes, file, filename, fileKey: key } = document;
      const kept = uploads.kept(scopeOf(upload), file, { bytes, key });
      const extraction = await reader.read({ upload, datastore }, kept, { project, filename });
      await outcomes.record(id, upload, extraction);
      return true;
    } catch (error) {
      const isStopped = error instanceof ReadingStopped || error instanceof TextLost;
      if (!isStopped) logger.warn({ err: error, document: id }, 'a document is read again later');
      return false;
    }
  }

  private async vacuum(): Promise<void> {
    if (!this.isVacuumDue) return;
    // Before, because what is deleted meanwhile is due again.
    this.isVacuumDue = false;
    try {
      await vacuum(this.ports.database);
    } catch (error) {
      this.isVacuumDue = true;
      throw error;
    }
  }
}

const isUnavailable = (error: unknown): boolean => error instanceof Problem && error.code === 'unavailable';
