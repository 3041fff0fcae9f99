import { fromBase64, fromUtf8, toHex } from '../bytes.js';
import { judge } from '../checkpoint.js';
import { parseNote } from '../notes.js';
import type { Policy } from '../policy.js';
import { type Receipt, parseReceipt } from '../receipt.js';
import type { ExportEvent } from './export-lines.js';
import { shown } from './findings.js';

export interface KeptReceipt {
  readonly receipt: Receipt;
  /** The note's text: two of one text are one. */
  readonly text: string;
  /** Whether a key of the policy that bears the name of its origin has signed it. */
  readonly isTrusted: boolean;
}

const NOTE = 'annals receipt v1\n';

/** The receipts of a file; a text: what is wrong with it. */
export function readReceipts(file: Uint8Array, policy: Policy | null): readonly KeptReceipt[] | string {
  const text = fromUtf8(file);
  if (text === null) return 'it is not UTF-8';
  const notes = text.startsWith(NOTE) ? [text] : notesOf(text);
  if (notes === null) return 'it holds neither a receipt nor values of the header annals-receipt, one a line';
  const receipts: KeptReceipt[] = [];
  for (const note of notes) {
    const read = receiptOf(note, policy);
    if (typeof read === 'string') return read;
    receipts.push(read);
  }
  return receipts;
}

function notesOf(text: string): readonly string[] | null {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const notes = lines.map((line) => {
    const bytes = line === '' ? null : fromBase64(line);
    return bytes === null ? null : fromUtf8(bytes);
  });
  return notes.length === 0 || notes.includes(null) ? null : (notes as string[]);
}

function receiptOf(text: string, policy: Policy | null): KeptReceipt | string {
  const note = parseNote(text);
  const receipt = note === null ? null : parseReceipt(note.text);
  if (note === null || receipt === null) return 'it is no receipt';
  let isTrusted = false;
  for (const { key } of policy?.logs ?? []) {
    const judged = judge(note, key);
    if (judged === 'wrong') return `it bears a wrong signature of ${shown(key.name)}`;
    if (judged !== null && key.name === receipt.origin) isTrusted = true;
  }
  return { receipt, text: note.text, isTrusted };
}

export interface Matched {
  /** Receipts that the file says the same as. */
  readonly count: number;
  readonly differing: readonly { readonly revision: number; readonly message: string }[];
  /** Without a good signature of the policy: by revision. */
  readonly unsigned: readonly number[];
}

/** Holds the receipts of a stream against its events. Owns what was found at the revision of each. */
export class ReceiptFold {
  private readonly trusted = new Map<string, KeptReceipt>();
  private readonly untrusted = new Map<string, KeptReceipt>();
  private readonly revisions = new Set<number>();
  /** By the receipt's text: what the file has there instead; null: the same. */
  private readonly found = new Map<string, string | null>();

  constructor(stream: string, receipts: readonly KeptReceipt[]) {
    for (const kept of receipts) {
      if (kept.receipt.stream !== stream) continue;
      (kept.isTrusted ? this.trusted : this.untrusted).set(kept.text, kept);
      this.revisions.add(kept.receipt.revision);
    }
    for (const text of this.trusted.keys()) this.untrusted.delete(text);
  }

  push(event: ExportEvent, hash: Uint8Array): void {
    if (!this.revisions.has(event.revision)) return;
    for (const [text, { receipt }] of this.trusted) {
      if (receipt.revision !== event.revision) continue;
      const same = toHex(hash) === toHex(receipt.hash) && event.time === receipt.time;
      const isSame = same && event.run === receipt.run;
      if (!isSame || !this.found.has(text))
        this.found.set(text, isSame ? null : saying(hash, event.time, event.run));
    }
  }

  end(): Matched {
    const kept = [...this.trusted].toSorted(([, a], [, b]) => a.receipt.revision - b.receipt.revision);
    const differing = kept.flatMap(([text, { receipt }]) => {
      const found = this.found.get(text);
      if (found === null) return [];
      const { revision, hash, time, run } = receipt;
      const there = found === undefined ? 'the file ends before' : `the file has ${found}`;
      return [{ revision, message: `the receipt says ${saying(hash, time, run)}; ${there}` }];
    });
    const unsigned = Array.from(this.untrusted.values(), ({ receipt }) => receipt.revision);
    return { count: kept.length - differing.length, differing, unsigned };
  }
}

const saying = (hash: Uint8Array, time: number, run: string | undefined): string =>
  `hash ${toHex(hash)}, time ${time}, run ${run === undefined ? 'none' : shown(run)}`;
