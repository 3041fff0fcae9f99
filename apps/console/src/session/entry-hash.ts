import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { LogLine } from '../api/types.js';

/** The hash of an event's entry on the log, as docs/log-format.md makes it: of the envelope alone, hex. */
export function entryHash(session: string, line: LogLine): string {
  const { revision, id, type, schemaVersion, time, project, actor, commitment, prev } = line;
  const place = prev === '' ? '' : String(revision);
  const by = [line.causationId ?? '', line.correlationId ?? ''];
  const fields = ['1', `session-${session}`, place, id, type, String(schemaVersion), String(time), project];
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify([...fields, actor, ...by, commitment, prev]))));
}
