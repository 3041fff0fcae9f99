import { setTimeout as sleep } from 'node:timers/promises';
import type { RunBody, ServiceClient, SseRecord, SseStream } from '../support/service-client.js';

/** One answer of events: what was asked for and what came. */
export interface Connection {
  readonly session: string;
  /** Absent: the events of all the session's runs. */
  readonly run?: string;
  readonly after: number;
  readonly received: readonly SseRecord[];
  /** Whether the service said that nothing more will come. */
  readonly isEnded: boolean;
}

/** A client's wish for a run, over all its tries. */
export interface Wish {
  readonly message: string;
  readonly key?: string;
  /** Every answer that named a run. */
  readonly answers: { readonly session: string; readonly run: string }[];
  /** Answers that said that nothing was started, by status. */
  readonly refusals: number[];
  /** Tries that got no answer. */
  lost: number;
  /** Absent: the client never saw its end. */
  end?: SseRecord;
}

export interface WishOptions {
  readonly session?: string;
  /** Absent: a try that gets no answer is not repeated. */
  readonly key?: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The client drops its connection after so many records, and comes back. */
  readonly dropAt?: number;
  /** Called with each record of any connection, in the moment in which it comes. */
  readonly onRecord?: (record: SseRecord, nth: number) => void;
}

const LOOK_MS = 10;

/** What the clients call: a process, or several. */
export interface Callee {
  /** Whether anybody answers. */
  readonly isReady: boolean;
  client(): ServiceClient;
}

/** Clients that do not give up, and everything that they were told. */
export class Witness {
  readonly wishes: Wish[] = [];
  readonly connections: Connection[] = [];
  /** Milliseconds from a lost connection to the next event of the same run. */
  readonly gapsMs: number[] = [];
  isOver = false;

  constructor(private readonly service: Callee) {}

  /** From now on nobody waits for a service that is gone. */
  giveUp(): void {
    this.isOver = true;
  }

  get acknowledged(): number {
    return this.connections.reduce((sum, { received }) => sum + received.length, 0);
  }

  /** Wishes for a run and follows it to its end, over every loss of the connection. */
  async run(message: string, options: WishOptions = {}): Promise<Wish> {
    const { key } = options;
    const wish: Wish = { message, ...(key === undefined ? {} : { key }), answers: [], refusals: [], lost: 0 };
    this.wishes.push(wish);
    const follow = new Follow(wish, this.connections, this.gapsMs, options);
    for (;;) {
      const stream = await this.open(wish, follow.at, options).catch(() => null);
      if (stream === null) {
        wish.lost += wish.answers.length === 0 ? 1 : 0;
        if (wish.answers.length === 0 && key === undefined) return wish;
      } else if (await follow.take(stream)) return wish;
      if (this.isOver) return wish;
      await this.serviceAnswers();
    }
  }

  private open(wish: Wish, after: number, { session, key, body }: WishOptions): Promise<SseStream> {
    const client = this.service.client();
    const known = wish.answers[0];
    if (known) return client.follow(`/runs/${known.run}`, after < 0 ? undefined : after);
    const sent: RunBody = { ...body, message: wish.message };
    return client.run(sent, {
      ...(session === undefined ? {} : { session }),
      ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
    });
  }

  private async serviceAnswers(): Promise<void> {
    while (!this.isOver && !this.service.isReady) await sleep(LOOK_MS);
  }
}

/** What one client has seen of its run. */
class Follow {
  /** The last event's id. */
  at = -1;
  private nth = 0;
  private cutAt: number | null = null;

  constructor(
    private readonly wish: Wish,
    private readonly connections: Connection[],
    private readonly gapsMs: number[],
    private readonly options: WishOptions,
  ) {}

  /** True: there is nothing more to follow. */
  async take(stream: SseStream): Promise<boolean> {
    const { wish } = this;
    if (stream.status === 204) return true;
    if (stream.status !== 200) {
      if (wish.answers.length === 0) wish.refusals.push(stream.status);
      await stream.closed();
      return stream.status < 500 && stream.status !== 429;
    }
    if (stream.run !== '') wish.answers.push({ session: stream.session, run: stream.run });
    const [known] = wish.answers;
    if (known === undefined) throw new Error('an answer that names no run');
    const after = stream.run === '' ? this.at : -1;
    for (const record of stream.records) this.see(record);
    stream.onRecord((record) => {
      this.see(record);
      if (this.nth === this.options.dropAt) stream.leave();
    });
    await stream.closed();
    const isEnded = stream.isOver && stream.end === 'ended';
    this.connections.push({ ...known, after, received: stream.records, isEnded });
    if (!stream.isOver) this.cutAt = performance.now();
    return stream.isOver;
  }

  private see(record: SseRecord): void {
    if (this.cutAt !== null) this.gapsMs.push(performance.now() - this.cutAt);
    this.cutAt = null;
    this.at = record.id;
    this.nth += 1;
    if (/^agent_(completed|error|cancelled)$/.test(record.event.type)) this.wish.end = record;
    this.options.onRecord?.(record, this.nth);
  }
}
