import type { Revision, StreamName } from '#domain';
import type { Clock } from '#platform';
import { DirectoryNodes, HASH_BYTES, formatProof, parseCheckpoint, parseNote, tagOf, toHex } from '#proof';
import { type Published, type Stop, isFresh } from './seal.js';
import type { SealWitnesses } from './witness-round.js';
import { ENTRIES, type ProofStore, type StreamPlace, type TilePlace } from './tables/proof-store.js';

export interface ProofReaderPorts {
  readonly origin: string;
  readonly store: ProofStore;
  readonly clock: Clock;
  readonly witnesses: Pick<SealWitnesses, 'isEmpty' | 'lacksQuorum'>;
  /** Asks for a seal, of whoever seals. */
  readonly demand: () => Promise<void>;
}

/** Where a stream ends under the newest checkpoint, and what shows it. */
export interface StreamProof {
  /** Last revision that the checkpoint covers. */
  readonly last: Revision;
  /** Hex. */
  readonly directory: string;
  /** From the stream's head up to the directory, in hex. */
  readonly path: readonly string[];
  /** A tlog-proof of the directory. */
  readonly proof: string;
}

/** How long whoever wants a proof waits for a seal. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 100;
/** How long it is enough that witnesses were asked in vain: those who want a proof one after the other ask together. */
const IN_VAIN_MS = 1_000;

/** What the tables say of the tree, for those who check it. */
export class ProofReader {
  private known = { tree: '', seal: 0, nodes: new DirectoryNodes() };
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly ports: ProofReaderPorts) {}

  /** Why nothing is signed now; null: it is. @throws ReadModelsUnavailable */
  async stopped(): Promise<Stop | null> {
    const { stop } = await this.ports.store.status();
    return stop?.origin === this.ports.origin ? stop : null;
  }

  /** The newest, with its cosignatures; null: there is none yet. @throws ReadModelsUnavailable */
  async checkpoint(): Promise<string | null> {
    return (await this.published())?.note ?? null;
  }

  /** So many nodes of a tile; null: it has not as many. @throws ReadModelsUnavailable */
  async tile(place: TilePlace, width: number): Promise<Uint8Array | null> {
    const bytes = await this.stored(place);
    return bytes === null || bytes.length < width * HASH_BYTES ? null : bytes.subarray(0, width * HASH_BYTES);
  }

  /** So many entries of a bundle, each behind its length; null: it has not as many. @throws ReadModelsUnavailable */
  async entries(index: number, width: number): Promise<Uint8Array | null> {
    const bytes = await this.stored({ level: ENTRIES, index });
    if (bytes === null) return null;
    let end = 0;
    for (let entry = 0; entry < width; entry++) {
      if (end + 2 > bytes.length) return null;
      end += 2 + bytes[end]! * 256 + bytes[end + 1]!;
    }
    return bytes.subarray(0, end);
  }

  /**
   * What shows that a stream is what it is up to an event: of the newest checkpoint, or of one that is made for it.
   * null: nothing of the stream is sealed, and nothing can be sealed now.
   * @throws ReadModelsUnavailable
   */
  async proofOf(stream: StreamName, last: Revision): Promise<StreamProof | null> {
    const { clock } = this.ports;
    const until = clock.now() + PATIENCE_MS;
    const tag = tagOf(stream);
    let askedBefore: number | null = null;
    for (let hasAsked = false; ; hasAsked = true) {
      if ((await this.stopped()) !== null) return null;
      const isLate = clock.now() >= until;
      const found = await this.inTurn(async () => {
        const place = await this.placeOf(tag);
        askedBefore ??= place?.published?.askedAt ?? 0;
        const isShown =
          place !== null && isTold(place) && (isLate || this.isEnough(place, last, askedBefore));
        return isShown ? this.shown(place, tag) : null;
      });
      if (found !== null || isLate) return found;
      if (!hasAsked) await this.ports.demand();
      await clock.sleep(LOOK_MS);
    }
  }

  /** @param askedBefore when witnesses had been asked last as somebody began to want the proof */
  private isEnough({ head, published }: StreamPlace, last: Revision, askedBefore: number): boolean {
    const { witnesses, clock } = this.ports;
    if ((head?.revision ?? -1) < last) return false;
    const { askedAt, note } = published!;
    if (witnesses.isEmpty || askedAt > askedBefore) return true;
    const isInVain = witnesses.lacksQuorum(parseNote(note)!);
    return isInVain ? clock.now() - askedAt < IN_VAIN_MS : isFresh(published!, clock.now());
  }

  private shown({ tree, published, head, heads }: StreamPlace, tag: Uint8Array): StreamProof | null {
    if (head === null) return null;
    return {
      last: head.revision,
      directory: tree.directory,
      path: this.known.nodes.path(tag, heads).map(toHex),
      proof: formatProof({ index: tree.size - 1, path: tree.path, note: published!.note }),
    };
  }

  /** The nodes that are known are those of its seal then, until the next turn. */
  private async placeOf(tag: Uint8Array): Promise<StreamPlace | null> {
    const place = await this.ports.store.placeOf(tag, this.known);
    if (place === null || place.tree.origin !== this.ports.origin) return null;
    const { tree, seal } = place.tree;
    const nodes = tree === this.known.tree ? this.known.nodes : new DirectoryNodes();
    for (const { bucket, count, node } of place.buckets) nodes.set(bucket, count, node);
    this.known = { tree, seal, nodes };
    return place;
  }

  private async published(): Promise<Published | null> {
    const { published } = await this.ports.store.status();
    const text = parseNote(published?.note ?? '')?.text;
    return text !== undefined && parseCheckpoint(text)?.origin === this.ports.origin ? published : null;
  }

  /** Of the tree of our origin. */
  private async stored(place: TilePlace): Promise<Uint8Array | null> {
    const tree = await this.ports.store.tree();
    return tree?.origin === this.ports.origin ? this.ports.store.tile(place) : null;
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.turn.then(work, work);
    this.turn = next.catch(() => undefined);
    return next;
  }
}

/** Whether the world has been told of its seal. */
const isTold = ({ tree, published }: StreamPlace): boolean => published?.seal === tree.seal;
