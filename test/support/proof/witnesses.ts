import {
  Directory,
  type Note,
  type NoteSignature,
  TreeEdge,
  WITNESS_KEY,
  consistencyProof,
  cosign,
  directoryEntry,
  formatKey,
  isConsistent,
  isSame,
  judge,
  leafHash,
  linkOf,
  noteKey,
  parseCheckpoint,
  parseKey,
  readEntry,
  signingKey,
  toHex,
} from '#proof';
import type { ProvedLog } from './proved-log.js';

/** Says that the tree only grows: cosigns a checkpoint that goes on from the last one it cosigned. Owns that one. */
export class Witness {
  private readonly key;
  private last: { size: number; root: Uint8Array } = { size: 0, root: new Uint8Array(32) };

  constructor(
    readonly name: string,
    seed: number,
    private readonly logKey: string,
  ) {
    this.key = signingKey(new Uint8Array(32).fill(seed));
  }

  get vkey(): string {
    return formatKey(noteKey(this.name, WITNESS_KEY, this.key.publicKey));
  }

  /** null: it refuses. @param time s since 1970 */
  cosign(note: Note, log: ProvedLog, time: number): NoteSignature | null {
    const checkpoint = parseCheckpoint(note.text);
    const judged = judge(note, parseKey(this.logKey)!);
    if (checkpoint === null || judged === null || judged === 'wrong') return null;
    if (this.last.size > checkpoint.size) return null;
    const proof = consistencyProof(log.node, this.last.size, checkpoint.size);
    if (!isConsistent(this.last, checkpoint, proof) || !this.isRight(log, checkpoint)) return null;
    this.last = { size: checkpoint.size, root: checkpoint.root };
    return cosign(note.text, this.name, this.key, time);
  }

  protected isRight(_log: ProvedLog, _head: { readonly size: number; readonly root: Uint8Array }): boolean {
    return true;
  }
}

/** Reads the leaves, too: each stream grows by one revision at a time, and each directory follows from what is before it. */
export class Monitor extends Witness {
  protected override isRight(
    log: ProvedLog,
    { size, root }: { readonly size: number; readonly root: Uint8Array },
  ): boolean {
    const [tree, directory] = [new TreeEdge(), new Directory()];
    let isDirectoryLast = false;
    for (const entry of log.entries.slice(0, size)) {
      tree.push(leafHash(entry));
      const read = readEntry(entry);
      if (read === null) return false;
      isDirectoryLast = read.kind === 'directory';
      if (read.kind === 'directory') {
        if (toHex(entry) !== toHex(directoryEntry(directory.root))) return false;
        continue;
      }
      const head = directory.get(read.tag);
      if (read.revision !== (head === null ? 0 : head.revision + 1)) return false;
      const link = linkOf(head?.link ?? read.tag, read.hash);
      directory.set({ tag: read.tag, revision: read.revision, link });
    }
    return isDirectoryLast && isSame(tree.root, root);
  }
}
