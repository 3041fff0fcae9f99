import {
  LogFeed,
  type LogFeedPorts,
  LogUnavailable,
  NO_EVENTS,
  type RecordedEvent,
  type Revision,
  appendUntilDefinite,
  newEvent,
} from '#event-log';
import type { SecretBox } from '#platform';
import {
  LOG_KEY,
  type Note,
  type SigningKey,
  formatKey,
  formatNote,
  judge,
  noteKey,
  parseKey,
  parseNote,
  signText,
  signingKey,
} from '#proof';
import { KeptSeals, type SignedStates } from './kept-seals.js';
import { type LoggedSeal, PROOF_META, PROOF_STREAM, type ProofLogEvent, proofLogEvent } from './proof-log.js';

export interface LogKeysPorts extends LogFeedPorts {
  readonly box: Pick<SecretBox, 'derive'>;
  readonly signed: SignedStates;
}

/** A key that signs for the origin. */
export interface LogKey {
  readonly number: number;
  readonly vkey: string;
  readonly key: SigningKey;
}

type KeyEvent = Exclude<ProofLogEvent, { readonly type: 'log_sealed' }>;

const TRIES = 20;

/**
 * The keys that sign what the log says (docs/proof.md). They are derived from the root key of the key store and stored
 * nowhere, so every replica has them at once; which of them count, the stream `proof-log` says.
 */
export class LogKeys {
  private readonly added = new Map<string, number>();
  private readonly retired = new Set<string>();
  private readonly made = new Map<number, LogKey>();
  private readonly feed: LogFeed;
  /** The newest seal of each origin that the log has, null: none; the one that it spoke of last stands last. */
  private readonly origins = new Map<string, LoggedSeal | null>();

  constructor(
    /** Whose log it is: the name of all that is signed. */
    readonly origin: string,
    private readonly ports: LogKeysPorts,
  ) {
    this.feed = new LogFeed('log keys', PROOF_STREAM, (event) => this.apply(event), ports);
  }

  /** Why keys that others add or retire are not heard of, for an operator; null: they are. */
  get problem(): string | null {
    return this.feed.problem;
  }

  /** Loads what the log says; of an origin that has no key yet, the first is made. @throws LogUnavailable */
  async start(signal: AbortSignal): Promise<void> {
    await this.feed.start(signal);
    for (let left = TRIES; this.added.size === 0; left -= 1) {
      if (left === 0) throw new LogUnavailable(`${PROOF_STREAM} is being written all the time`);
      const last = await this.reread();
      if (this.added.size === 0) await this.addFirst(last);
    }
  }

  /** Those that sign, in the order of their numbers. */
  get active(): readonly LogKey[] {
    return [...this.added]
      .filter(([vkey]) => !this.retired.has(vkey))
      .map(([, number]) => this.keyOf(number))
      .sort((a, b) => a.number - b.number);
  }

  /** Those that sign no more, in the order of their numbers. */
  get retiredKeys(): readonly LogKey[] {
    return [...this.added]
      .filter(([vkey]) => this.retired.has(vkey))
      .map(([, number]) => this.keyOf(number))
      .sort((a, b) => a.number - b.number);
  }

  /** Whether one of them, retired or not, signed this. */
  haveSigned(note: Note): boolean {
    return [...this.active, ...this.retiredKeys].some(({ vkey }) => {
      const judged = judge(note, parseKey(vkey)!);
      return judged !== null && judged !== 'wrong';
    });
  }

  /** Signs a text with all keys that sign. */
  sign(text: string): string {
    const { origin } = this;
    return formatNote({ text, signatures: this.active.map(({ key }) => signText(text, origin, key)) });
  }

  /** Makes the next key, which signs from then on beside the others. @throws LogUnavailable */
  async rotate(): Promise<LogKey> {
    const key = await this.write(() => {
      const next = this.keyOf(Math.max(...this.added.values()) + 1);
      const data = { origin: this.origin, key: next.vkey, number: next.number };
      return { key: next, event: { type: 'log_key_added', data } };
    });
    return key!;
  }

