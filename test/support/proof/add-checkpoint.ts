import { type Note, consistencyProof, formatNote, toBase64 } from '#proof';
import type { ProvedLog, Seal } from './proved-log.js';

/** The body of `add-checkpoint` for a seal of a log. */
export function addCheckpointBody(
  log: ProvedLog,
  seal: Seal,
  oldSize: number,
  note: Note = log.note(seal),
): string {
  const proof = oldSize <= seal.size ? consistencyProof(log.node, oldSize, seal.size) : [];
  return [`old ${oldSize}`, ...proof.map(toBase64), '', formatNote(note)].join('\n');
}
