import { Problem } from '#domain';
import type { Clock, EgressGuard } from '#platform';
import { type ConnectDatabase, DatabaseRefusal } from './callers-database.js';
import { readConnection } from './connection-string.js';
import type { CheckConnection } from './datastores.js';

/** How long the creation of a datastore waits for its database. */
const PATIENCE_MS = 3_000;
const PATH = 'metadata.connectionString';

interface CheckPorts {
  readonly egress: EgressGuard;
  readonly clock: Clock;
  readonly connect: ConnectDatabase;
}

/**
 * Before a datastore is created. A host that has no address now may have one later, and a database that does not answer
 * now may do so later: its role is looked at again before each statement that reads.
 */
export const checkConnection =
  ({ egress, clock, connect }: CheckPorts): CheckConnection =>
  async (text, access) => {
    const connection = readConnection(text);
    const verdict = await egress.of(access.project).check(connection.host);
    if (verdict.kind === 'refused')
      throw refused('invalid_request', 'leads to a host that is not allowed (see EGRESS_ALLOW)');
    if (!access.needsPlainRole || verdict.kind === 'unresolved') return;
    const fault = await faultOfRole(connect(connection, access), clock);
    if (fault === null) return;
    const message = `${fault}; take one that may only read, or set metadata.readOnly to false`;
    throw refused('unprocessable', message);
  };

async function faultOfRole(database: ReturnType<ConnectDatabase>, clock: Clock): Promise<string | null> {
  const patience = clock.deadline(PATIENCE_MS);
  try {
    return await database.roleFault(patience.signal);
  } catch (error) {
    if (error instanceof DatabaseRefusal || patience.signal.aborted) return null;
    throw error;
  } finally {
    patience[Symbol.dispose]();
  }
}

const refused = (code: 'invalid_request' | 'unprocessable', message: string): Problem =>
  new Problem(code, `${PATH}: ${message}`, { errors: [{ path: PATH, message }] });
