import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { openData, type Field } from '../codec.js';
import type { ThreadKeys } from './thread-keys.js';
import type { ReadAllRequest, ReadStreamRequest } from './protocol.js';

const PAGE_EVENTS = 500;
const PAGE_BYTES = 1024 * 1024;
/** Events looked at for one page of the whole log; those of other streams cost little. */
const SCANNED_EVENTS = 5_000;

export interface Page {
  readonly rows: Field[];
  /** How far the reading got. */
  readonly position: number;
  readonly proofs?: readonly string[];
  readonly unknown?: readonly string[];
}

type Row = [
  position: number,
  revision: number,
  id: string,
  type: string,
  time: number,
  data: string | Uint8Array,
  meta: string,
  commitment: string,
  prev: string,
];

/** Reads pages, bounded in count and bytes. */
export class LogReader {
  private readonly streamId: StatementSync;
  private readonly forwards: StatementSync;
  private readonly backwards: StatementSync;
  private readonly scan: StatementSync;
  private readonly row: StatementSync;
  private readonly nameOf: StatementSync;
  private readonly rawRow: StatementSync;
  private readonly names = new Map<number, string>();
  private readonly keys: ThreadKeys;

  constructor(db: DatabaseSync, keys: ThreadKeys) {
    this.keys = keys;
    const columns = 'position, revision, id, type, time, data, meta';
    this.streamId = arrays(db.prepare('SELECT id FROM streams WHERE name = ?'));
    const ofStream = `SELECT ${columns} FROM events WHERE stream = ? AND revision`;
    this.forwards = arrays(db.prepare(`${ofStream} > ? ORDER BY revision LIMIT ?`));
    this.backwards = arrays(db.prepare(`${ofStream} < ? ORDER BY revision DESC LIMIT ?`));
    this.scan = arrays(
      db.prepare('SELECT position, stream FROM events WHERE position > ? ORDER BY position LIMIT ?'),
    );
    this.row = arrays(db.prepare(`SELECT ${columns} FROM events WHERE position = ?`));
    this.rawRow = arrays(
      db.prepare(
        `SELECT ${columns}, lower(hex(commitment)), lower(hex(prev)) FROM events WHERE position = ?`,
      ),
    );
    this.nameOf = arrays(db.prepare('SELECT name FROM streams WHERE id = ?'));
  }

  readStream(request: ReadStreamRequest): Page {
    const [id] = (this.streamId.get(request.stream) ?? []) as unknown as [number?];
    const page = new PageRows(this.keys);
    if (id === undefined) return page;
    const statement = request.backwards ? this.backwards : this.forwards;
    const from = request.after ?? (request.backwards ? Number.MAX_SAFE_INTEGER : -1);
    const limit = Math.min(request.limit, PAGE_EVENTS);
    for (const row of statement.iterate(id, from, limit)) {
      page.add(row as unknown as Row, request.stream);
      if (page.isFull()) break;
    }
    return page;
  }

  readAll(request: ReadAllRequest): Page {
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
    return page;
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

class PageRows implements Page {
  readonly rows: Field[] = [];
  count = 0;
  position: number;
  readonly proofs?: string[];
  unknown?: string[];
  private bytes = 0;
  private meta = '';
  private stream = '';
  private readonly keys: ThreadKeys;

  constructor(keys: ThreadKeys, position = 0, isRaw = false) {
    this.keys = keys;
    this.position = position;
    if (isRaw) this.proofs = [];
  }

  add([position, revision, id, type, time, data, meta, commitment, prev]: Row, stream: string): void {
    const shown = this.proofs === undefined ? this.open(data, meta, stream, id) : data;
    this.rows.push(position, revision, id, type, time, shown);
    this.rows.push(meta === this.meta ? '' : meta, stream === this.stream ? '' : stream);
    this.proofs?.push(commitment, prev);
    this.meta = meta;
    this.stream = stream;
    this.position = position;
    this.count += 1;
    this.bytes += data.length + meta.length;
  }

  isFull(): boolean {
    return this.bytes >= PAGE_BYTES;
  }

  private open(data: string | Uint8Array, metaText: string, stream: string, id: string): Field {
    if (typeof data === 'string') return data;
    const { keyId } = this.keys.metaOf(metaText);
    const key = keyId === undefined ? null : this.keys.get(keyId);
    if (key !== undefined) return openData(data, key, stream, id);
    this.unknown ??= [];
    if (keyId !== undefined && this.unknown.at(-1) !== keyId) this.unknown.push(keyId);
    return data;
  }
}

function arrays(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true);
  return statement;
}
