import { HttpFailure, type PlainConnections } from '#http';
import type { Clock } from '#platform';
import { type Checkpoint, type Note, type PolicyWitness, parseCheckpoint, parseNote, toBase64 } from '#proof';
import { type WitnessAnswer, cosignatureIn, cosignedAt, reasonIn, sizeIn } from './witness-answer.js';

/** A checkpoint for witnesses. */
export interface Offered {
  /** Of the checkpoint. */
  readonly text: string;
  readonly size: number;
  /** The whole note. */
  readonly note: string;
  /** The consistency proof from a size that is not above its own. */
  readonly proofFrom: (oldSize: number) => Promise<readonly Uint8Array[]>;
}

/** What a witness holds of the log. */
export interface HeldCheckpoint {
  readonly witness: string;
  readonly checkpoint: Checkpoint;
  /** With the signatures of whoever has signed; none of them is judged. */
  readonly note: Note;
}

const MAX_ANSWER_BYTES = 8 * 1024;
const MAX_NOTE_BYTES = 256 * 1024;
/** Who lets the time pass is not asked for so long: whoever waits for others does so once in a while, not each time. */
const SILENCE_MS = 5_000;

type Said =
  | { readonly kind: 'conflicting size'; readonly size: number }
  | { readonly kind: 'answer'; readonly answer: WitnessAnswer };

/**
 * One witness of the policy over HTTP (https://c2sp.org/tlog-witness). Owns what is known of it: the size that it cosigned
 * last, and when, and whether it has just let the time pass. Nothing that it says is believed but a good signature of its key.
 */
export class AskedWitness {
  /** 0 where it is not known: then the witness says it. */
  private oldSize = 0;
  private cosignedAt: number | null = null;
  private silentUntil = -Infinity;

  constructor(
    private readonly witness: PolicyWitness & { readonly url: string },
    private readonly connections: PlainConnections,
    private readonly clock: Clock,
  ) {}

  get name(): string {
    return this.witness.name;
  }

  /** Of the newest cosignature that is known, s since 1970; null: there is none. */
  get newest(): number | null {
    return this.cosignedAt;
  }

  /** Takes over what it said of a note that was published. @param size of the note */
  learn(note: Note, size: number): void {
    const time = cosignedAt(note, this.witness.key);
    if (time === null) return;
    this.oldSize = Math.max(this.oldSize, size);
    this.note(time);
  }

  /** @throws what `proofFrom` throws */
  async cosign(offered: Offered, signal: AbortSignal): Promise<WitnessAnswer> {
    const { size } = offered;
    if (this.clock.now() < this.silentUntil)
      return { kind: 'none', witness: this.name, reason: 'it has just let the time pass' };
    const said = await this.add(offered, Math.min(this.oldSize, size), signal);
    if (said.kind === 'answer') return said.answer;
    const again = said.size > size ? said : await this.add(offered, said.size, signal);
    if (again.kind === 'answer') return again.answer;
    const { name } = this;
    if (again.size > size)
      return { kind: 'conflict', witness: name, reason: `it has cosigned ${again.size} leaves` };
    return { kind: 'none', witness: name, reason: 'others ask it at the same time' };
  }

  /** What it holds of an origin; null: nothing that could be read. @param originHash hex */
  async latest(originHash: string, signal: AbortSignal): Promise<HeldCheckpoint | null> {
    const limits = { maxBytes: MAX_NOTE_BYTES, signal };
    const { name: witness } = this;
    try {
      const asked = { url: this.url(`${originHash}/checkpoint`), method: 'GET', headers: {} } as const;
      const { status, body } = await this.connections.ask(asked, limits);
      const note = status === 200 ? parseNote(body.toString('utf8')) : null;
      const checkpoint = note === null ? null : parseCheckpoint(note.text);
      return note === null || checkpoint === null ? null : { witness, checkpoint, note };
    } catch (error) {
      if (error instanceof HttpFailure) return null;
      throw error;
    }
  }

  private async add(
    { text, note, size, proofFrom }: Offered,
    oldSize: number,
    signal: AbortSignal,
  ): Promise<Said> {
    const proof = await proofFrom(oldSize);
    const lines = [`old ${oldSize}`, ...proof.map(toBase64), '', note].join('\n');
    const request = { url: this.url('add-checkpoint'), method: 'POST', headers: {}, body: lines } as const;
    try {
      const limits = { maxBytes: MAX_ANSWER_BYTES, signal };
      const { status, body } = await this.connections.ask(request, limits);
      return this.heard(status, body.toString('utf8'), { text, size });
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error;
      if (signal.aborted) this.silentUntil = this.clock.now() + SILENCE_MS;
      return this.nothing(reasonIn(error.message));
    }
  }

  private heard(status: number, body: string, { text, size }: Pick<Offered, 'text' | 'size'>): Said {
    const { name, key } = this.witness;
    if (status === 409) {
      const held = sizeIn(body);
      return held === null
        ? this.nothing('it answered 409 without a size')
        : { kind: 'conflicting size', size: held };
    }
    if (status === 422)
      return { kind: 'answer', answer: { kind: 'conflict', witness: name, reason: reasonIn(body) } };
    if (status !== 200) return this.nothing(`it answered ${status}: ${reasonIn(body)}`);
    const cosignature = cosignatureIn(body, text, name, key);
    if (cosignature === null) return this.nothing('it answered with no good signature of its key');
    this.oldSize = size;
    this.note(cosignature.time);
    return { kind: 'answer', answer: { kind: 'cosigned', cosignature } };
  }

  private nothing(reason: string): Said {
    return { kind: 'answer', answer: { kind: 'none', witness: this.name, reason } };
  }

  private note(time: number): void {
    this.cosignedAt = Math.max(this.cosignedAt ?? 0, time);
  }

  private url(path: string): URL {
    return new URL(`${this.witness.url.replace(/\/$/, '')}/${path}`);
  }
}
