import type { Revision, StreamName } from '#domain';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { sealData, type Field } from '../codec.js';
import type { EventMeta } from '../envelope.js';
import { ContentErased } from '../sealing/content-keys.js';
import type { ContentKey } from '../sealing/content-key.js';
import { StreamChain } from '../proof.js';
import { ANY, APPEND_FIELDS, EVENT_FIELDS, NO_STREAM, STREAM_EXISTS } from '../thread/append-request.js';
import type { ThreadKeys } from '../thread/thread-keys.js';
import { unreadable } from './database.js';
import { DAMAGED } from './protocol.js';
import type { StreamIndex } from './stream-index.js';

interface Head {
  readonly id: number;
  revision: Revision;
  /** Hash chain of the stream; null: not loaded yet. */
  chain: StreamChain | null;
}

const CACHED_HEADS = 50_000;

/**
 * Writes appends in group commits. Owns the cache of stream heads and the next position.
 * 1. Each append of a transaction is stored whole or conflicts, independently of the others.
 * 2. After any error the cache is invalid: the thread must end.
 */
export class LogWriter {
  private readonly heads = new Map<string, Head>();
  private readonly begin: StatementSync;
  private readonly commit: StatementSync;
  private readonly insertStream: StatementSync;
  private readonly insertEvent: StatementSync;
  private readonly findId: StatementSync;
  private readonly findLink: StatementSync;
  private readonly index: StreamIndex;
  private readonly keys: ThreadKeys;
  private head: number;

  constructor(db: DatabaseSync, head: number, index: StreamIndex, keys: ThreadKeys) {
    this.head = head;
    this.index = index;
    this.keys = keys;
    this.begin = db.prepare('BEGIN IMMEDIATE');
    this.commit = db.prepare('COMMIT');
    this.insertStream = db.prepare('INSERT INTO streams (name) VALUES (?)');
    this.insertEvent = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.findId = db.prepare('SELECT id FROM events WHERE position = ?');
    this.findLink = db.prepare(
      `SELECT revision, id, type, time, meta, hex(commitment) AS commitment, hex(prev) AS prev FROM events
       WHERE position = ?`,
    );
  }

  /**
   * Stores in one transaction what does not conflict. Returns two numbers an append, as the protocol says.
   */
  write(batches: readonly (readonly Field[])[]): number[] {
    const damaged = this.readEnds(batches);
    const outcomes: number[] = [];
    this.begin.run();
    for (const [fields, at, count] of appendsOf(batches)) {
      if (damaged.has(fields[at] as string)) outcomes.push(DAMAGED, 0);
      else this.append(fields, at, count, outcomes);
    }
    this.commit.run();
    return outcomes;
  }

  /** Nothing more is written. */
  end(): void {
    this.begin.run();
    this.index.save(this.head);
    this.commit.run();
  }

  /**
   * Reads where the streams end that are chained on, before the transaction: what cannot be read fails its own
   * append, not the others. Returns those streams.
   */
  private readEnds(batches: readonly (readonly Field[])[]): ReadonlySet<StreamName> {
    const damaged = new Set<StreamName>();
    for (const [fields, at] of appendsOf(batches)) {
      const [stream, expected] = [fields[at] as string, fields[at + 1] as number];
      const head = this.headOf(stream);
      if (head === undefined || head.chain !== null || expected !== head.revision) continue;
      try {
        head.chain = this.chainOf(stream, head);
      } catch (error) {
        if (unreadable(error) === null) throw error;
        damaged.add(stream);
      }
    }
    return damaged;
  }

  private append(fields: readonly Field[], at: number, count: number, outcomes: number[]): void {
    const stream = fields[at] as string;
    const expected = fields[at + 1] as number;
    const head = this.headOf(stream);
    const actual = head === undefined ? -1 : head.revision;
    if (isAsExpected(expected, actual)) {
      const isChained = expected >= NO_STREAM;
      const to = head ?? this.open(stream);
      outcomes.push(
        actual + 1,
        this.insert(
          stream,
          to,
          isChained,
          fields.slice(at + APPEND_FIELDS, at + APPEND_FIELDS + count * EVENT_FIELDS),
        ),
      );
      return;
    }
    const repeated = head !== undefined && expected < actual && expected >= NO_STREAM;
    const position = repeated
      ? this.positionOfRepeat(stream, expected, fields, at + APPEND_FIELDS, count)
      : 0;
    if (position > 0) outcomes.push(expected + 1, position);
    else outcomes.push(-1, actual);
  }

