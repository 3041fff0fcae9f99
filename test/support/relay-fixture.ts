import { setTimeout as sleep } from 'node:timers/promises';
import {
  CallbackRelay,
  CallbackSender,
  type CallbackRequest,
  Deliveries,
  type SendOutcome,
  sealCallback,
} from '#delivery';
import { type SessionEvent, asDeliveryEvent, deliveryStream, sessionStream } from '#domain';
import {
  type AppendResult,
  type Expected,
  LogUnavailable,
  type NewEvent,
  type ReadOptions,
  type RecordedEvent,
  newEvent,
} from '#event-log';
import { ContentStore, MemoryFileStore } from '#vault';
import { ProcessBackground, SecretBox, SilentLogger } from '#platform';
import { CountingRandom } from './counting-random.js';
import { ManualClock } from './manual-clock.js';
import { ScriptedLog } from './scripted-log.js';
import type { TempLog } from './temp-log.js';

/** An attempt as it arrived at a receiver. */
export interface Sent extends CallbackRequest {
  readonly run: string;
  readonly sequence: number;
  readonly at: number;
}

/** What the receiver does with an attempt; n counts all attempts from 0. */
export type ReceiverScript = (sent: Sent, n: number) => SendOutcome | Promise<SendOutcome>;

export const answered = (status: number, more: { retryAfter?: string; body?: string } = {}): SendOutcome => ({
  kind: 'answered',
  status,
  retryAfter: more.retryAfter ?? null,
  body: more.body ?? '',
});
export const unreachable: SendOutcome = { kind: 'failed', reason: 'the connection was refused' };

const never = new Promise<never>(() => undefined);
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const PROJECT = 'p';
const MOST_IN_VAIN = 100;

/** A log whose process may die: from then on nothing is answered. */
class MortalLog extends ScriptedLog {
  isDead = false;
  /** Streams whose names begin so take nothing. */
  refused: string | null = null;
  beforeRead: (stream: string) => Promise<void> = async () => {};
  /** It is closed: subscriptions end at once. How often one was asked for since then. */
  isClosed = false;
  askedInVain = 0;

  override subscribeStream(
    stream: string,
    options: { after?: number; signal: AbortSignal },
  ): AsyncIterable<readonly RecordedEvent[]> {
    if (!this.isClosed) return super.subscribeStream(stream, options);
    this.askedInVain += 1;
    // Whoever asks for ever is to fail, and not to hang.
    if (this.askedInVain > MOST_IN_VAIN) throw new LogUnavailable('scripted');
    return super.subscribeStream(stream, { ...options, signal: AbortSignal.abort() });
  }

  override async *readStream(stream: string, options?: ReadOptions) {
    await this.beforeRead(stream);
    yield* super.readStream(stream, options);
  }

  override append(
    stream: string,
    events: readonly NewEvent[],
    options: { expected: Expected },
  ): Promise<AppendResult> {
    if (this.refused !== null && stream.startsWith(this.refused))
      return Promise.reject(new LogUnavailable('scripted'));
    return this.isDead ? never : super.append(stream, events, options);
  }
}

class ScriptedSender extends CallbackSender {
  isDead = false;

  constructor(private readonly world: RelayWorld) {
    super();
  }

  override async send(request: CallbackRequest): Promise<SendOutcome> {
    if (this.isDead) return never;
    const run = request.headers['annals-run'] ?? '';
    const sequence = Number(request.headers['annals-sequence']);
    const sent = { ...request, run, sequence, at: this.world.clock.now() };
    const outcome = await this.world.script(sent, this.world.sent.push(sent) - 1);
    return this.isDead ? never : outcome;
  }
}

export interface Life {
  readonly relay: CallbackRelay;
  readonly log: MortalLog;
  /** From one instant to the next. */
  readonly kill: () => void;
}

/** Relays on a real log, with receivers and time that the test makes. */
export class RelayWorld {
  readonly clock = new ManualClock(Date.UTC(2026, 0, 15));
  readonly sent: Sent[] = [];
  readonly errors: unknown[] = [];
  readonly deliveries: Deliveries;
  private readonly box = new SecretBox(Buffer.alloc(32, 3));
  private readonly random = new CountingRandom('world', 0.5);
  private readonly contents = new ContentStore(new MemoryFileStore());
  private lives = 0;

  constructor(
    readonly temp: TempLog,
    public script: ReceiverScript = () => answered(204),
  ) {
    const { clock, random, box } = this;
    this.deliveries = new Deliveries({ log: temp.log, clock, random, box });
  }

