import {
  Directory,
  type Head,
  type Note,
  type NoteSignature,
  TreeEdge,
  checkpointText,
  directoryEntry,
  eventEntry,
  formatKey,
  formatNote,
  inclusionProof,
  leafHash,
  noteKey,
  receiptText,
  signText,
  signingKey,
  tagOf,
} from '#proof';
import { type MadeEvent, MadeStream } from './made-stream.js';
import type { Draft } from './story.js';

export const LOG_ORIGIN = 'log.example/tests';

/** A directory in the tree, with what it takes to prove it. */
export interface Seal {
  readonly size: number;
  readonly root: Uint8Array;
  readonly directory: Uint8Array;
  /** From the directory's leaf to the root, and from a stream's head to the directory. */
  readonly inclusion: readonly Uint8Array[];
  path(stream: string): readonly Uint8Array[];
}

/** A log with its tree, made with libs/proof and without the service. Whoever has it holds the signing key. */
export class ProvedLog {
  /** The leaves' entries, directories too. */
  readonly entries: Uint8Array[] = [];
  readonly heads = new Map<string, Head>();
  readonly streams = new Map<string, MadeStream>();
  readonly key;
  readonly vkey: string;
  private readonly nodes = new Map<string, Uint8Array>();
  private readonly tree: TreeEdge;

  constructor(
    drafts: readonly Draft[] = [],
    readonly seed = 21,
    readonly origin = LOG_ORIGIN,
  ) {
    this.key = signingKey(new Uint8Array(32).fill(seed));
    this.vkey = formatKey(noteKey(origin, 1, this.key.publicKey));
    this.tree = new TreeEdge(0, [], (level, index, node) => this.nodes.set(`${level}/${index}`, node));
    this.append(drafts);
  }

  readonly node = (level: number, index: number): Uint8Array => this.nodes.get(`${level}/${index}`)!;

  append(drafts: readonly Draft[]): void {
    for (const draft of drafts) {
      const stream = this.streams.get(draft.stream) ?? new MadeStream(draft.stream);
      this.streams.set(draft.stream, stream);
      this.pushEvent(stream.tag, stream.append(draft));
    }
  }

  stream(name: string): MadeStream {
    return this.streams.get(name)!;
  }

  /** Puts an event into the tree and its head into the directory, whatever was there before. */
  pushEvent(tag: Uint8Array, { stream, revision, hash, link }: MadeEvent): void {
    this.push(eventEntry(tag, revision, hash));
    this.heads.set(stream, { tag, revision, link });
  }

  /** @param heads those of the log; others are a lie */
  seal(heads: ReadonlyMap<string, Head> = this.heads): Seal {
    const directory = new Directory();
    for (const head of heads.values()) directory.set(head);
    this.push(directoryEntry(directory.root));
    const { size, root } = this.tree;
    const inclusion = inclusionProof(this.node, size - 1, size);
    return { size, root, directory: directory.root, inclusion, path: (s) => directory.path(tagOf(s)) ?? [] };
  }

  /** The checkpoint of a seal, signed. */
  note({ size, root }: Seal, cosignatures: readonly NoteSignature[] = []): Note {
    return this.signed(checkpointText({ origin: this.origin, size, root }), cosignatures);
  }

  /** The receipt of a stream's event, as a note. */
  receipt({ stream, run = '', revision, hash, time }: MadeEvent): string {
    return formatNote(
      this.signed(receiptText({ origin: this.origin, stream, run, revision, hash, time }), []),
    );
  }

  private signed(text: string, others: readonly NoteSignature[]): Note {
    return { text, signatures: [signText(text, this.origin, this.key), ...others] };
  }

  private push(entry: Uint8Array): void {
    this.entries.push(entry);
    this.tree.push(leafHash(entry));
  }
}
