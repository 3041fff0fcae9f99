import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { Shelf, type Stored } from './stored.js';

export interface Proposal {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export type Expected = number | 'any' | 'no_stream' | 'stream_exists';

interface Stream {
  readonly number: number;
  /** Indexes on the shelf, by revision. */
  readonly events: number[];
}

export type Outcome =
  | { readonly kind: 'success'; readonly revision: number; readonly position: number }
  | { readonly kind: 'wrong-version'; readonly current: number }
  | { readonly kind: 'too-large'; readonly limit: number };

const RECENT_IDS = 100_000;
const RECORD_BYTES = 90;

/**
 * The data of the server, in memory, and on request in a journal that a next process reads. Owns order and positions.
 * 1. Positions are byte offsets, as on the real one.
 * 2. Ids are compared at the revision that is expected; under `any` only the recent ones are known, and none after a restart.
 */
export class EsdbStore {
  readonly shelf = new Shelf();
  private readonly streams = new Map<string, Stream>();
  private offset: number;
  /** Records from this position and index on are remembered by their ids. */
  private recent = { position: 0, index: 0 };
  private readonly listeners = new Set<(records: readonly Stored[]) => void>();

  constructor(
    public maxAppendBytes: number,
    private readonly options: { readonly firstPosition: number; readonly journal: string | undefined },
  ) {
    const { journal } = options;
    this.offset = options.firstPosition;
    if (journal === undefined || !existsSync(journal)) return;
    for (const line of readFileSync(journal, 'utf8').split('\n'))
      if (line.endsWith(']'))
        this.replay(JSON.parse(line) as [string, string, string, string, string, string][]);
  }

  /** Told of what is stored, in order. Returns how to stop it. */
  listen(listener: (records: readonly Stored[]) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Everything, made anew: for tests. */
  get all(): Stored[] {
    return Array.from({ length: this.shelf.length }, (_, i) => this.shelf.at(i));
  }

  of(stream: string): readonly Stored[] | undefined {
    return this.streams.get(stream)?.events.map((index) => this.shelf.at(index));
  }

  append(stream: string, expected: Expected, proposals: readonly Proposal[]): Outcome {
    let bytes = 0;
    for (const { type, data, metadata } of proposals)
      bytes += data.length + metadata.length + type.length * 2;
    if (bytes > this.maxAppendBytes) return { kind: 'too-large', limit: this.maxAppendBytes };
    const events = this.streams.get(stream)?.events ?? [];
    const last = events.length - 1;
    if (typeof expected === 'string' && expected !== 'no_stream') {
      if (expected === 'stream_exists' && last < 0) return { kind: 'wrong-version', current: last };
      const known = proposals.map(({ id }) => this.recentOf(events, id));
      const repeat = known.at(-1);
      if (repeat !== undefined && known.every((stored) => stored !== undefined)) return successOf(repeat);
    } else {
      const after = expected === 'no_stream' ? -1 : expected;
      if (last < after) return { kind: 'wrong-version', current: last };
      if (last > after) return this.repeatOf(events, after, proposals);
    }
    // Nothing is stored, and yet it is no failure.
    if (proposals.length === 0)
      return { kind: 'success', revision: Math.max(last, 0), position: this.offset };
    return successOf(this.store(stream, proposals));
  }

  /** What a restart forgets. */
  forgetRecent(): void {
    this.recent = { position: this.offset, index: this.shelf.length };
  }

  /** Index on the shelf of the first record at or after the position. */
  indexAt(position: number): number {
    let low = 0;
    let high = this.shelf.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.shelf.positionAt(middle) >= position) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  private store(stream: string, proposals: readonly Proposal[]): Stored {
    const records = this.add(stream, proposals, String(BigInt(Date.now()) * 10_000n));
    const { journal } = this.options;
    if (journal !== undefined) appendFileSync(journal, `${JSON.stringify(records.map(toLine))}\n`);
    for (const listener of this.listeners) listener(records);
    return records.at(-1)!;
  }

  private add(stream: string, proposals: readonly Proposal[], created: string): Stored[] {
    const { number, events } = this.streams.get(stream) ?? this.open(stream);
    const records = proposals.map((proposal): Stored => {
      const place = { stream, revision: events.length, position: this.offset, created };
      const index = this.shelf.length;
      this.shelf.put(number, { ...proposal, ...place });
      this.offset += RECORD_BYTES + proposal.data.length + proposal.metadata.length;
      events.push(index);
      return this.shelf.at(index);
    });
    if (this.shelf.length - this.recent.index > RECENT_IDS) this.forgetRecent();
    return records;
  }

  private open(stream: string): Stream {
    const opened = { number: this.shelf.addStream(stream), events: [] };
    this.streams.set(stream, opened);
    return opened;
  }

  private recentOf(events: readonly number[], id: string): Stored | undefined {
    for (let i = events.length - 1; i >= 0; i--) {
      const stored = this.shelf.at(events[i]!);
      if (stored.position < this.recent.position) return undefined;
      if (stored.id === id) return stored;
    }
    return undefined;
  }

  private repeatOf(events: readonly number[], after: number, proposals: readonly Proposal[]): Outcome {
    const stored = events.slice(after + 1, after + 1 + proposals.length).map((index) => this.shelf.at(index));
    const isRepeat =
      stored.length === proposals.length && stored.every(({ id }, i) => id === proposals[i]?.id);
    return isRepeat && stored.length > 0
      ? successOf(stored.at(-1)!)
      : { kind: 'wrong-version', current: events.length - 1 };
  }

  private replay(lines: [string, string, string, string, string, string][]): void {
    const [first] = lines;
    if (first === undefined) return;
    const proposals = lines.map(([, id, type, data, metadata]) => ({
      id,
      type,
      contentType: 'application/json',
      data: new Uint8Array(Buffer.from(data, 'base64')),
      metadata: new Uint8Array(Buffer.from(metadata, 'base64')),
    }));
    this.add(first[0], proposals, first[5]);
    this.forgetRecent();
  }
}

const toLine = ({ event: { stream, id, type, data, metadata, created } }: Stored): string[] => [
  stream,
  id,
  type,
  Buffer.from(data).toString('base64'),
  Buffer.from(metadata).toString('base64'),
  created,
];

const successOf = ({ revision, position }: Stored): Outcome => ({ kind: 'success', revision, position });