  /**
   * Ends the lowest key that signs. null: no seal bears a signature of it and of a later one yet.
   * @throws LogUnavailable
   */
  retire(): Promise<LogKey | null> {
    return this.write(() => {
      const [lowest, ...others] = this.active;
      const note = parseNote(this.origins.get(this.origin)?.note ?? '');
      const bears = ({ vkey }: LogKey): boolean => note !== null && judge(note, parseKey(vkey)!) !== null;
      if (lowest === undefined || !bears(lowest) || !others.some(bears)) return null;
      const data = { origin: this.origin, key: lowest.vkey };
      return { key: lowest, event: { type: 'log_key_retired', data } };
    });
  }

  private keyOf(number: number): LogKey {
    const known = this.made.get(number);
    if (known !== undefined) return known;
    const key = signingKey(this.ports.box.derive(`annals/log-key/v1/${this.origin}/${number}`));
    const made = { number, vkey: formatKey(noteKey(this.origin, LOG_KEY, key.publicKey)), key };
    this.made.set(number, made);
    return made;
  }

  /** Nothing where somebody else has written meanwhile. */
  private async addFirst(last: Revision): Promise<void> {
    const before = await this.noteBefore();
    const data = { origin: this.origin, key: this.keyOf(1).vkey, number: 1 };
    await this.append(
      { type: 'log_key_added', data: before === undefined ? data : { ...data, before } },
      last,
    );
  }

  /** The newest that was signed under the origin before: the log knows an older one where it was restored. */
  private async noteBefore(): Promise<string | undefined> {
    for (const [origin, logged] of [...this.origins].toReversed()) {
      const kept = await new KeptSeals(origin, this.ports.signed).read();
      const newest = (kept?.seal ?? 0) > (logged?.seal ?? 0) ? kept : logged;
      if (newest !== null) return newest.note;
    }
    return undefined;
  }

  /** Decided over all that is on the log. */
  private async write(
    decide: () => { readonly key: LogKey; readonly event: KeyEvent } | null,
  ): Promise<LogKey | null> {
    for (let left = TRIES; left > 0; left -= 1) {
      const last = await this.reread();
      const decided = decide();
      if (decided === null) return null;
      if (await this.append(decided.event, last)) return decided.key;
    }
    throw new LogUnavailable(`${PROOF_STREAM} is being written all the time`);
  }

  /** False: something else stands there. */
  private async append(event: KeyEvent, last: Revision): Promise<boolean> {
    const { log, clock, random } = this.ports;
    const made = newEvent<object>({ id: random.uuid(), time: clock.now(), ...event }, PROOF_META);
    const expected = last === NO_EVENTS ? 'no_stream' : last;
    const result = await appendUntilDefinite(log, clock, random, PROOF_STREAM, [made], { expected });
    return result.kind === 'appended' && this.take(event);
  }

  /** Returns where the stream ends. */
  private async reread(): Promise<Revision> {
    let last: Revision = NO_EVENTS;
    for await (const page of this.ports.log.readStream(PROOF_STREAM))
      for (const event of page) {
        this.apply(event);
        last = event.revision;
      }
    return last;
  }

  private apply(recorded: RecordedEvent): boolean {
    const event = proofLogEvent(recorded);
    return event !== null && this.take(event);
  }

  /** A key that this installation does not have signs nothing here, whoever wrote it down. */
  private take({ type, data }: ProofLogEvent): boolean {
    this.heard(data.origin, type === 'log_sealed' ? data : null);
    if (data.origin !== this.origin || type === 'log_sealed') return true;
    if (type === 'log_key_retired') this.retired.add(data.key);
    else if (this.keyOf(data.number).vkey === data.key) this.added.set(data.key, data.number);
    else return false;
    return true;
  }

  /** The newest is the last one. */
  private heard(origin: string, seal: LoggedSeal | null): void {
    const newest = seal ?? this.origins.get(origin) ?? null;
    this.origins.delete(origin);
    this.origins.set(origin, newest);
  }
}
