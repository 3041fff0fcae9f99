import { Problem, type ProjectId } from '#domain';
import { payloadHash } from './payload.js';

/** What a request without a run is known by when it is repeated: it stands in the event that the request has made. */
export function keyedPayload(project: ProjectId, key: string | undefined, body: unknown): string {
  const hash = payloadHash(body);
  return key === undefined ? hash : `${payloadHash([project, key])} ${hash}`;
}

/** Whether the key was used for the same. @throws Problem idempotency_mismatch: for something else */
export function isSameUse(before: string, payload: string): boolean {
  if (before === payload) return true;
  const [ofKey] = payload.split(' ');
  if (before.startsWith(`${ofKey} `))
    throw new Problem('idempotency_mismatch', 'Idempotency-Key: was used for something else');
  return false;
}
