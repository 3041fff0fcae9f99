import { PlainConnections } from '#http';
import type { Clock } from '#platform';
import { type Note, type Policy, hasQuorum, parseCheckpoint, parseNote, sha256, toHex, utf8 } from '#proof';
import { AskedWitness, type HeldCheckpoint, type Offered } from './asked-witness.js';
import { type Cosignature, type WitnessAnswer, cosignedAt } from './witness-answer.js';

export interface WitnessesOptions {
  /** Whose witnesses are asked: those that have a URL. */
  readonly policy: Policy;
  /** Of the log. */
  readonly origin: string;
  readonly clock: Clock;
}

export interface AskOptions {
  /** For the answers of all; 5,000 where it is absent. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** What witnesses said to a checkpoint. */
export interface Cosigning {
  readonly cosignatures: readonly Cosignature[];
  /** Of whoever holds a larger tree or another one, or found something wrong. */
  readonly conflicts: readonly Extract<WitnessAnswer, { readonly kind: 'conflict' }>[];
  /** Of whoever said nothing of use. */
  readonly missing: readonly Extract<WitnessAnswer, { readonly kind: 'none' }>[];
}

const TIMEOUT_MS = 5_000;

/**
 * The witnesses of a log, asked all at once. Owns the connections to them. None that is down, slow or hostile does more than
 * miss: each answer has a limit in size and time, and of it a good signature counts.
 */
export class Witnesses {
  private readonly connections: PlainConnections;
  private readonly asked: readonly AskedWitness[];

  constructor(private readonly options: WitnessesOptions) {
    this.connections = new PlainConnections(options.clock);
    this.asked = options.policy.witnesses.flatMap(({ url, ...witness }) =>
      url === null ? [] : [new AskedWitness({ ...witness, url }, this.connections, options.clock)],
    );
  }

  /** There is nobody to ask. */
  get isEmpty(): boolean {
    return this.asked.length === 0;
  }

  /** Takes over what witnesses have said of a note, published in an earlier life: saves asking them for it. */
  learn(note: Note): void {
    const checkpoint = parseCheckpoint(note.text);
    if (checkpoint?.origin !== this.options.origin) return;
    for (const witness of this.asked) witness.learn(note, checkpoint.size);
  }

  /** What each holds of the log; whoever holds nothing or does not answer is not among them. Nothing of it is judged. */
  async latest(options: AskOptions = {}): Promise<readonly HeldCheckpoint[]> {
    const { origin } = this.options;
    const originHash = toHex(sha256(utf8(origin)));
    const held = await this.askAll(options, (witness, signal) => witness.latest(originHash, signal));
    return held.filter((one): one is HeldCheckpoint => one !== null && one.checkpoint.origin === origin);
  }

  /**
   * Has a checkpoint cosigned.
   * @param note with the log's signatures
   * @param proofFrom the consistency proof from a size that is not above the checkpoint's to it
   * @throws what `proofFrom` throws, TypeError where the note is no checkpoint
   */
  async cosign(note: string, proofFrom: Offered['proofFrom'], options: AskOptions = {}): Promise<Cosigning> {
    const text = parseNote(note)?.text ?? '';
    const checkpoint = parseCheckpoint(text);
    if (checkpoint === null) throw new TypeError('this is no checkpoint');
    const offered = { text, note, size: checkpoint.size, proofFrom };
    const answers = await this.askAll(options, (witness, signal) => witness.cosign(offered, signal));
    return {
      cosignatures: answers.flatMap((one) => (one.kind === 'cosigned' ? [one.cosignature] : [])),
      conflicts: answers.filter((one) => one.kind === 'conflict'),
      missing: answers.filter((one) => one.kind === 'none'),
    };
  }

  /** Whether these are enough for the policy. */
  isQuorumMet(cosignatures: readonly Pick<Cosignature, 'witness'>[]): boolean {
    return hasQuorum(this.options.policy, new Set(cosignatures.map(({ witness }) => witness)));
  }

  /** Whether too few have cosigned a note for the policy, and somebody who is asked has not. */
  lacksQuorum(note: Note): boolean {
    const { policy } = this.options;
    const cosigned = policy.witnesses.filter(({ key }) => cosignedAt(note, key) !== null);
    const names = new Set(cosigned.map(({ name }) => name));
    return !hasQuorum(policy, names) && this.asked.some(({ name }) => !names.has(name));
  }

  /** How long ago each cosigned last, in s, by the policy's names; null: not that it is known. */
  get ages(): readonly { readonly witness: string; readonly seconds: number | null }[] {
    const now = Math.floor(this.options.clock.now() / 1000);
    return this.asked.map(({ name, newest }) => ({
      witness: name,
      seconds: newest === null ? null : Math.max(0, now - newest),
    }));
  }

  /** Whoever is being asked says nothing more. */
  close(): Promise<void> {
    return this.connections.close();
  }

  private async askAll<T>(
    { timeoutMs = TIMEOUT_MS, signal }: AskOptions,
    ask: (witness: AskedWitness, signal: AbortSignal) => Promise<T>,
  ): Promise<readonly T[]> {
    const deadline = this.options.clock.deadline(timeoutMs, signal);
    try {
      return await Promise.all(this.asked.map((witness) => ask(witness, deadline.signal)));
    } finally {
      deadline[Symbol.dispose]();
    }
  }
}
