import type { Revision, RunId, SessionId } from '#domain';

/** Port: signs how a run ended. */
export interface RunReceipts {
  /** For a header, the same each time; null: there is none to be had. @throws LogUnavailable */
  header(end: {
    readonly session: SessionId;
    readonly run: RunId;
    /** Of its last event. */
    readonly revision: Revision;
  }): Promise<string | null>;
}

/** The header of what tells of a run's end. */
export const RECEIPT_HEADER = 'annals-receipt';
