import { connect } from 'node:net';
import { type Settings, SystemClock, SystemRandom } from '#platform';
import { PostgresPool, errorCodeOf } from '#postgres';
import { PinoLogger } from '../../observability/pino-logger.js';
import { tryKeys } from '../../compose/open-keys.js';
import { hasEmbeddedLog, openLog } from '../../compose/open-log.js';
import { type Finding, type Name, fault, ok } from './finding.js';
import type { Heard } from './model.js';
import type { Readiness } from './readiness.js';

const PATIENCE_MS = 3_000;
const EVENTSTORE_PORT = 2113;
/** PostgreSQL's own number for 15.0. */
const LEAST_VERSION = 150_000;

/** The log: as the service that runs says, otherwise as it is opened, or whether its servers take connections. */
export async function checkLog(settings: Settings, readiness: Readiness | null): Promise<Finding> {
  const told = toldBy(readiness, 'log');
  if (told !== null) return told;
  if (settings.eventstoreUrl !== null) return checkServers(settings.eventstoreUrl);
  if (!hasEmbeddedLog(settings.dataDir)) return ok('log', 'none yet: the first start makes it');
  const ports = { clock: new SystemClock(), random: new SystemRandom(), logger: new PinoLogger('error') };
  try {
    const log = await openLog(settings, ports);
    try {
      await tryKeys(settings, log);
      return ok('log', `${await log.head()} events; \`annals verify-log\` reads them all`);
    } finally {
      await log.close();
    }
  } catch (error) {
    return fault('log', (error as Error).message, 'the service needs it whole and for itself');
  }
}

/** What `/readyz` says of one check; null: nobody was asked. */
function toldBy(readiness: Readiness | null, name: Name): Finding | null {
  const check = readiness?.checks[name];
  if (check === undefined) return null;
  if (check.status === 'ok') return ok(name, 'the service says that it is well');
  return fault(name, `the service says: ${check.detail ?? check.status}`, 'see the log of the service');
}

async function checkServers(url: string): Promise<Finding> {
  const [, scheme = '', hosts = ''] = /^([^:]+):\/\/(?:[^@/]*@)?([^/?]*)/.exec(url) ?? [];
  if (scheme.endsWith('+discover'))
    return ok('log', 'the servers of EVENTSTORE_URL are found by DNS; start to see');
  const all = hosts.split(',');
  const open = await Promise.all(all.map(takesConnections));
  const silent = all.filter((_, at) => open[at] === false);
  if (silent.length === all.length)
    return fault(
      'log',
      `${silent.join(', ')} takes no connection`,
      'see whether EVENTSTORE_URL is right and up',
    );
  return ok('log', `${all.length - silent.length} of ${all.length} servers take connections`);
}

function takesConnections(host: string): Promise<boolean> {
  const { hostname, port } = new URL(`http://${host}`);
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || EVENTSTORE_PORT),
    timeout: PATIENCE_MS,
  });
  return new Promise((resolve) => {
    const end = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}

/** The database of the lists, and its clock. */
export async function checkDatabase(
  { databaseUrl }: Pick<Settings, 'databaseUrl'>,
  readiness: Readiness | null,
): Promise<Heard> {
  if (databaseUrl === null) {
    const embedded = ok('database', 'embedded: it starts with the service');
    return { finding: toldBy(readiness, 'database') ?? embedded, time: null };
  }
  const pool = new PostgresPool({
    address: { url: databaseUrl },
    applicationName: 'annals doctor',
    connections: 1,
    connectTimeoutMs: PATIENCE_MS,
    statementTimeoutMs: PATIENCE_MS,
    idleTimeoutMs: 1,
    failure: (error) => new Error(errorCodeOf(error) ?? 'no answer'),
  });
  try {
    const text = `SELECT extract(epoch FROM clock_timestamp()) * 1000 AS time, current_setting('server_version_num') AS version`;
    const { rows } = await pool.query<{ time: string; version: string }>({ text });
    const [{ time, version } = { time: '', version: '0' }] = rows;
    const isOld = Number(version) < LEAST_VERSION;
    const said = `PostgreSQL ${Math.floor(Number(version) / 10_000)} answers`;
    return {
      finding: isOld ? fault('database', said, 'it must be version 15 or later') : ok('database', said),
      time: Number(time),
    };
  } catch (error) {
    const advice = 'see whether DATABASE_URL is right and up';
    return { finding: fault('database', `no answer (${(error as Error).message})`, advice), time: null };
  } finally {
    await pool.close();
  }
}