  relay(): Life {
    const log = new MortalLog(this.temp.log);
    const sender = new ScriptedSender(this);
    const relay = new CallbackRelay({
      log,
      sender,
      contents: this.contents,
      clock: this.clock,
      random: new CountingRandom(`relay ${(this.lives += 1)}`, 0.5),
      background: new ProcessBackground(new SilentLogger()),
      logger: new SilentLogger(),
      box: this.box,
      secretOf: () => SECRET,
      onFatal: (error) => this.errors.push(error),
    });
    relay.start();
    const kill = (): void => {
      log.isDead = true;
      sender.isDead = true;
    };
    return { relay, log, kill };
  }

  /** A run with a callback that has said so many events, the last one its end. */
  async addRun(name: string, events: number, host = 'receiver'): Promise<string> {
    const session = `ses_${name}`;
    const run = `run_${session}_1`;
    const url = `https://${host}.example.org/hook?token=a-secret-token`;
    const callback = sealCallback(this.box, PROJECT, { url, headers: { Authorization: 'Bearer abcdef' } });
    const more = { mode: 'base', model: 'm', config: {}, trigger: 'request', replica: 'r' } as const;
    const said = Array.from({ length: events - 2 }, (_, i) => ({
      type: 'agent_response' as const,
      data: { content: `piece ${i}` },
    }));
    await this.append(run, [
      { type: 'session_opened', data: {} },
      { type: 'run_requested', data: { message: 'm', ...more, callback } },
      { type: 'run_claimed', data: { worker: 'w', epoch: 1, requested: 1 } },
      { type: 'agent_started', data: {} },
      ...said,
      { type: 'agent_completed', data: {} },
    ]);
    return run;
  }

  async append(run: string, events: readonly SessionEvent[]): Promise<void> {
    const session = /ses_[A-Za-z0-9]+/.exec(run)?.[0] ?? '';
    const meta = { schemaVersion: 1, project: PROJECT, actor: 'key_1', run };
    const made = events.map((event: { readonly type: string; readonly data: object }) =>
      newEvent({ id: this.random.uuid(), time: this.clock.now(), ...event }, meta),
    );
    await this.temp.log.append(sessionStream(session), made, { expected: 'any' });
  }

  /** What another relay did: an attempt of each event from the first one on; the fourth is the run's last. */
  async attempted(run: string, statuses: readonly number[]): Promise<void> {
    const meta = { schemaVersion: 1, project: PROJECT, actor: 'relay', run };
    const made = statuses.map((status, i) => {
      const data = {
        sequence: i + 1,
        revision: i + 3,
        status,
        ...(status === 410 ? { gave_up: true } : {}),
        ...(i === 3 ? { is_last: true } : {}),
      };
      const type = 'delivery_attempted';
      return newEvent({ id: this.random.uuid(), type, time: this.clock.now(), data }, meta);
    });
    await this.temp.log.append(deliveryStream(run), made, { expected: 'any' });
  }

  place(run: string) {
    const session = /ses_[A-Za-z0-9]+/.exec(run)?.[0] ?? '';
    return { session, run, requested: 1 };
  }

  async listed(run: string) {
    return (await this.deliveries.list(this.place(run), 200)).items;
  }

  of(run: string): Sent[] {
    return this.sent.filter((sent) => sent.run === run);
  }

  /** The sequences that the log says were delivered. */
  async recorded(run: string): Promise<Set<number>> {
    const attempts = (await this.temp.read(deliveryStream(run))).map((event) => asDeliveryEvent(event));
    const done = attempts.flatMap((event) =>
      event?.type === 'delivery_attempted' && event.data.status !== null && event.data.status < 300
        ? [event.data.sequence]
        : [],
    );
    return new Set(done);
  }

  /** Lets time pass, as fast as the log answers, until it is so. */
  async until(isTrue: () => boolean | Promise<boolean>, steps = 20_000): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      if (await isTrue()) return;
      await this.rest();
      const [next] = this.clock.pending;
      if (next !== undefined) this.clock.advance(next);
    }
    throw new Error(`waited in vain; ${this.sent.length} attempts were made`);
  }

  /** Until nothing happens any more without time passing. */
  async rest(): Promise<void> {
    for (let turn = 0; turn < 8; turn += 1) {
      await this.temp.log.head();
      await new Promise(setImmediate);
    }
    // What other threads do takes real time: on a busy machine days would pass here, and deliveries be given up.
    await sleep(1);
  }
}
