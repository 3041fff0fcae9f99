import { workerData } from 'node:worker_threads';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Field } from '../codec.js';
import { cutWal, isFull, openDatabase, Refusal, unreadable } from './database.js';
import { LogReader } from './log-reader.js';
import { LogWriter } from './log-writer.js';
import type { AppendRequest } from '../thread/append-request.js';
import type { ThreadData } from '../thread/start-thread.js';
import { ThreadKeys } from '../thread/thread-keys.js';
import { Mailbox, type MailboxOptions } from './mailbox.js';
import { StreamIndex } from './stream-index.js';
import type { ReadAllRequest, ReadStreamRequest, Reply, Request } from './protocol.js';

/**
 * Program of the log's worker thread: one writer, one reader, one connection.
 * 1. All pending appends go into one transaction (group commit), then pending reads are served, so neither
 *    starves.
 * 2. Any error ends the thread, except a read error that the file explains: SQLite's word on the transaction
 *    is not relied on then. Pending appends have an unknown outcome, and the next thread reopens the file.
 */
const {
  options: { options, count },
  port,
} = workerData as ThreadData<MailboxOptions>;
const mailbox = new Mailbox(port, count);
const reply = (message: Reply) => mailbox.reply(message);

const PAGE_BYTES = 4096;
const READS_A_TURN = 4;
/** Bound on a transaction, and so on the WAL's growth between two checks. */
const TRANSACTION_BYTES = Math.min(2 * 1024 * 1024, options.walBytes / 8);
const WAL_LOOK_BYTES = TRANSACTION_BYTES;
/** The WAL is checkpointed when filled to this fraction, so that it need not grow. */
const CHECKPOINT_AT = 0.7;
/** Estimated WAL growth of one append: a page of events and one of places, or some more. */
const WAL_BYTES_AN_APPEND = 16 * 1024;
const IDLE_CHECKPOINT_MS = 1_000;
const FOREVER_MS = 2 ** 31 - 1;

class Thread {
  private readonly writer: LogWriter;
  private readonly reader: LogReader;
  private readonly appends: AppendRequest[] = [];
  private readonly reads: (ReadStreamRequest | ReadAllRequest)[] = [];
  private isClosing = false;
  private isDirty = false;
  private commits = 0;
  /** Estimated growth of the WAL since its size was last asked for. */
  private walGrowth = 0;
  private readonly walSize: StatementSync;
  private readonly db: DatabaseSync;
  private readonly keys = new ThreadKeys();

  constructor(db: DatabaseSync, head: number) {
    this.db = db;
    this.walSize = db.prepare('PRAGMA wal_checkpoint(NOOP)');
    const index = new StreamIndex(db);
    this.writer = new LogWriter(db, head, index, this.keys);
    this.reader = new LogReader(db, index, this.keys);
  }

  /** Runs until told to close. Invariant 2. */
  run(): void {
    try {
      this.work();
    } catch (error) {
      this.fail(error);
    }
  }

  private work(): void {
    for (;;) {
      for (let next = mailbox.take(); next !== undefined; next = mailbox.take()) this.take(next);
      if (this.appends.length > 0) this.write();
      else if (this.reads.length === 0) {
        if (this.isClosing) return this.close();
        this.idle();
        continue;
      }
      for (const request of this.reads.splice(0, READS_A_TURN)) this.read(request);
    }
  }

  private take(request: Request): void {
    if (request.kind === 'append') {
      this.keys.learn(request.keys);
      this.appends.push(request);
    } else if (request.kind === 'close') this.isClosing = true;
    else if (request.kind === 'keys') this.keys.learn(request.keys);
    else if (request.kind === 'forget') this.forget(request.ids);
    else this.reads.push(request);
  }

  /** Requests received before were made while the keys existed. */
  private forget(ids: readonly string[]): void {
    while (this.appends.length > 0) this.write();
    this.keys.forget(ids);
  }

  private idle(): void {
    const ms = this.isDirty ? IDLE_CHECKPOINT_MS : FOREVER_MS;
    if (mailbox.wait(ms) || !this.isDirty) return;
    this.checkpoint();
  }

  private write(): void {
    const batches: (readonly Field[])[] = [];
    for (let bytes = 0; this.appends.length > 0 && bytes < TRANSACTION_BYTES;) {
      const request = this.appends.shift()!;
      batches.push(request.fields);
      bytes += request.bytes;
      this.walGrowth += request.bytes + request.count * WAL_BYTES_AN_APPEND;
    }
    const outcomes = this.writer.write(batches);
    this.commits += 1;
    if (this.commits === options.faults.dieAfterCommits) throw new Error('died as it was told to');
    reply({ kind: 'appended', outcomes });
    this.isDirty = true;
    if (this.walGrowth > WAL_LOOK_BYTES) this.boundWal();
  }

  private read(request: ReadStreamRequest | ReadAllRequest): void {
    try {
      const page = request.kind === 'stream' ? this.reader.readStream(request) : this.reader.readAll(request);
      reply({ kind: 'page', read: request.read, ...page });
    } catch (error) {
      // It is in no transaction: whoever needs another part of the file need not miss it.
      const detail = unreadable(error);
      if (detail === null) throw error;
      reply({ kind: 'unreadable', read: request.read, detail });
    }
  }

  /** Checks the WAL's size, which is too slow to do for every transaction. */
  private boundWal(): void {
    this.walGrowth = 0;
    const pages = Number(this.walSize.get()?.['log'] ?? 0);
    if (pages * PAGE_BYTES > options.walBytes * CHECKPOINT_AT) this.checkpoint();
  }

  private checkpoint(): void {
    this.db.exec('PRAGMA wal_checkpoint(PASSIVE)');
    this.isDirty = false;
  }

  private close(): void {
    this.writer.end();
    this.db.close();
    reply({ kind: 'closed' });
  }

  private end(): never {
    try {
      this.db.close();
    } finally {
      process.exit(1);
    }
  }

  private fail(error: unknown): never {
    reply({
      kind: 'failed',
      detail: error instanceof Error ? error.message : String(error),
      full: isFull(error),
    });
    try {
      cutWal(this.db, options.folder);
    } finally {
      this.end();
    }
  }
}

try {
  const { db, logId, head } = openDatabase(options);
  const thread = new Thread(db, head);
  reply({ kind: 'opened', logId, head });
  thread.run();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  reply({ kind: 'refused', detail: error.message });
}
