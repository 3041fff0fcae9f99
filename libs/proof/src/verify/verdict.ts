import type { FailureCode, Finding, WarningCode } from './findings.js';

/** How far a file can be believed. */
export type Level = 'chain' | 'signed' | 'receipted' | 'witnessed' | 'complete';

/** What is said of a file, in the order of its JSON. What is not known is null or 0. */
export interface Verdict {
  readonly verdict: 'verified' | 'failed' | 'unusable';
  /** 0 verified, 1 failed, 2 unusable, 3 verified with warnings where these count. */
  readonly exit: 0 | 1 | 2 | 3;
  readonly level: Level | null;
  readonly stream: string | null;
  readonly session: string | null;
  readonly events: number;
  readonly sealed: number;
  readonly disclosed: string | null;
  readonly erased: boolean | null;
  readonly runs: { readonly ended: number; readonly open: number };
  /** ISO 8601: the first and the last time of the events, by the clocks that wrote them. */
  readonly from: string | null;
  readonly to: string | null;
  readonly origin: string | null;
  /** Leaves of the checkpoint. */
  readonly size: number;
  /** ISO 8601 */
  readonly witnessed_at: string | null;
  /** By the policy's names. */
  readonly witnesses: readonly string[];
  /** Those kept that say the same. */
  readonly receipts: number;
  readonly failures: readonly Finding<FailureCode>[];
  readonly warnings: readonly Finding<WarningCode>[];
}

export const UNKNOWN: Verdict = {
  verdict: 'unusable',
  exit: 2,
  level: null,
  stream: null,
  session: null,
  events: 0,
  sealed: 0,
  disclosed: null,
  erased: null,
  runs: { ended: 0, open: 0 },
  from: null,
  to: null,
  origin: null,
  size: 0,
  witnessed_at: null,
  witnesses: [],
  receipts: 0,
  failures: [],
  warnings: [],
};

/** Where nothing could be read. */
export const unusable = (code: FailureCode, message: string): Verdict => ({
  ...UNKNOWN,
  failures: [{ code, revision: null, message }],
});

export const isoTime = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString();

/** One line. */
export const jsonOf = (verdict: Verdict): string => `${JSON.stringify(verdict)}\n`;
