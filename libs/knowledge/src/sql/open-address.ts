import type { EgressGuard } from '#platform';
import { DatabaseRefusal, NOT_REACHED } from '../callers-database.js';
import type { Connection } from '../connection-string.js';

/** An address of the database's host that may be connected to now. Asked before every connection. @throws DatabaseRefusal */
export async function addressOf({ host }: Connection, egress: EgressGuard): Promise<string> {
  const verdict = await egress.check(host);
  if (verdict.kind === 'refused')
    throw new DatabaseRefusal('the database is at an address that is not allowed (see EGRESS_ALLOW)');
  const [first] = verdict.kind === 'allowed' ? verdict.addresses : [];
  if (first === undefined) throw new DatabaseRefusal(NOT_REACHED);
  return first.address;
}
