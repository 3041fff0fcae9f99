import type { RunId, SessionId } from './ids.js';
/** Events of an `idempotency-` stream: the key is used, once and for good. */
export interface IdempotencyKeyUsed {
  readonly type: 'idempotency_key_used';
  readonly data: RunKeyUse | ResourceKeyUse;
}

interface KeyedPayload {
  /** HMAC of the payload, hex. */
  readonly payload: string;
}

/** The key of a run. */
export interface RunKeyUse extends KeyedPayload {
  readonly session: SessionId;
  readonly run: RunId;
  /** Revision of the session when the key was used: the run, if it is there, stands behind it. */
  readonly after: number;
  /** The response with which the run went on, which waited: the key is of what was decided. Absent: it is of the run's start. */
  readonly passage?: number;
}

/** The key of a datastore, a document or a fork. */
export interface ResourceKeyUse extends KeyedPayload {
  /** Its id. */
  readonly resource: string;
}

/** JSON text of a value that does not depend on the order in which an object's fields were written. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
