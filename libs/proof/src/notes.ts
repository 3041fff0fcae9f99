import { concat, fromBase64, isSame, toBase64, toHex, utf8 } from './bytes.js';
import { sha256 } from './hashing.js';

/** Signed notes (https://c2sp.org/signed-note), with Ed25519 alone. */

/** Kinds of keys: of a log, and of a witness that cosigns. */
export const LOG_KEY = 1;
export const WITNESS_KEY = 4;

/** Who may have signed: a name and a public key (vkey). */
export interface NoteKey {
  readonly name: string;
  /** LOG_KEY or WITNESS_KEY. */
  readonly kind: number;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** 4 bytes. */
  readonly id: Uint8Array;
}

export interface NoteSignature {
  readonly name: string;
  /** 4 bytes. */
  readonly keyId: Uint8Array;
  readonly bytes: Uint8Array;
}

export interface Note {
  /** With its last line feed. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

const LINE_FEED = Uint8Array.of(0x0a);
const MAX_SIGNATURES = 1_000;

export function noteKey(name: string, kind: number, publicKey: Uint8Array): NoteKey {
  const id = sha256(concat(utf8(name), LINE_FEED, Uint8Array.of(kind), publicKey)).slice(0, 4);
  return { name, kind, publicKey, id };
}

export const formatKey = ({ name, kind, publicKey, id }: NoteKey): string =>
  `${name}+${toHex(id)}+${toBase64(concat(Uint8Array.of(kind), publicKey))}`;

/** null: it is none, or its id is not the key's. */
export function parseKey(vkey: string): NoteKey | null {
  const match = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/u.exec(vkey);
  const bytes = match === null ? null : fromBase64(match[3]!);
  if (match === null || bytes?.length !== 33) return null;
  const key = noteKey(match[1]!, bytes[0]!, bytes.slice(1));
  return toHex(key.id) === match[2] ? key : null;
}

/** A signature line, with its line feed. */
export const signatureLine = ({ name, keyId, bytes }: NoteSignature): string =>
  `\u2014 ${name} ${toBase64(concat(keyId, bytes))}\n`;

export const formatNote = ({ text, signatures }: Note): string =>
  `${text}\n${signatures.map(signatureLine).join('')}`;

/** null: it is none. */
export function parseNote(note: string): Note | null {
  const at = note.lastIndexOf('\n\n');
  if (at < 0 || !note.endsWith('\n')) return null;
  // eslint-disable-next-line no-control-regex -- the format allows no control characters but line feeds
  if (/[\u0000-\u0009\u000b-\u001f]/.test(note)) return null;
  const lines = note.slice(at + 2, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) return null;
  const signatures = lines.map(parseSignature);
  if (signatures.some((signature) => signature === null)) return null;
  return { text: note.slice(0, at + 1), signatures: signatures as NoteSignature[] };
}

function parseSignature(line: string): NoteSignature | null {
  const match = /^\u2014 ([^+\s]+) (\S+)$/u.exec(line);
  const bytes = match === null ? null : fromBase64(match[2]!);
  if (match === null || bytes === null || bytes.length < 5) return null;
  return { name: match[1]!, keyId: bytes.slice(0, 4), bytes: bytes.slice(4) };
}

/** The signatures that bear a key's name and id. */
export const signaturesOf = ({ signatures }: Note, { name, id }: NoteKey): readonly NoteSignature[] =>
  signatures.filter((signature) => signature.name === name && isSame(signature.keyId, id));
