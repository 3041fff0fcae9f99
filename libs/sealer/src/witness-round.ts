import { type Checkpoint, type Note, formatNote, parseCheckpoint, parseNote, toHex } from '#proof';
import type { LogKeys } from './log-keys.js';
import type { Published, TreeState } from './seal.js';
import { SealingStopped } from './sealing-stopped.js';
import type { TreeHeads } from './tree-heads.js';

/** Port: those that have seen the log grow. */
export interface SealWitnesses {
  readonly isEmpty: boolean;
  lacksQuorum(note: Note): boolean;
  learn(note: Note): void;
  latest(): Promise<readonly HeldNote[]>;
  cosign(
    note: string,
    proofFrom: (oldSize: number) => Promise<readonly Uint8Array[]>,
  ): Promise<{
    readonly cosignatures: readonly { readonly signature: Note['signatures'][number] }[];
    readonly conflicts: readonly { readonly witness: string; readonly reason: string }[];
  }>;
}

/** What a witness holds of the log. */
export interface HeldNote {
  readonly witness: string;
  readonly checkpoint: Checkpoint;
  readonly note: Note;
}

/** Has seals cosigned, and finds out where witnesses have seen another log under our name. */
export class WitnessRound {
  constructor(
    private readonly witnesses: SealWitnesses,
    private readonly keys: LogKeys,
    private readonly heads: TreeHeads,
  ) {}

  get hasNobody(): boolean {
    return this.witnesses.isEmpty;
  }

  /** Whether the note of a seal is to be shown to them again as soon as somebody wants it. */
  lacksQuorum({ note }: Published): boolean {
    return this.witnesses.lacksQuorum(parseNote(note)!);
  }

  /** Takes over what an earlier process has published. */
  learn({ note }: Published): void {
    const read = parseNote(note);
    if (read !== null) this.witnesses.learn(read);
  }

  /** The note with every cosignature: those that it had, and the new ones in their place. @throws SealingStopped */
  async cosign(tree: TreeState, known: string): Promise<string> {
    if (this.witnesses.isEmpty) return known;
    const proofFrom = (old: number): Promise<readonly Uint8Array[]> => this.heads.consistency(old, tree.size);
    const { cosignatures, conflicts } = await this.witnesses.cosign(tree.note, proofFrom);
    if (conflicts.length > 0) await this.lookForFork(tree);
    const note = parseNote(known)!;
    const fresh = cosignatures.map(({ signature }) => signature);
    const bears = ({ name, keyId }: Note['signatures'][number]): string => `${name} ${toHex(keyId)}`;
    const renewed = new Set(fresh.map(bears));
    const signatures = [...note.signatures.filter((one) => !renewed.has(bears(one))), ...fresh];
    return formatNote({ text: note.text, signatures });
  }

  /**
   * Whether a witness holds what our key signed and this log did not grow from.
   * @param tree null: nothing is signed here yet
   * @throws SealingStopped
   */
  async lookForFork(tree: TreeState | null): Promise<void> {
    if (this.witnesses.isEmpty) return;
    for (const { witness, checkpoint, note } of await this.witnesses.latest()) {
      if (!this.keys.haveSigned(note) || checkpoint.origin !== this.keys.origin) continue;
      if (await this.isOfThisLog(checkpoint, tree)) continue;
      throw new SealingStopped(
        'log_forked',
        `${witness} holds a checkpoint of ${checkpoint.size} leaves that our key signed and this log did not grow from: log and key store are older than what was signed`,
      );
    }
  }

  private async isOfThisLog({ size, root }: Checkpoint, tree: TreeState | null): Promise<boolean> {
    if (size > (tree?.size ?? 0)) return false;
    const own = size === tree?.size ? parseCheckpoint(parseNote(tree.note)!.text)!.root : null;
    return toHex(own ?? (await this.heads.root(size))) === toHex(root);
  }
}
