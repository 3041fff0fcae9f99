import {
  type Checkpoint,
  type Note,
  type NoteKey,
  type NoteSignature,
  type TreeHead,
  fromBase64,
  fromUtf8,
  isConsistent,
  isSame,
  judge,
  parseCheckpoint,
  parseNote,
  sha256,
  signaturesOf,
} from '#proof';

/** What a witness is asked (https://c2sp.org/tlog-witness, add-checkpoint). */
export interface AddCheckpoint {
  readonly oldSize: number;
  readonly proof: readonly Uint8Array[];
  readonly note: Note;
  readonly checkpoint: Checkpoint;
}

export type Decision =
  /** With the signatures of the log that were found good, once each. */
  | { readonly kind: 'right'; readonly signatures: readonly NoteSignature[] }
  /** The witness holds another size than it was told. */
  | { readonly kind: 'other_size'; readonly size: number }
  | { readonly kind: 'refused'; readonly status: 400 | 403 | 422; readonly reason: string };

export const MAX_BODY_BYTES = 64 * 1024;
const MAX_PROOF_LINES = 63;
const MAX_OLD = BigInt(Number.MAX_SAFE_INTEGER);

/** Of a log that has never been cosigned. */
export const NOTHING_HELD: TreeHead = { size: 0, root: sha256(new Uint8Array()) };

/** null: it has not the form. */
export function parseAddCheckpoint(body: Uint8Array): AddCheckpoint | null {
  const text = body.length > MAX_BODY_BYTES ? null : fromUtf8(body);
  const end = text?.indexOf('\n\n') ?? -1;
  if (text === null || end < 0) return null;
  const [first = '', ...lines] = text.slice(0, end).split('\n');
  const match = /^old (0|[1-9]\d{0,18})$/.exec(first);
  if (match === null || BigInt(match[1]!) > MAX_OLD || lines.length > MAX_PROOF_LINES) return null;
  const proof = lines.map(fromBase64).filter((hash): hash is Uint8Array => hash?.length === 32);
  const note = parseNote(text.slice(end + 2));
  const checkpoint = note === null ? null : parseCheckpoint(note.text);
  if (proof.length < lines.length || note === null || checkpoint === null) return null;
  return { oldSize: Number(match[1]), proof, note, checkpoint };
}

/**
 * What a witness says to it, in the order in which the protocol looks.
 * @param keys of the log, by the checkpoint's origin
 * @param held what was cosigned last
 */
export function decide(asked: AddCheckpoint, keys: readonly NoteKey[], held: TreeHead): Decision {
  const { checkpoint, oldSize, proof } = asked;
  const signatures = goodSignatures(asked.note, keys);
  if (signatures === null) return refused(403, 'a signature of the log is missing or wrong');
  if (oldSize > checkpoint.size) return refused(400, 'the old size is above the size of the checkpoint');
  if (oldSize !== held.size) return { kind: 'other_size', size: held.size };
  if (checkpoint.size === 0 && !isSame(checkpoint.root, NOTHING_HELD.root))
    return refused(422, 'the root of no leaves is another');
  if (!isConsistent(held, checkpoint, proof))
    return refused(422, 'the checkpoint is not shown to go on from the one before');
  return { kind: 'right', signatures };
}

const refused = (status: 400 | 403 | 422, reason: string): Decision => ({ kind: 'refused', status, reason });

/** null: there is none, or a wrong one. */
function goodSignatures(note: Note, keys: readonly NoteKey[]): readonly NoteSignature[] | null {
  const good: NoteSignature[] = [];
  for (const key of keys) {
    // The same line again says no more, and a note has room for many.
    const once = signaturesOf(note, key).filter(
      (one, at, all) => all.findIndex((other) => isSame(other.bytes, one.bytes)) === at,
    );
    const judged = judge({ text: note.text, signatures: once }, key);
    if (judged === 'wrong') return null;
    if (judged !== null) good.push(...once);
  }
  return good.length === 0 ? null : good;
}
