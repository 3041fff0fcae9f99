import type { Position, Revision, StreamName } from '#domain';
import { type Field, openData, type RowPage } from '../codec.js';
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

/** Whether rows are wanted as they are stored, with their proofs; `proofs`: without their data. */
export type RawWish = boolean | 'proofs';

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
  private readonly isBare: boolean;

  constructor(keys: ThreadKeys, position = 0, isRaw: RawWish = false) {
    this.keys = keys;
    this.position = position;
    this.isBare = isRaw === 'proofs';
    if (isRaw !== false) this.proofs = [];
  }

  add([position, revision, id, type, time, data, meta, commitment, prev]: Row, stream: StreamName): void {
    const shown = this.proofs === undefined ? this.open(data, meta, stream, id) : this.isBare ? '' : data;
    this.rows.push(position, revision, id, type, time, shown);
    this.rows.push(meta === this.meta ? '' : meta, stream === this.stream ? '' : stream);
    this.proofs?.push(commitment, prev);
    this.meta = meta;
    this.stream = stream;
    this.position = position;
    this.count += 1;
    this.bytes += (this.isBare ? 0 : data.length) + meta.length;
  }

  /** As posted to another thread: must not hold keys. */
  get page(): Page {
    const { rows, position, proofs, unknown } = this;
    return { rows, position, ...(proofs && { proofs }), ...(unknown && { unknown }) };
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
