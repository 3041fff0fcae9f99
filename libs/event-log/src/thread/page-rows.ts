import type { Position, Revision, StreamName } from '#domain';
import { type Field, openData, type RowPage } from '../codec.js';
import type { ThreadKeys } from './thread-keys.js';

/** What a page holds at most; the last event may be more. */
export const PAGE_EVENTS = 500;
export const PAGE_BYTES = 1024 * 1024;

/** Rows that an adapter's thread has read. */
export interface Page extends RowPage {
  /** How far the reading got. */
  readonly position: Position;
  /** Keys that the thread was not given: what they sealed is still sealed. */
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

/** Gathers the rows of a page, opened where the thread knows their keys. */
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

  constructor(keys: ThreadKeys, position = 0, isRaw = false) {
    this.keys = keys;
    this.position = position;
    if (isRaw) this.proofs = [];
  }

  add([position, revision, id, type, time, data, meta, commitment, prev]: Row, stream: StreamName): void {
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

  /** As it goes to another thread: nothing of it may hold keys. */
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
