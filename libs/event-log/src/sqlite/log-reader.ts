import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LogDamaged } from '../thread/log-damaged.js';
import { type Page, PAGE_EVENTS, PageRows, type Row } from '../thread/page-rows.js';
import type { ThreadKeys } from '../thread/thread-keys.js';
import type { ReadAllRequest, ReadStreamRequest } from './protocol.js';
import type { StreamIndex } from './stream-index.js';

/** Events scanned for one page of the whole log; filtered ones cost little. */
const SCANNED_EVENTS = 5_000;

/** Reads pages from SQLite, bounded in count and bytes. */
export class LogReader {
  private readonly scan: StatementSync;
  private readonly hashedScan: StatementSync;
  private readonly row: StatementSync;
  private readonly placedRow: StatementSync;
  private readonly rawPlacedRow: StatementSync;
  private readonly nameOf: StatementSync;
  private readonly rawRow: StatementSync;
  private readonly names = new Map<number, string>();
  private readonly index: StreamIndex;
  private readonly keys: ThreadKeys;

  constructor(db: DatabaseSync, index: StreamIndex, keys: ThreadKeys) {
    this.index = index;
    this.keys = keys;
    const columns = 'position, revision, id, type, time, data, meta';
    const proof = 'lower(hex(commitment)), lower(hex(prev))';
    const isPlaced = 'position = ? AND stream = ? AND revision = ?';
    const onwards = 'FROM events WHERE position > ? ORDER BY position LIMIT ?';
    this.scan = arrays(db.prepare(`SELECT position, stream ${onwards}`));
    const hashed = `position, revision, id, type, time, '', meta, ${proof}`;
    this.hashedScan = arrays(db.prepare(`SELECT stream, ${hashed} ${onwards}`));
    this.row = arrays(db.prepare(`SELECT ${columns} FROM events WHERE position = ?`));
    this.placedRow = arrays(db.prepare(`SELECT ${columns} FROM events WHERE ${isPlaced}`));
    this.rawRow = arrays(db.prepare(`SELECT ${columns}, ${proof} FROM events WHERE position = ?`));
    this.rawPlacedRow = arrays(db.prepare(`SELECT ${columns}, ${proof} FROM events WHERE ${isPlaced}`));
    this.nameOf = arrays(db.prepare('SELECT name FROM streams WHERE id = ?'));
  }

  /** @throws LogDamaged */
  readStream({ stream, after, backwards, limit, isRaw }: ReadStreamRequest): Page {
    const page = new PageRows(this.keys, 0, isRaw);
    const select = isRaw ? this.rawPlacedRow : this.placedRow;
    const places = backwards
      ? this.index.before(stream, after ?? Number.MAX_SAFE_INTEGER)
      : this.index.after(stream, after ?? -1);
    const most = Math.min(limit, PAGE_EVENTS);
    let next = backwards ? undefined : (after ?? -1) + 1;
    for (const { stream: id, revision, position } of places) {
      const row = select.get(position, id, revision);
      if (row === undefined || revision !== (next ?? revision))
        throw new LogDamaged(`event ${revision} of ${stream} is not where it should be`);
      next = backwards ? revision - 1 : revision + 1;
      page.add(row as unknown as Row, stream);
      if (page.isFull() || page.count >= most) break;
    }
    return page.page;
  }

  /** @throws LogDamaged */
  readAll(request: ReadAllRequest): Page {
    if (request.isRaw === 'hashes') return this.readHashes(request);
    const page = new PageRows(this.keys, request.after, request.isRaw);
    const select = request.isRaw ? this.rawRow : this.row;
    const limit = Math.min(request.limit, PAGE_EVENTS);
    const { prefixes } = request;
    const scanned = prefixes.length === 0 ? limit : SCANNED_EVENTS;
    for (const found of this.scan.iterate(request.after, scanned)) {
      const [position, stream] = found as unknown as [number, number];
      const name = this.streamName(stream);
      page.position = position;
      if (prefixes.length > 0 && !prefixes.some((prefix) => name.startsWith(prefix))) continue;
      page.add(select.get(position) as unknown as Row, name);
      if (page.isFull() || page.count >= limit) break;
    }
    return page.page;
  }

  /** No hash covers the data but through their commitment: they are not read. */
  private readHashes({ after, limit }: ReadAllRequest): Page {
    const page = new PageRows(this.keys, after, 'hashes');
    for (const found of this.hashedScan.iterate(after, Math.min(limit, PAGE_EVENTS))) {
      const [stream, ...row] = found as unknown as [stream: number, ...row: Row];
      page.add(row, this.streamName(stream));
    }
    return page.page;
  }

  private streamName(id: number): string {
    const known = this.names.get(id);
    if (known !== undefined) return known;
    const [name] = this.nameOf.get(id) as unknown as [string];
    if (this.names.size > 10_000) this.names.clear();
    this.names.set(id, name);
    return name;
  }
}

function arrays(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true);
  return statement;
}
