import type { Clock, Logger } from '#platform';
import {
  type NoteKey,
  type NoteSignature,
  type SigningKey,
  cosign,
  formatNote,
  sha256,
  signatureLine,
  toHex,
  utf8,
} from '#proof';
import { type AddCheckpoint, type Decision, decide, parseAddCheckpoint } from './add-checkpoint.js';
import type { Kept, WitnessStore } from './held.js';
import type { LogFollower } from './monitor/log-follower.js';

/** A log that a witness knows. */
export interface WatchedLog {
  readonly keys: readonly NoteKey[];
  /** Reads its leaves before each cosignature; null: only the tree is looked at. */
  readonly follower: LogFollower | null;
}

/** What a witness answers. */
export interface WitnessReply {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422 | 503;
  /** The content type of a 409, which is a size; otherwise text. */
  readonly isSize: boolean;
  readonly body: string;
}

export interface WitnessOptions {
  readonly name: string;
  readonly key: SigningKey;
  /** By origin. */
  readonly logs: ReadonlyMap<string, WatchedLog>;
  readonly store: WitnessStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Requests of a log that wait while its leaves are read; more are told to come back. */
const MAX_WAITING = 8;
const WARN_EVERY_MS = 1_000;

/**
 * A witness (https://c2sp.org/tlog-witness). What it holds of each log, its store owns.
 * 1. A cosignature leaves the process when the checkpoint is durable, and only if nothing else was held meanwhile.
 * 2. The leaves of a log are read for one request at a time; the others wait, and are then looked at again.
 */
export class Witness {
  private readonly origins: ReadonlyMap<string, string>;
  /** When a refusal was last worth a line, by origin. */
  private readonly warnedAt = new Map<string, number>();
  private readonly turns = new Map<string, { waiting: number; last: Promise<unknown> }>();

  constructor(private readonly options: WitnessOptions) {
    this.origins = new Map([...options.logs.keys()].map((origin) => [toHex(sha256(utf8(origin))), origin]));
  }

  /** @param signal aborts the reading of leaves: then nothing is cosigned */
  async add(body: Uint8Array, signal: AbortSignal): Promise<WitnessReply> {
    const asked = parseAddCheckpoint(body);
    if (asked === null) return text(400, 'this is no old size, proof and checkpoint');
    const { origin } = asked.checkpoint;
    const log = this.options.logs.get(origin);
    if (log === undefined) return text(404, 'this log is not known here');
    if (log.follower === null) return this.cosign(asked, log, this.decided(asked, log), []);
    // Who is refused anyway does not wait.
    const early = this.decided(asked, log);
    if (early.kind !== 'right') return this.cosign(asked, log, early, []);
    return this.inTurn(origin, () => this.follow(asked, log, log.follower!, signal));
  }

  /** The checkpoint that was cosigned last, as a note; null: there is none. @param originHash hex */
  latest(originHash: string): string | null {
    const origin = this.origins.get(originHash);
    return origin === undefined ? null : this.options.store.held(origin).note;
  }

  /** Resolves when nothing is being read any more. */
  async settled(): Promise<void> {
    await Promise.all([...this.turns.values()].map(({ last }) => last));
  }

  private decided(asked: AddCheckpoint, { keys }: WatchedLog): Decision {
    return decide(asked, keys, this.options.store.held(asked.checkpoint.origin));
  }

  /** Invariant 2. */
  private async inTurn(origin: string, work: () => Promise<WitnessReply>): Promise<WitnessReply> {
    const turns = this.turns.get(origin) ?? { waiting: 0, last: Promise.resolve() };
    this.turns.set(origin, turns);
    if (turns.waiting >= MAX_WAITING) return text(503, 'the leaves of this log are being read');
    turns.waiting += 1;
    const mine = turns.last.then(work).finally(() => (turns.waiting -= 1));
    turns.last = mine.catch(() => undefined);
    return mine;
  }

  private async follow(
    asked: AddCheckpoint,
    log: WatchedLog,
    follower: LogFollower,
    signal: AbortSignal,
  ): Promise<WitnessReply> {
    const decision = this.decided(asked, log);
    if (decision.kind !== 'right') return this.cosign(asked, log, decision, []);
    const { checkpoint } = asked;
    const followed = await follower.follow(this.options.store.held(checkpoint.origin), checkpoint, signal);
    if (signal.aborted && followed.kind === 'wrong') return text(503, 'this witness is being stopped');
    if (followed.kind === 'wrong') return this.refuse(asked, 422, followed.reason);
    return this.cosign(asked, log, decision, followed.edge);
  }

  /** Invariant 1. */
  private cosign(
    asked: AddCheckpoint,
    { follower }: WatchedLog,
    decision: Decision,
    edge: readonly Uint8Array[],
  ): WitnessReply {
    if (decision.kind === 'other_size') return { status: 409, isSize: true, body: `${decision.size}\n` };
    if (decision.kind === 'refused') return this.refuse(asked, decision.status, decision.reason);
    const { name, key, store, clock } = this.options;
    const { checkpoint, oldSize, note } = asked;
    const cosignature = cosign(note.text, name, key, Math.floor(clock.now() / 1000));
    const signatures: readonly NoteSignature[] = [...decision.signatures, cosignature];
    const kept = { ...checkpoint, note: formatNote({ text: note.text, signatures }), edge };
    const isKept = this.keep(checkpoint.origin, oldSize, kept, follower);
    if (!isKept) return { status: 409, isSize: true, body: `${store.held(checkpoint.origin).size}\n` };
    return { status: 200, isSize: false, body: signatureLine(cosignature) };
  }

  private keep(origin: string, oldSize: number, kept: Kept, follower: LogFollower | null): boolean {
    let isKept = false;
    try {
      isKept = this.options.store.keep(origin, oldSize, kept);
      return isKept;
    } finally {
      if (!isKept) follower?.forget();
    }
  }

  /**
   * What the log has signed and is wrong may be evidence: it stands in the log line. Anybody can send what a log has signed,
   * with a proof that is none, so there is one line a second of each log at most.
   */
  private refuse({ note, checkpoint }: AddCheckpoint, status: 400 | 403 | 422, reason: string): WitnessReply {
    const { logger, clock } = this.options;
    const { origin, size } = checkpoint;
    const now = clock.now();
    if (status === 422 && Math.abs(now - (this.warnedAt.get(origin) ?? -Infinity)) >= WARN_EVERY_MS) {
      this.warnedAt.set(origin, now);
      logger.warn({ origin, size, reason, note: formatNote(note) }, 'a checkpoint is not cosigned');
    } else logger.debug({ origin, size, status, reason }, 'a checkpoint is not cosigned');
    return text(status, reason);
  }
}

const text = (status: WitnessReply['status'], reason: string): WitnessReply => ({
  status,
  isSize: false,
  body: `${reason}\n`,
});
