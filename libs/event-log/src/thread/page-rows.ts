import type { Position, Revision, StreamName } from '#domain';
import { type Field, openData, type RowPage } from '../codec.js';
import { type HashPage, HashRows } from './hash-rows.js';
import type { ThreadKeys } from './thread-keys.js';

/** Limits of a page; its last event may exceed them. */
export const PAGE_EVENTS = 500;
export const PAGE_BYTES = 1024 * 1024;

/** Rows read by an adapter's thread. */
export interface Page extends RowPage {
  /** Position up to which was read. */
  readonly position: Position;
  /** Ids of keys that the thread lacks: those rows are still encrypted. */
  readonly unknown?: readonly string[];
  /** In place of rows, where requested. */
  readonly hashed?: HashPage;
}

export type Row = [
  position: Position,
  revision: Revision,
  id: string,
  type: string,
  time: number,
  data: string | Uint8Array,
  meta: string,
  commitment: string,
  prev: string,
];

/** Whether rows are wanted as they are stored, with their proofs; or, in place of rows, the hashes of the events. */
export type RawWish = boolean | 'hashes';

/** Collects the rows of a page, decrypted where the thread has the key. */
export class PageRows {
  private readonly rows: Field[] = [];
  count = 0;
  position: Position;
  private readonly proofs?: string[];
  private unknown?: string[];
  private bytes = 0;
  private meta = '';
  private stream = '';
  private readonly keys: ThreadKeys;
  private readonly hashed?: HashRows;

  constructor(keys: ThreadKeys, position = 0, isRaw: RawWish = false) {
    this.keys = keys;
    this.position = position;
    if (isRaw === 'hashes') this.hashed = new HashRows();
    else if (isRaw) this.proofs = [];
  }

  add(row: Row, stream: StreamName): void {
    if (this.hashed === undefined) this.addRow(row, stream);
    else this.addHash(this.hashed, row, stream);
    [this.position] = row;
    this.count += 1;
  }

  private addRow(row: Row, stream: StreamName): void {
    const [position, revision, id, type, time, data, meta, commitment, prev] = row;
    const shown = this.proofs === undefined ? this.open(data, meta, stream, id) : data;
    this.rows.push(position, revision, id, type, time, shown);
    this.rows.push(meta === this.meta ? '' : meta, stream === this.stream ? '' : stream);
    this.proofs?.push(commitment, prev);
    this.meta = meta;
    this.stream = stream;
    this.bytes += data.length + meta.length;
  }

  private addHash(hashed: HashRows, row: Row, stream: StreamName): void {
    const [position, revision, id, type, time, , metaText, commitment, prev] = row;
    const meta = this.keys.metaOf(metaText);
    hashed.add({ stream, revision, id, type, time, meta }, position, { commitment, prev });
  }

  /** As posted to another thread: must not hold keys. */
  get page(): Page {
    const { rows, position, proofs, unknown } = this;
    const hashed = this.hashed?.page;
    return {
      rows,
      position,
      ...(proofs && { proofs }),
      ...(unknown && { unknown }),
      ...(hashed && { hashed }),
    };
  }

  isFull(): boolean {
    return this.bytes >= PAGE_BYTES;
  }

  private open(data: string | Uint8Array, metaText: string, stream: StreamName, id: string): Field {
    if (typeof data === 'string') return data;
    const { keyId } = this.keys.metaOf(metaText);
    const key = keyId === undefined ? null : this.keys.get(keyId);
    if (key !== undefined) return openData(data, key, stream, id);
    this.unknown ??= [];
    if (keyId !== undefined && this.unknown.at(-1) !== keyId) this.unknown.push(keyId);
    return data;
  }
}