  private insert(stream: StreamName, head: Head, isChained: boolean, fields: readonly Field[]): number {
    const { insertEvent } = this;
    let text = '';
    // Read already, but behind an append of the same transaction that is not chained.
    if (isChained) head.chain ??= head.revision < 0 ? new StreamChain(stream) : this.chainOf(stream, head);
    for (let i = 0; i < fields.length; i += EVENT_FIELDS) {
      text = (fields[i + 4] as string) || text;
      const meta = this.keys.metaOf(text);
      const [id, type, time] = [fields[i] as string, fields[i + 1] as string, fields[i + 2] as number];
      const { data, commitment, prev } = this.bytesOf(stream, head, isChained, meta, fields, i);
      head.revision += 1;
      this.head += 1;
      head.chain?.push({ stream, revision: head.revision, id, type, time, meta }, { commitment, prev });
      insertEvent.run(
        this.head,
        head.id,
        head.revision,
        id,
        type,
        time,
        data,
        text,
        Buffer.from(commitment, 'hex'),
        Buffer.from(prev, 'hex'),
      );
      this.index.add(head.id, head.revision, this.head);
    }
    return this.head;
  }

  /** A copied event brings its bytes along. */
  private bytesOf(
    stream: StreamName,
    { chain }: Head,
    isChained: boolean,
    meta: EventMeta,
    fields: readonly Field[],
    at: number,
  ): { data: string | Uint8Array; commitment: string; prev: string } {
    const proof = fields[at + 5] as string;
    if (proof !== '') {
      const [commitment = '', prev = ''] = proof.split(' ');
      return { data: fields[at + 3] as string | Uint8Array, commitment, prev };
    }
    const event = { id: fields[at] as string, json: fields[at + 3] as string };
    const prev = isChained && chain !== null ? chain.prev : '';
    return { ...sealData(this.keyOf(meta), stream, event), prev };
  }

  private keyOf({ keyId }: EventMeta): ContentKey | null {
    if (keyId === undefined) return null;
    const key = this.keys.get(keyId);
    if (key === undefined || key === 'destroyed') throw new ContentErased(`nothing is sealed with ${keyId}`);
    return key;
  }

  /** Reads backwards to the last chained event, mostly one row. */
  private chainOf(stream: StreamName, { revision: last }: Head): StreamChain {
    const rows: Record<string, unknown>[] = [];
    for (const { position } of this.index.before(stream, last + 1)) {
      const row = this.findLink.get(position);
      // Deleted by somebody: whoever checks the chain will see it.
      if (row === undefined) continue;
      rows.push(row);
      if (row['prev'] !== '') break;
    }
    const chain = new StreamChain(stream);
    for (const row of rows.reverse()) {
      const { revision, id, type, time, meta } = row as {
        revision: Revision;
        id: string;
        type: string;
        time: number;
        meta: string;
      };
      const proof = {
        commitment: String(row['commitment']).toLowerCase(),
        prev: String(row['prev']).toLowerCase(),
      };
      chain.push({ stream, revision, id, type, time, meta: this.keys.metaOf(meta) }, proof);
    }
    return chain;
  }

  /** Idempotence check: position of the last event if exactly these ids stand after `expected`, else 0. */
  private positionOfRepeat(
    stream: StreamName,
    expected: number,
    fields: readonly Field[],
    at: number,
    count: number,
  ): number {
    let seen = 0;
    for (const { position } of this.index.after(stream, expected)) {
      if (this.findId.get(position)?.['id'] !== fields[at + seen * EVENT_FIELDS]) return 0;
      seen += 1;
      if (seen === count) return position;
    }
    return 0;
  }

  private headOf(stream: StreamName): Head | undefined {
    const cached = this.heads.get(stream);
    if (cached !== undefined) return cached;
    const found = this.index.find(stream);
    return found && this.keep(stream, { ...found, chain: null });
  }

  private open(stream: StreamName): Head {
    const { lastInsertRowid } = this.insertStream.run(stream);
    return this.keep(stream, { id: Number(lastInsertRowid), revision: -1, chain: null });
  }

  private keep(stream: StreamName, head: Head): Head {
    if (this.heads.size >= CACHED_HEADS) {
      let surplus = CACHED_HEADS / 10;
      for (const oldest of this.heads.keys()) {
        if (surplus-- <= 0) break;
        this.heads.delete(oldest);
      }
    }
    this.heads.set(stream, head);
    return head;
  }
}

/** Each append of the batches: its fields, where it begins in them, and how many events it has. */
function* appendsOf(
  batches: readonly (readonly Field[])[],
): Iterable<readonly [fields: readonly Field[], at: number, count: number]> {
  for (const fields of batches)
    for (let at = 0; at < fields.length;) {
      const count = fields[at + 2] as number;
      yield [fields, at, count];
      at += APPEND_FIELDS + count * EVENT_FIELDS;
    }
}

function isAsExpected(expected: number, actual: number): boolean {
  if (expected === ANY) return true;
  if (expected === STREAM_EXISTS) return actual >= 0;
  return expected === actual;
}
