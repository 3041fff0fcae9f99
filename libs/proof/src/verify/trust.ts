import { readableUtf8 } from '../bytes.js';
import { type Policy, PolicyRefused, parsePolicy } from '../policy.js';
import type { UnusableCode } from './findings.js';
import { type KeptReceipt, readReceipts } from './kept-receipts.js';

/** What whoever verifies brings along. */
export interface VerifyInput {
  /** A tlog-policy file. */
  readonly policy?: Uint8Array | undefined;
  /** Receipt files: each a note, or header values, one a line. */
  readonly receipts?: readonly Uint8Array[] | undefined;
  /** ISO 8601: a date, or a time with its zone. */
  readonly asOf?: string | undefined;
  /** Warnings count. */
  readonly isStrict?: boolean | undefined;
}

/** The same, read. */
export interface Trust {
  /** null: the keys that the file itself names are taken. */
  readonly policy: Policy | null;
  readonly receipts: readonly KeptReceipt[];
  /** ms since 1970 */
  readonly asOf: number | null;
  readonly isStrict: boolean;
}

export interface Refusal {
  readonly code: UnusableCode;
  readonly message: string;
}

/** Of a policy, and of a file of receipts. */
export const MAX_INPUT_BYTES = 1024 * 1024;
const MAX_RECEIPT_FILES = 1_000;

export function readTrust(input: VerifyInput): Trust | Refusal {
  const { policy: bytes, receipts: files = [], isStrict = false } = input;
  const asOf = input.asOf === undefined ? null : momentOf(input.asOf);
  if (Number.isNaN(asOf)) return { code: 'arguments', message: '--as-of must be a time in ISO 8601' };
  if (files.length > MAX_RECEIPT_FILES) return { code: 'arguments', message: 'there are too many receipts' };
  const policy = bytes === undefined ? null : policyOf(bytes);
  if (typeof policy === 'string') return { code: 'policy', message: `the policy: ${policy}` };
  const receipts: KeptReceipt[] = [];
  for (const [at, file] of files.entries()) {
    const read = file.length > MAX_INPUT_BYTES ? 'it is too long' : readReceipts(file, policy);
    if (typeof read === 'string') return { code: 'receipts', message: `receipt file ${at + 1}: ${read}` };
    receipts.push(...read);
  }
  return { policy, receipts, asOf, isStrict };
}

const TIME = /^(\d{4})-(\d\d)-(\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** NaN: it is none. */
function momentOf(text: string): number {
  const [, year, month, day] = TIME.exec(text) ?? [];
  // JavaScript takes 30 February for 2 March.
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  return isDay ? Date.parse(text) : Number.NaN;
}

/** A text: what is wrong with it. */
function policyOf(bytes: Uint8Array): Policy | string {
  if (bytes.length > MAX_INPUT_BYTES) return 'it is too long';
  try {
    return parsePolicy(readableUtf8(bytes));
  } catch (error) {
    if (error instanceof PolicyRefused) return error.message;
    throw error;
  }
}
