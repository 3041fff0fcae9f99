import { SingleBar } from 'cli-progress';
import {
  type EventLog,
  LogRefused,
  LogUnavailable,
  appendUntilDefinite,
  compareLogs,
  copyLog,
} from '#event-log';
import { PinoLogger, SettingsRefused, SystemClock, SystemRandom, readSettings } from '#platform';
import { type LogPorts, openLog } from './open-log.js';

const USAGE = 'npm run copy-log -- to-eventstoredb|to-embedded [--resume]';

/**
 * `npm run copy-log`: copies the embedded log of DATA_DIR into the EventStoreDB of EVENTSTORE_URL, or back. The service
 * must not run meanwhile.
 */
async function copy(): Promise<void> {
  const [direction, ...flags] = process.argv.slice(2);
  const isUnknown = flags.some((flag) => flag !== '--resume');
  if ((direction !== 'to-eventstoredb' && direction !== 'to-embedded') || isUnknown)
    throw new SettingsRefused(USAGE);
  const settings = readSettings();
  if (settings.eventstoreUrl === null) throw new SettingsRefused('EVENTSTORE_URL must be set to copy a log');
  const ports = { clock: new SystemClock(), random: new SystemRandom(), logger: new PinoLogger('warn') };
  const embedded = await openLog({ ...settings, eventstoreUrl: null }, ports);
  try {
    const server = await openLog(settings, ports);
    try {
      const [from, to] = direction === 'to-eventstoredb' ? [embedded, server] : [server, embedded];
      await copyBetween(from, to, flags.includes('--resume'), ports);
    } finally {
      await server.close();
    }
  } finally {
    await embedded.close();
  }
}

async function copyBetween(from: EventLog, to: EventLog, isResumed: boolean, ports: LogPorts): Promise<void> {
  const bar = new SingleBar({ format: '{bar} {percentage}% | {eta_formatted} left' });
  bar.start(Math.max(1, await from.head()), 0);
  try {
    const { events, streams } = await copyLog(from, to, {
      isResumed,
      onProgress: (position) => bar.update(position),
      append: (stream, events, expected) =>
        appendUntilDefinite(to, ports.clock, ports.random, stream, events, { expected }),
    });
    bar.stop();
    process.stdout.write(`${events} events of ${streams} streams copied; comparing both logs\n`);
  } finally {
    bar.stop();
  }
  const differing = await compareLogs(from, to);
  for (const stream of differing.slice(0, 100)) process.stdout.write(`not the same: ${stream}\n`);
  process.stdout.write(
    differing.length === 0 ? 'the logs are the same\n' : `${differing.length} streams differ\n`,
  );
  if (differing.length > 0) process.exitCode = 1;
}

await copy().catch((error: unknown) => {
  const isExpected =
    error instanceof SettingsRefused || error instanceof LogRefused || error instanceof LogUnavailable;
  process.stderr.write(`${isExpected ? error.message : (error as Error).stack}\n`);
  process.exitCode = 1;
});
