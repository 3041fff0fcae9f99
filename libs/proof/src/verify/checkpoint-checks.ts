import { isSame } from '../bytes.js';
import { judge } from '../checkpoint.js';
import { directoryEntry, leafHash, tagOf } from '../leaves.js';
import type { NoteKey } from '../notes.js';
import { type Policy, hasQuorum } from '../policy.js';
import { rootOfInclusion } from '../tree.js';
import { rootOfPath } from '../trie.js';
import type { ExportHeader, ExportProof } from './export-lines.js';
import { type FailureCode, shown } from './findings.js';

/** What the events lead to. */
export interface StreamEnd {
  readonly events: number;
  /** Behind the last event that the header calls sealed; null: the file ends before it. */
  readonly link: Uint8Array | null;
}

type Fail = (code: FailureCode, revision: number | null, message: string) => void;

export interface Cosigned {
  /** By the policy's names. */
  readonly witnesses: readonly string[];
  /** The oldest of their newest times, in ms since 1970; null: none has cosigned. */
  readonly witnessedAt: number | null;
  /** Whether one of them has read every leaf. */
  readonly isMonitored: boolean;
}

/** The checkpoint: who signed it, that the directory is its last leaf, and that the stream ends there as it does here. */
export function checkCheckpoint(
  proof: ExportProof,
  header: ExportHeader,
  { policy, end, fail }: { readonly policy: Policy | null; readonly end: StreamEnd; readonly fail: Fail },
): Cosigned {
  checkSigned(proof, header, policy?.logs.map(({ key }) => key) ?? header.keys, fail);
  const cosigned = cosignedBy(proof, policy, fail);
  if (policy !== null && !hasQuorum(policy, new Set(cosigned.witnesses)))
    fail('quorum', null, `the quorum ${shown(policy.quorum ?? 'none')} of the policy has not cosigned`);
  checkIncluded(proof, fail);
  checkHead(proof, header, end, fail);
  return cosigned;
}

function checkSigned(
  { note, checkpoint }: ExportProof,
  { origin }: ExportHeader,
  keys: readonly NoteKey[],
  fail: Fail,
): void {
  if (checkpoint.origin !== origin)
    fail('signature', null, `the header names the origin ${shown(origin)}, the checkpoint another`);
  let isSigned = false;
  for (const key of keys) {
    const judged = judge(note, key);
    if (judged === 'wrong') fail('signature', null, `a signature of ${shown(key.name)} is not by its key`);
    else if (judged !== null && key.name === origin) isSigned = true;
  }
  if (!isSigned)
    fail('signature', null, `no key of ${shown(origin)} that is known has signed the checkpoint`);
}

function cosignedBy({ note }: ExportProof, policy: Policy | null, fail: Fail): Cosigned {
  const witnesses: string[] = [];
  let [witnessedAt, isMonitored]: [number | null, boolean] = [null, false];
  for (const { name, key } of policy?.witnesses ?? []) {
    const judged = judge(note, key);
    if (judged === null) continue;
    if (judged === 'wrong') {
      fail('signature', null, `a cosignature of ${shown(key.name)} is not by its key`);
      continue;
    }
    witnesses.push(name);
    witnessedAt = Math.min(witnessedAt ?? Infinity, judged.time * 1000);
    isMonitored ||= key.name.endsWith('/monitor');
  }
  return { witnesses, witnessedAt, isMonitored };
}

function checkIncluded({ directory, inclusion, checkpoint }: ExportProof, fail: Fail): void {
  const { index, path } = inclusion;
  if (index !== checkpoint.size - 1)
    fail('inclusion', null, 'the directory is not the last leaf of the checkpoint');
  const root = rootOfInclusion(leafHash(directoryEntry(directory)), { index, size: checkpoint.size }, path);
  if (root === null || !isSame(root, checkpoint.root))
    fail('inclusion', null, 'the directory is not in the tree of the checkpoint');
}

function checkHead(
  { directory, path }: ExportProof,
  { stream, sealed }: ExportHeader,
  { events, link }: StreamEnd,
  fail: Fail,
): void {
  if (link === null) {
    fail('head', Math.max(0, events - 1), `the directory has the stream end at revision ${sealed - 1}`);
    return;
  }
  const root = rootOfPath({ tag: tagOf(stream), revision: sealed - 1, link }, path);
  if (root === null || !isSame(root, directory))
    fail('head', sealed - 1, 'the stream does not end here, or not so, in the directory');
}
