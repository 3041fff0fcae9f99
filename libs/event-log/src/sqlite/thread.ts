import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { DatabaseSync } from 'node:sqlite';
import type { Field } from '../codec.js';
import { isFull, openDatabase, Refusal, WAL_LIMIT_BYTES } from './database.js';
import { LogReader } from './log-reader.js';
import { LogWriter } from './log-writer.js';
import type { ReadAllRequest, ReadStreamRequest, Reply, Request, ThreadOptions } from './protocol.js';

/**
 * The log's own thread: one writer, one reader, one connection.
 * 1. Everything that waits is written in one transaction; then waiting reads have their turn, so neither starves.
 * 2. Any error while writing ends the thread: what SQLite says then about the transaction cannot be relied on. The
 *    appends without an answer have an unknown outcome, and the next thread reopens the file.
 */
const port = parentPort!;
const options = workerData as ThreadOptions;
const reply = (message: Reply) => port.postMessage(message);

const PAGE_BYTES = 4096;
const READS_A_TURN = 4;
const IDLE_CHECKPOINT_MS = 1_000;

class Thread {
  private readonly writer: LogWriter;
  private readonly reader: LogReader;
  private readonly appends: (readonly Field[])[] = [];
  private readonly reads: (ReadStreamRequest | ReadAllRequest)[] = [];
  private isClosing = false;
  private isDirty = false;
  private idle: NodeJS.Timeout | undefined;

  private readonly db: DatabaseSync;

  constructor(db: DatabaseSync, head: number) {
    this.db = db;
    this.writer = new LogWriter(db, head);
    this.reader = new LogReader(db);
  }

  listen(): void {
    port.on('message', (request: Request) => {
      this.take(request);
      this.work();
    });
  }

  private take(request: Request): void {
    if (request.kind === 'append') this.appends.push(request.fields);
    else if (request.kind === 'close') this.isClosing = true;
    else this.reads.push(request);
  }

  private work(): void {
    for (;;) {
      for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
        this.take(next.message as Request);
      if (this.appends.length > 0) this.write();
      else if (this.reads.length === 0) break;
      for (const request of this.reads.splice(0, READS_A_TURN)) this.read(request);
    }
    if (this.isClosing) this.close();
    else if (this.isDirty) this.idle ??= setTimeout(() => this.rest(), IDLE_CHECKPOINT_MS);
  }

  private write(): void {
    try {
      const outcomes = this.writer.write(this.appends.splice(0));
      reply({ kind: 'appended', outcomes });
      this.isDirty = true;
      if (this.walPages() * PAGE_BYTES > WAL_LIMIT_BYTES - SLACK_BYTES) this.checkpoint();
    } catch (error) {
      this.fail(error);
    }
  }

  private read(request: ReadStreamRequest | ReadAllRequest): void {
    try {
      const { rows, position } =
        request.kind === 'stream' ? this.reader.readStream(request) : this.reader.readAll(request);
      reply({ kind: 'page', read: request.read, rows, position });
    } catch (error) {
      this.fail(error);
    }
  }

  private walPages(): number {
    return 0;
  }

  private checkpoint(): void {
    this.db.exec('PRAGMA wal_checkpoint(PASSIVE)');
    this.isDirty = false;
  }

  private rest(): void {
    this.idle = undefined;
    try {
      this.checkpoint();
    } catch (error) {
      this.fail(error);
    }
  }

  private close(): void {
    clearTimeout(this.idle);
    this.db.close();
    reply({ kind: 'closed' });
    port.close();
  }

  /** Invariant 2. */
  private fail(error: unknown): never {
    reply({
      kind: 'failed',
      detail: error instanceof Error ? error.message : String(error),
      full: isFull(error),
    });
    try {
      this.db.close();
    } finally {
      process.exit(1);
    }
  }
}

const SLACK_BYTES = 4 * 1024 * 1024;

try {
  const { db, logId, head } = openDatabase(options);
  new Thread(db, head).listen();
  reply({ kind: 'opened', logId, head });
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  reply({ kind: 'refused', detail: error.message });
}
