import { type Note, type NoteSignature, inclusionProof, toBase64 } from '#proof';
import { type MadeEvent, type MadeStream, streamOf } from './made-stream.js';
import { ProvedLog, type Seal } from './proved-log.js';
import { type Draft, STREAM_OF_STORY, story } from './story.js';
import { Monitor, Witness } from './witnesses.js';
import { type ExportTerms, writtenLines } from './written-export.js';

/** When everybody cosigns, s since 1970: one second more for each seal. */
const SEALED_AT = 1_750_100_000;

/**
 * An honest log, sealed three times before a witness and a monitor, and what was handed out of it. From then on the operator,
 * who holds the signing key, may do what he likes; witnesses remember.
 */
export class AttackStage {
  readonly log: ProvedLog;
  readonly witness: Witness;
  readonly monitor: Monitor;
  readonly seals: { readonly seal: Seal; readonly note: Note }[] = [];
  private clock = SEALED_AT;

  constructor(readonly drafts: readonly (readonly Draft[])[] = story()) {
    this.log = new ProvedLog();
    this.witness = new Witness('witness.example/w', 31, this.log.vkey);
    this.monitor = new Monitor('audit.example/monitor', 32, this.log.vkey);
    for (const part of drafts) {
      this.log.append(part);
      this.seals.push(this.attested(this.log));
    }
  }

  get stream(): MadeStream {
    return this.log.stream(STREAM_OF_STORY);
  }

  get newest(): { readonly seal: Seal; readonly note: Note } {
    return this.seals.at(-1)!;
  }

  /** The receipt of the newest run, as whoever got its answer keeps it. */
  get receipt(): string {
    return this.log.receipt(this.stream.events.findLast(({ type }) => type === 'agent_completed')!);
  }

  /** A seal of a log, with the cosignatures of whoever does not refuse. */
  attested(log: ProvedLog, heads = log.heads): { readonly seal: Seal; readonly note: Note } {
    const seal = log.seal(heads);
    const note = log.note(seal);
    const time = this.clock++;
    const cosigned = [this.witness, this.monitor].map((who) => who.cosign(note, log, time));
    return {
      seal,
      note: log.note(
        seal,
        cosigned.filter((one): one is NoteSignature => one !== null),
      ),
    };
  }

  /** The export of events under a proof; null: without one. */
  lines(
    events: readonly MadeEvent[] = this.stream.events,
    proof: NonNullable<ExportTerms['proof']> | null = this.newest,
    more: Partial<ExportTerms> = {},
  ): string[] {
    return writtenLines({
      stream: STREAM_OF_STORY,
      events,
      origin: this.log.origin,
      keys: [this.log.vkey],
      ...(proof !== null && { proof }),
      ...more,
    });
  }

  /** Another tree of other events, signed with the key of the log or another one. @param seed of the key */
  another(drafts: readonly Draft[], seed = 21): { readonly log: ProvedLog; readonly lines: string[] } {
    const log = new ProvedLog(drafts, seed);
    const proof = this.attested(log);
    const { events } = log.stream(STREAM_OF_STORY);
    return { log, lines: this.lines(events, proof, { keys: [log.vkey] }) };
  }

  /** The lines of a proof that a leaf is in the log's tree of a size. */
  pathTo(index: number, size: number): string {
    return inclusionProof(this.log.node, index, size).map(toBase64).join('\n');
  }

  /** The same stream, had its drafts been others. */
  rewritten(change: (draft: Draft, at: number) => Draft): MadeStream {
    const own = this.drafts.flat().filter(({ stream }) => stream === STREAM_OF_STORY);
    return streamOf(STREAM_OF_STORY, own.map(change));
  }

  policy(kind: 'none' | 'witness' | 'monitor'): string {
    const who = {
      none: 'quorum none',
      witness: `witness w ${this.witness.vkey}\nquorum w`,
      monitor: `witness m ${this.monitor.vkey}\nquorum m`,
    }[kind];
    return `log ${this.log.vkey}\n${who}\n`;
  }
}
