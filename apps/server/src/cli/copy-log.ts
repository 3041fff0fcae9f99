import { type EventLog, appendUntilDefinite, compareLogs, copyLog } from '#event-log';
import { type Settings, SettingsRefused, SystemClock, SystemRandom, readSettings } from '#platform';
import { PinoLogger } from '../observability/pino-logger.js';
import { copyKeysOf } from '../compose/open-keys.js';
import { type LogPorts, openLog, requireLog } from '../compose/open-log.js';
import type { CommandArgs } from './command.js';
import { withProgress } from './progress.js';

/** Of the streams that differ. */
const SHOWN = 100;
const OTHER_ORDER =
  'the streams are the same, but their events come in another order, so what was sealed is not proved by the copy: copy again, into an empty log\n';

/**
 * `annals copy-log`: copies the embedded log of DATA_DIR into the EventStoreDB of EVENTSTORE_URL, or back. The service
 * must not run meanwhile.
 */
export async function run({ operands: [direction], flags }: CommandArgs): Promise<number> {
  const settings = readSettings();
  if (settings.eventstoreUrl === null) throw new SettingsRefused('EVENTSTORE_URL must be set to copy a log');
  if (direction === 'to-eventstoredb') requireLog({ ...settings, eventstoreUrl: null });
  const ports = { clock: new SystemClock(), random: new SystemRandom(), logger: new PinoLogger('warn') };
  const embedded = await openLog({ ...settings, eventstoreUrl: null }, ports);
  try {
    const server = await openLog(settings, ports);
    try {
      const [from, to] = direction === 'to-eventstoredb' ? [embedded, server] : [server, embedded];
      const differs = await copyBetween(from, to, flags.has('--resume'), ports);
      return differs ? 1 : await copyTheirKeys(settings, direction, ports);
    } finally {
      await server.close();
    }
  } finally {
    await embedded.close();
  }
}

/** A key store that replicas share is in their database; the log cannot be opened without its keys. */
async function copyTheirKeys(
  settings: Settings,
  direction: string | undefined,
  ports: LogPorts,
): Promise<number> {
  const to = direction === 'to-eventstoredb' ? direction : 'to-embedded';
  const keys = await copyKeysOf(settings, to, ports);
  if (keys > 0) process.stdout.write(`${keys} keys of content copied\n`);
  return 0;
}

async function copyBetween(
  from: EventLog,
  to: EventLog,
  isResumed: boolean,
  ports: LogPorts,
): Promise<boolean> {
  const { events, streams } = await withProgress(await from.head(), (onProgress) =>
    copyLog(from, to, {
      isResumed,
      onProgress,
      append: (stream, events, expected) =>
        appendUntilDefinite(to, ports.clock, ports.random, stream, events, { expected }),
    }),
  );
  process.stdout.write(`${events} events of ${streams} streams copied; comparing both logs\n`);
  const { streams: differing, isSameOrder } = await compareLogs(from, to);
  for (const stream of differing.slice(0, SHOWN)) process.stdout.write(`not the same: ${stream}\n`);
  if (differing.length > 0) process.stdout.write(`${differing.length} streams differ\n`);
  else if (!isSameOrder) process.stdout.write(OTHER_ORDER);
  else process.stdout.write('the logs are the same\n');
  return differing.length > 0 || !isSameOrder;
}
