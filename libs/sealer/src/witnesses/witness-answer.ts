import { type Note, type NoteKey, type NoteSignature, judge, parseNote } from '#proof';

/** What a witness has signed of a checkpoint. */
export interface Cosignature {
  /** By the policy's name. */
  readonly witness: string;
  /** s since 1970, as the witness says. */
  readonly time: number;
  readonly signature: NoteSignature;
}

/** What a witness said to a checkpoint. */
export type WitnessAnswer =
  | { readonly kind: 'cosigned'; readonly cosignature: Cosignature }
  /** It holds a larger tree, or another one, or has found something wrong: its own checkpoint says which (`latest`). */
  | { readonly kind: 'conflict'; readonly witness: string; readonly reason: string }
  /** It cannot be reached, or what it said is no use. */
  | { readonly kind: 'none'; readonly witness: string; readonly reason: string };

const MAX_REASON = 200;
/** Signatures that are looked at in one answer. */
const MAX_LINES = 20;

/** The newest good cosignature of a key among the lines of an answer; null: there is none. @param text of the checkpoint */
export function cosignatureIn(
  lines: string,
  text: string,
  witness: string,
  key: NoteKey,
): Cosignature | null {
  let newest: Cosignature | null = null;
  for (const line of lines.split('\n', MAX_LINES)) {
    const [signature] = parseNote(`${text}\n${line}\n`)?.signatures ?? [];
    if (signature === undefined) continue;
    const judged = judge({ text, signatures: [signature] }, key);
    if (judged === null || judged === 'wrong' || judged.time <= (newest?.time ?? -1)) continue;
    newest = { witness, time: judged.time, signature };
  }
  return newest;
}

/** When a key last cosigned a note, s since 1970; null: it did not. */
export function cosignedAt(note: Note, key: NoteKey): number | null {
  const judged = judge(note, key);
  return judged === null || judged === 'wrong' ? null : judged.time;
}

/** The size that a 409 says; null: it says none. */
export function sizeIn(body: string): number | null {
  const match = /^(0|[1-9]\d{0,15})\n$/.exec(body);
  const size = Number(match?.[1]);
  return match !== null && Number.isSafeInteger(size) ? size : null;
}

/** The first line of what somebody else said, for a log line. */
export const reasonIn = (body: string): string =>
  body
    .slice(0, MAX_REASON)
    .split('\n', 1)[0]!
    .replaceAll(/[^ -~]/g, '?');
