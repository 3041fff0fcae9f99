import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { requireDescribedEvent } from './api-contract.js';

/** The `data:` JSON of an event. */
export interface PublicJson {
  readonly type: string;
  readonly session: string;
  readonly content?: string;
  readonly step?: string;
  readonly cost?: string;
  readonly code?: string;
  readonly retryable?: boolean;
}

export interface SseRecord {
  readonly id: number;
  /** What stood behind `data: `, as it came. */
  readonly json: string;
  readonly event: PublicJson;
}

export const isEnd = ({ event }: SseRecord): boolean =>
  event.type === 'agent_completed' || event.type === 'agent_error' || event.type === 'agent_cancelled';

/** An answer of Server-Sent Events, and everything that came of it. */
export class SseStream {
  readonly records: SseRecord[] = [];
  /** Comments and `retry` fields. */
  readonly others: string[] = [];
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** `ended`: the answer is complete. `cut`: the connection was lost in the middle of it. */
  end: 'open' | 'ended' | 'cut' = 'open';
  private rest = '';
  /** The first event that is not as the description of the interface says. */
  private fault: Error | null = null;
  private watchers: (() => void)[] = [];
  private readonly listeners: ((record: SseRecord) => void)[] = [];

  constructor(private readonly response: IncomingMessage) {
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    response.setEncoding('utf8').on('data', (text: string) => this.take(text));
    response.on('error', () => undefined);
    response.once('close', () => {
      this.end = response.complete ? 'ended' : 'cut';
      this.changed();
    });
  }

  /** The run, as the answer names it. */
  get run(): string {
    const place = this.headers['content-location'] ?? '';
    return place.slice('/runs/'.length);
  }

  get session(): string {
    return this.records[0]?.event.session ?? /^run_(ses_[A-Za-z0-9]+)_/.exec(this.run)?.[1] ?? '';
  }

  get ids(): number[] {
    return this.records.map(({ id }) => id);
  }

  /** The events, as `type` or `type content`. */
  get lines(): string[] {
    return this.records.map(lineOf);
  }

  /** The last event's id, -1 where there is none. */
  get lastId(): number {
    return this.records.at(-1)?.id ?? -1;
  }

  get isOver(): boolean {
    const last = this.records.at(-1);
    return last !== undefined && isEnd(last);
  }

  /** Calls with each record in the moment in which it comes. */
  onRecord(listener: (record: SseRecord) => void): void {
    this.listeners.push(listener);
  }

  /** Resolves with the first record like this, which may have come already. @throws Error when the stream ends without */
  async until(isWanted: (record: SseRecord) => boolean, what = 'the event'): Promise<SseRecord> {
    for (;;) {
      if (this.fault !== null) throw this.fault;
      const found = this.records.find(isWanted);
      if (found) return found;
      if (this.end !== 'open') throw new Error(`the stream ended without ${what}: ${this.lines.join(' | ')}`);
      await this.change();
    }
  }

  /** Resolves with the event of this type. */
  untilType(type: string): Promise<SseRecord> {
    return this.until(({ event }) => event.type === type, type);
  }

  /** Resolves when nothing more will come. */
  async closed(): Promise<this> {
    while (this.end === 'open') await this.change();
    if (this.fault !== null) throw this.fault;
    return this;
  }

  /** The client goes away. */
  leave(): void {
    this.response.destroy();
  }

  private take(text: string): void {
    const parts = (this.rest + text).split('\n\n');
    this.rest = parts.pop() ?? '';
    for (const part of parts) this.takeRecord(part);
    this.changed();
  }

  private takeRecord(text: string): void {
    const match = /^id: (\d+)\ndata: (.*)$/s.exec(text);
    if (match === null) {
      this.others.push(text);
      return;
    }
    const [, id = '', json = ''] = match;
    const record = { id: Number(id), json, event: JSON.parse(json) as PublicJson };
    this.records.push(record);
    try {
      requireDescribedEvent(record.event);
    } catch (error) {
      this.fault ??= error as Error;
    }
    for (const listener of this.listeners) listener(record);
  }

  private change(): Promise<void> {
    return new Promise((resolve) => this.watchers.push(resolve));
  }

  private changed(): void {
    for (const wake of this.watchers.splice(0)) wake();
  }
}

const lineOf = ({ event }: SseRecord): string => {
  const { type, content, step, cost, code } = event;
  return [type, content ?? step ?? cost, code].filter((part) => part !== undefined).join(' ');
};
