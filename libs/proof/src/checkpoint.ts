import { concat, fromBase64, toBase64, u64, utf8 } from './bytes.js';
import {
  LOG_KEY,
  type Note,
  type NoteKey,
  type NoteSignature,
  WITNESS_KEY,
  noteKey,
  signaturesOf,
} from './notes.js';
import type { SigningKey } from './primitives.js';
import { isSignature } from './signing.js';

/** What a log signs (https://c2sp.org/tlog-checkpoint): its tree of so many leaves has this root. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
}

const MAX_SIZE = Number.MAX_SAFE_INTEGER;
/** The end of 9999, in s: a witness that says more says nothing. */
const MAX_TIME = 253_402_300_799n;

export const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${toBase64(root)}\n`;

/** null: it is none, or has extension lines. */
export function parseCheckpoint(text: string): Checkpoint | null {
  const match = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([^\n]+)\n$/.exec(text);
  const root = match === null ? null : fromBase64(match[3]!);
  if (match === null || root?.length !== 32 || Number(match[2]) > MAX_SIZE) return null;
  return { origin: match[1]!, size: Number(match[2]), root };
}

/** Signs a text as a log does. */
export function signText(text: string, origin: string, key: SigningKey): NoteSignature {
  const { id } = noteKey(origin, LOG_KEY, key.publicKey);
  return { name: origin, keyId: id, bytes: key.sign(utf8(text)) };
}

const cosigned = (text: string, time: number): Uint8Array => utf8(`cosignature/v1\ntime ${time}\n${text}`);

/** A witness's signature (https://c2sp.org/tlog-cosignature). @param time s since 1970 */
export function cosign(text: string, name: string, key: SigningKey, time: number): NoteSignature {
  const { id } = noteKey(name, WITNESS_KEY, key.publicKey);
  return { name, keyId: id, bytes: concat(u64(time), key.sign(cosigned(text, time))) };
}

/**
 * What a key's signatures of a note say: `good`, with the newest time of a witness in s since 1970 (0 of a log); `wrong`: one
 * bears its name and id and is not by it; null: there is none.
 */
export function judge(
  note: Note,
  key: NoteKey,
): { readonly is: 'good'; readonly time: number } | 'wrong' | null {
  let newest = -1;
  for (const { bytes } of signaturesOf(note, key)) {
    const time = key.kind === WITNESS_KEY ? timeOf(bytes) : 0;
    if (time === null) return 'wrong';
    const message = key.kind === WITNESS_KEY ? cosigned(note.text, time) : utf8(note.text);
    const signature = key.kind === WITNESS_KEY ? bytes.slice(8) : bytes;
    if (!isSignature(key.publicKey, message, signature)) return 'wrong';
    newest = Math.max(newest, time);
  }
  return newest < 0 ? null : { is: 'good', time: newest };
}

/** null: it is none. */
function timeOf(bytes: Uint8Array): number | null {
  if (bytes.length < 8) return null;
  const time = new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0);
  return time > MAX_TIME ? null : Number(time);
}
