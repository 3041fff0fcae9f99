import type { RunRecord } from '../run/run-record.js';

/** What the calls of a turn are recorded in. */
export type CallRecord = Pick<
  RunRecord,
  'run' | 'session' | 'state' | 'contents' | 'replay' | 'write' | 'settled' | 'onNews'
>;
